import type { IncidentDetail, IncidentList } from "@/server/contract/incidents";
import type { Fleet } from "@/server/contract/schemas";
import { expectClean, sizeWindow, WIDTHS } from "./setup/clean";
import { complaintsOf } from "./setup/complaints";
import { startProduct, until, type Product } from "./setup/product";
import { expect, test } from "./setup/test";

/** A whole pool of twelve nodes loses its way to the API server within a minute: one incident of many nodes, with what they share. Ten seconds of it pass in one. */
const NODES = 12;
const SICK = 4;
let product: Product;
let incident: IncidentDetail;

test.beforeAll(async () => {
  test.setTimeout(240_000);
  product = await startProduct({ args: ["--simulate", "--scenario", "storm-of-nodes", "--nodes", String(NODES), "--speed", "10"] });
  const id = await until("the incident of the pool", 200_000, async () => (await product.api<IncidentList>("/api/v1/incidents?state=open")).items.find(({ scope }) => scope === "fleet")?.id);
  incident = await until("what they share", 60_000, async () => {
    const found = await product.api<IncidentDetail>(`/api/v1/incidents/${id}`);
    return found.memberIncidents.length === SICK && found.shared?.sick === SICK && found.shared.traits.length > 0 ? found : undefined;
  });
});
test.afterAll(() => product?.stop());

let complaints: readonly string[];
test.beforeEach(({ page }) => {
  complaints = complaintsOf(page);
});

test("it is one line in the list, and its nodes stand under it and not beside it", async ({ page }) => {
  const { items } = await product.api<IncidentList>("/api/v1/incidents?state=open");
  expect(items.map(({ id, scope }) => [id, scope])).toEqual([[incident.id, "fleet"]]);
  await page.goto(`${product.url}/incidents`);
  const rows = page.getByRole("region", { name: "Incidents" }).locator("tbody tr");
  await expect(rows).toHaveCount(1);
  await expect(rows.first()).toContainText("4 nodes");
  expect(complaints).toEqual([]);
});

test("its page says what the sick nodes share and the well ones do not, with the figures", async ({ page }) => {
  const sick = await until("every sick node's no", 60_000, async () => {
    const found = (await product.api<Fleet>("/api/v1/fleet")).nodes.filter(({ answer }) => answer.state === "no");
    return found.length === SICK ? found : undefined;
  });
  const [pool] = sick.map((node) => node.pool);
  expect(incident.shared).toMatchObject({ sick: SICK, well: NODES - SICK });
  expect(incident.shared?.traits).toContainEqual(expect.objectContaining({ trait: "pool", value: pool, sick: SICK, sickKnown: SICK, well: 0 }));
  await page.goto(`${product.url}/incidents/${incident.id}`);
  const shared = page.getByRole("region", { name: "What the sick nodes share" });
  await expect(shared).toContainText(pool ?? "");
  await expect(shared.locator("tbody tr", { hasText: pool ?? "" }).first()).toContainText("4 of 4");
  await expect(page.getByRole("region", { name: "Causes", exact: true })).toContainText("Many nodes fell ill together");
  expect(complaints).toEqual([]);
});

test("it leads to each of its nodes' incidents, and each of these leads back", async ({ page }) => {
  await page.goto(`${product.url}/incidents/${incident.id}`);
  const rows = page.getByRole("region", { name: "Incidents of its nodes" }).locator("tbody tr");
  await expect(rows).toHaveCount(SICK);
  const links = await rows.getByRole("link").evaluateAll((found) => found.map((link) => link.getAttribute("href")));
  for (const { id } of incident.memberIncidents) expect(links).toContain(`/incidents/${id}`);
  const [first] = incident.memberIncidents;
  await rows.filter({ hasText: first?.node ?? "" }).getByRole("link").first().click();
  await expect(page).toHaveURL(new RegExp(`/incidents/${first?.id}$`));
  await page.getByRole("navigation", { name: "Breadcrumb" }).getByRole("link", { name: `fleet incident ${incident.id}` }).click();
  await expect(page).toHaveURL(new RegExp(`/incidents/${incident.id}$`));
  expect(complaints).toEqual([]);
});

for (const width of WIDTHS) {
  test(`its page in light and dark at ${width} px: axe finds nothing, nothing is cut off`, async ({ page }) => {
    await sizeWindow(page, width);
    await page.goto(`${product.url}/incidents/${incident.id}`);
    await expect(page.getByRole("region", { name: "What the sick nodes share" })).toBeVisible();
    for (const summary of await page.locator("details > summary").all()) await summary.click();
    await expectClean(page, "the page");
    expect(complaints).toEqual([]);
  });
}
