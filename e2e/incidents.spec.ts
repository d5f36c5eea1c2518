import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import type { Page } from "@playwright/test";
import type { IncidentDetail, IncidentExport, IncidentList, IncidentSummary } from "@/server/contract/incidents";
import type { ActionOffers, ActionPlan, Fleet, NodeDetail, Status } from "@/server/contract/schemas";
import { pressUntil } from "./setup/alive";
import { expectClean, sizeWindow, WIDTHS } from "./setup/clean";
import { complaintsOf } from "./setup/complaints";
import { startProduct, until, type Product } from "./setup/product";
import { expect, test } from "./setup/test";

/**
 * The simulated retry storm from its first sign to its recovery: it opens an incident by itself, tells its story, takes
 * what people say, outlives a restart of Sandglass, and closes after it was cleared. Ten seconds of it pass in one.
 */
const SPEED = 10;
let data: string;
let product: Product;
let node: string;
let id: number;

const list = async (query = ""): Promise<IncidentList> => product.api<IncidentList>(`/api/v1/incidents${query}`);
const detail = async (): Promise<IncidentDetail> => product.api<IncidentDetail>(`/api/v1/incidents/${id}`);
const args = ["--simulate", "--scenario", "retry-storm", "--nodes", "6", "--speed", String(SPEED)];

test.beforeAll(async () => {
  data = mkdtempSync(path.join(os.tmpdir(), "sandglass-incidents-"));
  product = await startProduct({ dataDir: data, args });
  node = await until("the stormy node", 60_000, async () => (await product.api<Fleet>("/api/v1/fleet")).nodes.find((one) => one.answer.state === "no")?.name);
  const found = await until<IncidentSummary>("its incident", 60_000, async () => (await list("?state=open")).items.find((one) => one.node === node));
  id = found.id;
});
test.afterAll(async () => {
  await product?.stop();
  rmSync(data, { recursive: true, force: true });
});

let complaints: readonly string[];
test.beforeEach(({ page }) => {
  complaints = complaintsOf(page);
});
const expectNoComplaint = (): void => expect(complaints, "what the browser complained of").toEqual([]);

const open = async (page: Page, route: string): Promise<void> => {
  await page.goto(`${product.url}${route}`);
  await expect(page.getByText("Live", { exact: true }).first()).toBeAttached();
};

test("a storm is one incident: first in the list, counted in the bar, and reached from its node's page", async ({ page }) => {
  await open(page, `/nodes/${node}`);
  await page.getByRole("link", { name: `Incident ${id}, open` }).click();
  await expect(page).toHaveURL(new RegExp(`/incidents/${id}$`));
  await expect(page.getByRole("heading", { level: 1 })).toContainText(node);
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: /^Incidents/ }).click();
  await expect(page).toHaveURL(/\/incidents$/);
  await expect(page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Incidents 1 open" })).toHaveAttribute("aria-current", "page");
  const row = page.getByRole("region", { name: "Incidents" }).locator("tbody tr").first();
  await expect(row).toContainText("Open");
  await expect(row).toContainText(node);
  await expect(page.getByRole("status").filter({ hasText: "1 incident not over" })).toBeVisible();
  expect((await list("?state=open")).items.map((one) => one.id)).toEqual([id]);
  expectNoComplaint();
});

test("it begins when the storm did, once the past is filled in, and tells its story from there", async ({ page }) => {
  test.setTimeout(240_000);
  await until("the past filled in", 200_000, async () => ((await product.api<Status>("/api/v1/status")).backfill === undefined ? true : undefined));
  const told = await until("the older story", 60_000, async () => {
    const found = await detail();
    return Date.parse(found.at) - Date.parse(found.sign) > 20 * 60_000 ? found : undefined;
  });
  expect(told.id).toBe(id);
  expect(told.story.map(({ kind }) => kind)).toEqual(expect.arrayContaining(["incident", "answer", "attempts"]));
  expect(told.story.map(({ at }) => Date.parse(at))).toEqual([...told.story.map(({ at }) => Date.parse(at))].sort((a, b) => a - b));
  await open(page, `/incidents/${id}`);
  const story = page.getByRole("region", { name: "Story" }).locator("ol.inc-story > li");
  await expect(story.first()).toBeVisible();
  await expect(story.filter({ hasText: "Incident opened" })).toHaveCount(1);
  await expect(story.filter({ hasText: /^Harm: .*First sign/ })).toHaveCount(1);
  const attempts = story.filter({ hasText: /failed sandbox/ }).first();
  await attempts.getByText(/^Attempts of/).click();
  await expect(attempts.getByText(/^attempts? \d/).first()).toBeVisible();
  await expect(page.getByRole("region", { name: "Who is hurt" }).locator("tbody tr").first()).toBeVisible();
  await expect(page.locator(".inc-chart svg .rc-line.waiting").first()).toBeAttached();
  expectNoComplaint();
});

