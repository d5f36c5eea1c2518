import type { Fleet, NodeDetail } from "@/server/contract/schemas";
import { pressUntil } from "./setup/alive";
import { expectClean, sizeWindow, WIDTHS } from "./setup/clean";
import { complaintsOf } from "./setup/complaints";
import { startProduct, until, type Product } from "./setup/product";
import { expect, test } from "./setup/test";

/** A notice that a person knows better: accepted with a reason, told with who and when, and withdrawn again. */
const CODE = "oom-victim-candidate";
const SUBJECT = "kube-system/kube-multus-ds";
const REASON = "Its restart costs more than a full node. <b>Not bold.</b>";
let product: Product;
let node: string;

const detail = (): Promise<NodeDetail> => product.api<NodeDetail>(`/api/v1/nodes/${node}`);

test.beforeAll(async () => {
  product = await startProduct({ args: ["--simulate", "--scenario", CODE, "--nodes", "3"] });
  node = await until("the node that it befalls", 90_000, async () => (await product.api<Fleet>("/api/v1/fleet")).nodes.find(({ causes }) => causes.some(({ code }) => code === CODE))?.name);
});
test.afterAll(() => product?.stop());

test("a daemon is accepted as it is on the cause's card by keyboard, and withdrawn on the node's page or the cause's", async ({ page }) => {
  test.setTimeout(240_000);
  const complaints = complaintsOf(page);
  await page.goto(`${product.url}/nodes/${node}`);
  const aside = page.getByRole("complementary", { name: "Causes, proof and sources" });
  const card = aside.locator(`#cause-${CODE}`);
  await expect(card).toContainText(SUBJECT);
  const reason = page.getByRole("textbox", { name: `Why ${SUBJECT} is right as it is` });
  await pressUntil(reason, async (bound) => {
    await card.getByRole("button", { name: `Accept ${SUBJECT} as it is` }).focus(bound);
    await page.keyboard.press("Enter");
  });
  await expect(reason).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(reason, "nothing is stored without a reason").toBeVisible();
  await reason.fill(REASON);
  await page.keyboard.press("Enter");
  await expect(aside.getByRole("heading", { name: "Accepted as it is" })).toBeVisible({ timeout: 30_000 });
  await expect(card).toHaveCount(0);
  await expect(aside).toContainText(REASON);
  await expect(aside).toContainText("Accepted by");
  await expect.poll(async () => (await detail()).diagnosis.causes.map(({ code }) => code)).toEqual([]);

  await page.goto(`${product.url}/causes/${CODE}`);
  const accepted = page.getByRole("region", { name: "Accepted as it is" });
  await expect(accepted).toContainText(SUBJECT);
  await expect(accepted).toContainText(REASON);
  await page.goto(`${product.url}/audit`);
  await expect(page.getByText("cause.accept").first()).toBeVisible();

  for (const width of WIDTHS) {
    await sizeWindow(page, width);
    for (const route of [`/nodes/${node}`, `/causes/${CODE}`]) {
      await page.goto(`${product.url}${route}`);
      await expect(page.getByText(REASON)).toBeVisible();
      await expectClean(page, route);
    }
  }
  await pressUntil(accepted.getByText("Nothing."), (bound) => page.getByRole("button", { name: `Withdraw the exception of ${SUBJECT}` }).click(bound));
  await page.goto(`${product.url}/nodes/${node}`);
  await expect(page.locator(`#cause-${CODE}`)).toBeVisible({ timeout: 30_000 });
  await pressUntil(reason, (bound) => page.getByRole("button", { name: `Accept ${SUBJECT} as it is` }).click(bound));
  await expectClean(page, "the open form at 390 px");
  expect(complaints, "what the browser complained of").toEqual([]);
});