test("it is acknowledged, noted and given a title by keyboard, with who and when, and another tab that is open shows it", async ({ browser, page }) => {
  const other = await (await browser.newContext()).newPage();
  await other.goto(`${product.url}/incidents/${id}`);
  await open(page, `/incidents/${id}`);
  await pressUntil(page.getByText(/^Acknowledged by/), async (bound) => {
    await page.getByRole("button", { name: "Acknowledge" }).focus(bound);
    await page.keyboard.press("Enter");
  });
  await page.getByRole("textbox", { name: "Note" }).fill("The limit is 100m. <b>Not bold.</b>");
  await page.keyboard.press("Control+Enter");
  await expect(page.getByRole("region", { name: "Notes" })).toContainText("The limit is 100m. <b>Not bold.</b>");
  await page.getByRole("button", { name: "Give it a title" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("textbox", { name: "Title" }).fill("The night of the outage");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("The night of the outage");
  await expect(page.getByRole("button", { name: "Change the title" })).toBeFocused();
  await expect(other.getByRole("heading", { level: 1 })).toHaveText("The night of the outage", { timeout: 30_000 });
  await expect(other.getByText(/^Acknowledged by/)).toBeVisible();
  await other.context().close();
  await open(page, "/audit");
  await expect(page.getByText("incident.note").first()).toBeVisible();
  expectNoComplaint();
});

test("what is typed into the filter stands in the address, and a link shows the same", async ({ page }) => {
  await open(page, "/incidents");
  await pressUntil(page.getByRole("heading", { name: "No incident matches" }), async (bound) => {
    await page.getByRole("searchbox").fill("", bound);
    await page.getByRole("searchbox").fill("no such node", bound);
  });
  await page.getByRole("searchbox").fill(node);
  await expect(page).toHaveURL(new RegExp(`q=${node}`));
  const address = page.url();
  await page.goto("about:blank");
  await page.goto(address);
  await expect(page.getByRole("region", { name: "Incidents" }).locator("tbody tr")).toHaveCount(1);
  await page.getByRole("navigation", { name: "Which incidents" }).getByRole("link", { name: "Closed" }).click();
  await expect(page).toHaveURL(/state=closed/);
  expectNoComplaint();
});

for (const width of WIDTHS) {
  test(`pages of incidents in light and dark at ${width} px: axe finds nothing, nothing is cut off`, async ({ page }) => {
    await sizeWindow(page, width);
    for (const route of ["/incidents", "/incidents?state=closed", `/incidents/${id}`, "/incidents/999999"]) {
      await open(page, route);
      if (route.endsWith(String(id))) await expect(page.locator(".inc-chart svg")).toBeAttached();
      for (const summary of await page.locator("details > summary").all()) await summary.click();
      await expectClean(page, route);
    }
  });
}

test("it is exported as JSON and as Markdown", async () => {
  const made = await product.api<IncidentExport>(`/api/v1/incidents/${id}/export`);
  expect(made).toMatchObject({ format: "sandglass/incident", version: 1, cluster: { simulated: true }, incident: { id, title: "The night of the outage" } });
  const markdown = await (await fetch(`${product.url}/api/v1/incidents/${id}/export?format=markdown`)).text();
  expect(markdown).toMatch(/^# The night of the outage\n/);
  expect(markdown).toContain("&lt;b&gt;Not bold");
});

test("numbers of no incident are a 404", async ({ request }) => {
  for (const number of ["0", "999999", "1e3", "..%2f1", "a%00b"]) expect.soft((await request.get(`${product.url}/incidents/${number}`)).status(), number).toBe(404);
});

test("cleared, it recovers and closes by itself on a page that is open, and its node's page no longer leads to it", async ({ page }) => {
  test.setTimeout(240_000);
  await open(page, `/incidents/${id}`);
  const { offers } = await product.api<ActionOffers>(`/api/v1/nodes/${node}/actions`);
  const offer = offers[0];
  const params = offer?.presets.find(({ preset }) => preset === "emergency")?.params;
  if (offer === undefined || params === undefined) throw new Error("the stormy node offers no action");
  const wanted = { action: offer.action, namespace: offer.namespace, daemonSet: offer.daemonSet, params };
  const post = (route: string, body: object): Promise<Response> => fetch(`${product.url}/api/v1/nodes/${node}/actions/${route}`, { method: "POST", headers: { "content-type": "application/json", origin: product.url }, body: JSON.stringify(body) });
  const plan = (await (await post("plan", wanted)).json()) as ActionPlan;
  const run = await post("run", { ...wanted, requestId: "incident-spec-1", version: plan.version, confirm: plan.confirm.text });
  expect(run.status, await run.clone().text()).toBe(200);
  await expect(page.getByRole("article").getByText("Closed", { exact: true }).first()).toBeVisible({ timeout: 180_000 });
  const told = await detail();
  expect(told).toMatchObject({ state: "closed", closedBecause: "recovered" });
  expect(told.story.map(({ kind }) => kind)).toEqual(expect.arrayContaining(["action", "rollout", "daemon"]));
  const rollout = told.story.find(({ kind }) => kind === "rollout");
  expect(rollout?.detail).toMatch(/^Generation \d+ to \d+, revision \d+ to \d+$/);
  expect(rollout?.diff).toMatch(/^- kube-multus: CPU limit 100m CPU.*\n\+ kube-multus: CPU limit /);
  await expect(page.getByRole("region", { name: "Story" }).locator("ol.inc-story > li", { hasText: "Rollout of kube-system/kube-multus-ds" }).first()).toContainText("kube-multus: CPU limit");
  expect(told.hurtWorkloads.every(({ until: over }) => over !== undefined)).toBe(true);
  expect((await product.api<NodeDetail>(`/api/v1/nodes/${node}`)).incident).toBeUndefined();
  expect((await list()).counts.open).toBe(0);
  expectNoComplaint();
});

test("a cluster in which nothing happened says so, and is not counted", async ({ page }) => {
  const other = await startProduct({ args: ["--simulate", "--scenario", "healthy", "--nodes", "3"] });
  try {
    await until("three nodes", 60_000, async () => ((await other.api<Fleet>("/api/v1/fleet")).counts.yes === 3 ? true : undefined));
    await page.goto(`${other.url}/incidents`);
    await expect(page.getByRole("heading", { name: "There was no incident yet" })).toBeVisible();
    await expect(page.getByRole("status").filter({ hasText: "Nothing is open" })).toBeVisible();
    await expect(page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Incidents", exact: true })).toBeVisible();
  } finally {
    await other.stop();
  }
});
