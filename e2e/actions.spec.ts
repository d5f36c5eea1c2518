import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { CoreV1Api, KubeConfig } from "@kubernetes/client-node";
import type { Page } from "@playwright/test";
import type { ActionOffers, ActionPlan, ActionRunOut, ActionRuns, AuditLog, Fleet, NodeDetail, OfferedKeys, Status } from "@/server/contract/schemas";
import { outcome, PAGE_TIMEOUT_MS, panel, sheet, SPEED, VERDICT_TIMEOUT_MS } from "./setup/action-sheet";
import { expectClean, sizeWindow, WIDTHS } from "./setup/clean";
import { complaintsOf } from "./setup/complaints";
import { simulatedKubeconfig, startProduct, until, type Product } from "./setup/product";
import { expect, test } from "./setup/test";

test.describe.configure({ mode: "serial", timeout: 300_000 });
// A picture of a page of hundreds of rows after every step takes longer than the steps.
test.use({ trace: "off" });

const MAX_VOIDED = 5;

let data: string;
let product: Product;
let node: string;
let offer: ActionOffers["offers"][number];
/** What the page sent for the run that worked. */
let sent: object | undefined;

test.beforeAll(async () => {
  data = mkdtempSync(path.join(os.tmpdir(), "sandglass-actions-"));
  product = await startProduct({ dataDir: data, args: ["--simulate", "--scenario", "retry-storm", "--nodes", "6", "--speed", String(SPEED)] });
  node = await until("the stormy node", 60_000, async () => (await product.api<Fleet>("/api/v1/fleet")).nodes.find((one) => one.answer.state === "no")?.name);
  const offers = await product.api<ActionOffers>(`/api/v1/nodes/${node}/actions`);
  const [first] = offers.offers;
  if (first === undefined) throw new Error("the stormy node offers no action");
  offer = first;
});
test.afterAll(async () => {
  await product?.stop();
  rmSync(data, { recursive: true, force: true });
});

const wanted = (params: object): object => ({ action: offer.action, namespace: offer.namespace, daemonSet: offer.daemonSet, params });
/** As the page sends it: JSON, same origin. */
const post = (route: string, body: object): Promise<Response> =>
  fetch(`${product.url}/api/v1/nodes/${node}/actions/${route}`, { method: "POST", headers: { "content-type": "application/json", origin: product.url }, body: JSON.stringify(body) });
const runs = async (): Promise<ActionRunOut[]> => (await product.api<ActionRuns>("/api/v1/actions")).items;
const lastButton = (page: Page) => sheet(page).getByRole("button", { name: "Run on 6 nodes" });

async function openNode(page: Page): Promise<void> {
  await page.goto(`${product.url}/nodes/${node}`);
  await expect(panel(page).getByRole("button", { name: "Other values…" })).toBeVisible({ timeout: PAGE_TIMEOUT_MS });
}

async function tryPlan(page: Page): Promise<void> {
  await sheet(page).getByRole("button", { name: /^Dry run/ }).dblclick();
  await expect(sheet(page).getByText("Accepted.")).toBeVisible({ timeout: 30_000 });
}

/**
 * Dry run, confirmation and a double click on the last button; gives what was sent. A node whose daemon is killed again and again may change
 * between the dry run and the click, which voids the plan: then it is tried again, as a person would.
 */
async function runPlan(page: Page): Promise<object> {
  for (let tries = 0; tries < MAX_VOIDED; tries += 1) {
    await tryPlan(page);
    await sheet(page).getByLabel(/to confirm/).fill(offer.daemonSet);
    const answer = page.waitForResponse((one) => one.url().endsWith("/actions/run"));
    await lastButton(page).dblclick();
    const response = await answer;
    if (response.status() !== 409) return response.request().postDataJSON() as object;
  }
  throw new Error(`the plan was void ${MAX_VOIDED} times`);
}

test("the plan says its effect, its width, its calls and its undo; Enter sends nothing; Esc closes and gives the focus back", async ({ page }) => {
  const errors = complaintsOf(page);
  await openNode(page);
  const button = panel(page).getByRole("button", { name: /2 CPU and 4 Gi…/ });
  await button.focus();
  await page.keyboard.press("Enter");
  await expect(sheet(page).getByRole("heading", { level: 1 })).toHaveText("Set kube-multus to 2 CPU and 4 Gi");
  await expect(sheet(page).getByRole("heading", { level: 1 })).toBeFocused();
  await expect(sheet(page)).toContainText("Rolls all 6 nodes");
  await expect(sheet(page)).toContainText(`PATCH /apis/apps/v1/namespaces/${offer.namespace}/daemonsets/${offer.daemonSet}`);
  await expect(sheet(page)).toContainText("Sets the values of before again");
  await expect(sheet(page)).toContainText("Worked: pods that waited got a sandbox");

  await tryPlan(page);
  const field = sheet(page).getByLabel(`Type ${offer.daemonSet} to confirm`);
  await field.fill(offer.daemonSet.slice(0, -1));
  await expect(lastButton(page)).toHaveAttribute("aria-disabled", "true");
  await lastButton(page).click({ force: true });
  await field.fill(offer.daemonSet);
  await field.press("Enter");
  await expect(sheet(page).getByText("matches")).toBeVisible();
  await expectClean(page, "the sheet before the click");

  for (let tabs = 0; tabs < 40; tabs++) {
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => document.activeElement === document.body || document.activeElement?.closest("dialog") !== null), "the focus stays in the sheet").toBe(true);
  }
  await page.keyboard.press("Escape");
  await expect(sheet(page)).toBeHidden();
  await expect(button).toBeFocused();
  expect(await runs()).toEqual([]);
  expect(errors).toEqual([]);
});

test("a value that is none, and one out of bounds, are told beside their field, and a refusal beside its own", async ({ page }) => {
  await openNode(page);
  await panel(page).getByRole("button", { name: "Other values…" }).click();
  const limit = sheet(page).getByLabel("Memory limit");
  await expect(limit).toHaveValue("1Gi");
  const dryRun = sheet(page).getByRole("button", { name: "Dry run" });
  for (const [value, says] of [["1Zi", 'Memory limit is "1Zi": it must be a quantity'], ["1Mi", "Memory limit is 1Mi: it must be whole bytes from 16Mi to 256Gi"]] as const) {
    await limit.fill(value);
    await expect(limit).toHaveAccessibleDescription(new RegExp(says));
    await expect(limit).toHaveAttribute("aria-invalid", "true");
    await expect(dryRun).toHaveAttribute("aria-disabled", "true");
  }
  await limit.fill("32Mi");
  await expect(sheet(page).getByLabel("Memory request")).toHaveAccessibleDescription(/is above the limit \(32Mi\)/);
  await expect(sheet(page).getByRole("alert")).toContainText("Refused: this cannot be run");
  await limit.fill("1Gi");
  await expect(sheet(page).getByRole("alert")).toContainText("has exactly these values already");
  await expect(dryRun).toHaveAttribute("aria-disabled", "true");
});

test("a dry run expires in sight, and has to be made again before the last button comes back", async ({ page }) => {
  await openNode(page);
  await panel(page).getByRole("button", { name: /2 CPU and 4 Gi…/ }).click();
  await tryPlan(page);
  await expect(sheet(page).getByText(/valid for \d/)).toBeVisible();
  await expect(sheet(page).getByText("Expired.")).toBeVisible({ timeout: 300_000 / SPEED + 15_000 });
  await expect(lastButton(page)).toBeHidden();
  await tryPlan(page);
  await expect(lastButton(page)).toBeVisible();
  await sheet(page).getByLabel("Memory limit").fill("8Gi");
  await expect(sheet(page).getByText("It was made for other values")).toBeVisible();
  await expect(lastButton(page)).toBeHidden();
});

test("the CPU limit lifted alone, with memory kept at 1Gi, is worse, and the page says so and offers the ways on", async ({ page }) => {
  await openNode(page);
  await panel(page).getByRole("button", { name: "Other values…" }).click();
  await sheet(page).getByLabel("No CPU limit").check();
  await expect(sheet(page).getByLabel("Memory limit")).toHaveValue("1Gi");
  await expect(sheet(page)).toContainText("Likely to be killed for memory.");
  await runPlan(page);

  await expect(sheet(page).getByRole("listitem").filter({ hasText: `Set limits and requests of ${offer.namespace}/${offer.daemonSet}` })).toBeVisible();
  await expect(sheet(page)).toContainText("Closing this panel stops nothing.");
  await page.keyboard.press("Escape");
  await expect(panel(page)).toContainText("Closing the panel stopped nothing: the run goes on.");
  await panel(page).getByRole("button", { name: "Show run" }).click();

  await expect(outcome(page)).toContainText(/^Worse/, { timeout: VERDICT_TIMEOUT_MS });
  await expect(outcome(page)).toContainText("killed for memory");
  await expect(sheet(page).getByRole("row", { name: /Pods waiting/ })).toContainText(/\d{2,}/);
  await expect(sheet(page).getByRole("button", { name: "Undo: 100m CPU and 1 Gi…" })).toBeVisible();
  await expect(sheet(page).getByRole("button", { name: "No CPU limit, 4 Gi…" })).toBeVisible();
  await expectClean(page, "the sheet of a run that is worse");
  await sheet(page).getByRole("button", { name: "Undo: 100m CPU and 1 Gi…" }).click();
  await expect(sheet(page).getByRole("heading", { level: 1 })).toHaveText("Set kube-multus to 100m CPU and 1 Gi");
  await expect(sheet(page)).toContainText("Undo, for");
  await page.keyboard.press("Escape");
  await expect(panel(page)).toContainText("worse");
});

test("2 CPU and 4Gi, clicked twice, run once and work", async ({ page }) => {
  const before = (await runs()).length;
  const errors = complaintsOf(page);
  await openNode(page);
  await panel(page).getByRole("button", { name: /2 CPU and 4 Gi…/ }).click();
  await expect(sheet(page)).toContainText(/Tried before[\s\S]*worse/);
  sent = await runPlan(page);
  await expect(outcome(page)).toContainText(/^Worked/, { timeout: VERDICT_TIMEOUT_MS });
  await expect(outcome(page)).toContainText("a fresh sandbox since the change");
  expect(await runs()).toHaveLength(before + 1);
  await expect.poll(async () => (await product.api<NodeDetail>(`/api/v1/nodes/${node}`)).answer.state).toBe("yes");
  expect(errors).toEqual([]);
});

test("the request of a run that was made, sent again, gives that run back; its id with another plan is a conflict; neither changes anything", async () => {
  const [made] = await runs();
  if (made === undefined || sent === undefined) throw new Error("no run was made");
  const again = await post("run", sent);
  expect(again.status).toBe(200);
  expect(await again.json()).toMatchObject({ id: made.id, requestId: made.requestId, params: made.params });
  expect((await post("run", { ...sent, ...wanted({ ...made.params, cpuLimit: "3" }), version: "another" })).status).toBe(409);
  expect((await runs())[0]?.id).toBe(made.id);
  const current = (await product.api<ActionOffers>(`/api/v1/nodes/${node}/actions`)).offers[0]?.current;
  expect(current).toMatchObject({ cpuLimit: "2", memoryLimit: "4Gi" });
});

test("runs and audit log list what was done, newest first, and lead to node and run", async ({ page }) => {
  const errors = complaintsOf(page);
  await page.goto(`${product.url}/actions`);
  const rows = page.getByRole("table").getByRole("row");
  await expect(rows.nth(1)).toContainText("worked");
  await expect(rows.nth(2)).toContainText("worse");
  await rows.nth(2).getByRole("link", { name: /no CPU limit and 1 Gi/ }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Set kube-multus to no CPU limit and 1 Gi");
  await expect(page.getByRole("status", { name: "Outcome so far" })).toContainText("Worse");
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Audit log" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Who did what?");
  const { items } = await product.api<AuditLog>("/api/v1/audit?limit=500");
  expect(new Set(items.map((entry) => entry.verb))).toEqual(new Set(["action.dry-run", "action.run"]));
  await expect(page.getByRole("table").getByRole("row")).toHaveCount(items.length + 1);
  await expect(page.getByRole("table")).toContainText("cpu limit none, memory limit 1Gi");
  const oldest = items.at(-1);
  const middle = items[Math.floor(items.length / 2)];
  if (oldest === undefined || middle === undefined) throw new Error("the audit log is empty");
  await page.goto(`${product.url}/audit?before=${middle.id}`);
  await expect(page.getByRole("table").getByRole("row")).toHaveCount(items.length - items.indexOf(middle));
  await page.goto(`${product.url}/audit?before=${oldest.id}`);
  await expect(page.getByRole("heading", { name: "There is nothing older" })).toBeVisible();
  await page.goto(`${product.url}/actions/${"0".repeat(36)}`);
  await expect(page.getByRole("heading", { name: "There is no run by this request id" })).toBeVisible();
  expect(errors.filter((text) => !text.includes("404"))).toEqual([]);
});

for (const width of WIDTHS) {
  test(`pages of actions in light and dark at ${width} px: axe finds nothing, nothing is cut off`, async ({ page }) => {
    await sizeWindow(page, width);
    for (const at of ["/actions", "/audit", `/actions/${(await runs())[0]?.requestId}`, `/nodes/${node}`]) {
      await page.goto(`${product.url}${at}`);
      if (at.startsWith("/nodes/")) await expect(panel(page).getByRole("button", { name: "Show run" })).toBeVisible();
      await expectClean(page, at);
    }
    await panel(page).getByRole("button", { name: "Show run" }).click();
    await expect(outcome(page)).toBeVisible();
    await expectClean(page, "the sheet of a run");
    await page.keyboard.press("Escape");
    await panel(page).getByRole("button", { name: /no CPU limit, 4 Gi…/ }).click();
    await expect(sheet(page)).toContainText("How it will be told");
    await expectClean(page, "the sheet of a plan");
  });
}

test("the range on the page is exported as JSON and as Markdown, whatever the URL holds", async ({ page }) => {
  const status = await product.api<Status>("/api/v1/status");
  const toMs = Math.floor(Date.parse(status.at) / 1_000) * 1_000;
  const from = new Date(toMs - 600_000).toISOString().replace(".000Z", "Z");
  const to = new Date(toMs).toISOString().replace(".000Z", "Z");
  await page.goto(`${product.url}/nodes/${node}?from=${from}&to=${to}`);
  const exports = page.getByRole("group", { name: "Export this range" });
  const [json] = await Promise.all([page.waitForEvent("download"), exports.getByRole("link", { name: "JSON" }).click()]);
  expect(json.suggestedFilename()).toMatch(new RegExp(`^sandglass-${node}-.*\\.json$`));
  const document = JSON.parse(readFileSync(await json.path(), "utf8")) as { format: string; window: { from: string; to: string }; node: { name: string } };
  expect(document).toMatchObject({ format: "sandglass/node", node: { name: node } });
  expect([document.window.from, document.window.to].map((text) => Date.parse(text))).toEqual([toMs - 600_000, toMs]);
  const [markdown] = await Promise.all([page.waitForEvent("download"), exports.getByRole("link", { name: "Markdown" }).click()]);
  expect(markdown.suggestedFilename()).toMatch(/\.md$/);
  // A dash is escaped like everything else that a Markdown reader may act on.
  expect(readFileSync(await markdown.path(), "utf8")).toContain(`# ${node.replaceAll("-", "\\-")}: `);
});

test.describe("who may not", () => {
  /** The pretend cluster's own kubeconfig has a user that may only look. */
  const kubeconfig = (): string => simulatedKubeconfig(data);
  /** Where those who watch it from outside keep what they saw, the keys of its kubelets too. */
  const watched = (): string => path.join(data, "watched");
  const kubeletOf = async (from: Product) => (await from.api<NodeDetail>(`/api/v1/nodes/${node}`)).sources.find(({ source }) => source === "kubelet");
  /** The address of a kubelet that has another key. */
  async function otherKubelet(): Promise<string> {
    const config = new KubeConfig();
    config.loadFromFile(kubeconfig());
    const { items } = await config.makeApiClient(CoreV1Api).listNode();
    const { status } = items.find(({ metadata }) => metadata?.name !== node) ?? {};
    return `https://${status?.addresses?.find(({ type }) => type === "InternalIP")?.address}:${status?.daemonEndpoints?.kubeletEndpoint?.Port}`;
  }
  const ready = (page: Page) => expect(panel(page).getByRole("button", { name: "Other values…" })).toBeVisible({ timeout: PAGE_TIMEOUT_MS });

  test("sees the buttons greyed with the reason, and can hand on the plan", async ({ browser }) => {
    const viewer = await startProduct({ dataDir: watched(), args: ["--kubeconfig", kubeconfig(), "--context", "simulated-viewer", "--allow-actions", "--kubelet", "direct", "--kubelet-tls", "pin"] });
    const context = await browser.newContext({ permissions: ["clipboard-read", "clipboard-write"] });
    const page = await context.newPage();
    try {
      await until("the node is known", 60_000, async () => ((await viewer.api<Fleet>("/api/v1/fleet")).nodes.some((one) => one.name === node) ? true : undefined));
      await page.goto(`${viewer.url}/nodes/${node}`);
      await ready(page);
      for (const name of [/2 CPU/, /no CPU limit, 4 Gi/, /Other values/]) {
        const button = panel(page).getByRole("button", { name });
        await expect(button).toHaveAttribute("aria-disabled", "true");
        await expect(button).toHaveAccessibleDescription(new RegExp(`You may not patch daemonsets in ${offer.namespace}`));
        await button.click({ force: true });
        await expect(sheet(page)).toBeHidden();
      }
      await expect(panel(page)).toContainText(`You may not patch daemonsets in ${offer.namespace}`);
      await panel(page).getByRole("button", { name: "Copy plan for someone who may…" }).click();
      await expect(sheet(page).getByRole("button", { name: /Dry run|Run on/ })).toHaveCount(0);
      await sheet(page).getByRole("button", { name: "Copy plan for someone who may" }).click();
      await expect(sheet(page).getByText("Plan copied")).toBeVisible();
      const copied = await page.evaluate(() => navigator.clipboard.readText());
      expect(copied).toContain(`kubectl --namespace ${offer.namespace} patch daemonset ${offer.daemonSet}`);
      expect((await viewer.api<ActionRuns>("/api/v1/actions")).items).toEqual([]);
      await until("the kubelet's first key is kept", 60_000, async () => ((await kubeletOf(viewer))?.freshness === "fresh" ? true : undefined));
    } finally {
      await context.close();
      await viewer.stop();
    }
  });

  test("with actions off the page says how to switch them on, a plan can still be looked at, and a changed kubelet key accepted", async ({ page }) => {
    const off = await startProduct({ dataDir: watched(), args: ["--kubeconfig", kubeconfig(), "--kubelet", "direct", "--kubelet-tls", "pin", "--kubelet-address", `${node}=${await otherKubelet()}`] });
    try {
      await until("the node is known", 60_000, async () => ((await off.api<Fleet>("/api/v1/fleet")).nodes.some((one) => one.name === node) ? true : undefined));
      await page.goto(`${off.url}/nodes/${node}`);
      await ready(page);
      await expect(panel(page)).toContainText("Actions are off");
      await expect(panel(page)).toContainText("npm start -- --allow-actions");
      await panel(page).getByRole("button", { name: "Copy plan for someone who may…" }).click();
      await expect(sheet(page)).toContainText("Rolls all 6 nodes");
      const answer = await page.evaluate(async ([address, body]) => (await fetch(address, { method: "POST", headers: { "content-type": "application/json" }, body })).status, [
        `/api/v1/nodes/${node}/actions/dry-run`,
        JSON.stringify({ action: offer.action, namespace: offer.namespace, daemonSet: offer.daemonSet, params: offer.presets[1]?.params }),
      ] as const);
      expect(answer).toBe(403);

      await until("the other key is told", 60_000, async () => ((await off.api<OfferedKeys>("/api/v1/kubelet-keys")).items.length === 1 ? true : undefined));
      await page.goto(`${off.url}/visibility`);
      const keys = page.getByRole("region", { name: "Changed kubelet keys" });
      await keys.getByRole("button", { name: `Accept the new key of ${node}` }).click();
      await expect(keys).toContainText("Your name and the time are kept in the audit log");
      await keys.getByRole("button", { name: "Accept this key" }).click();
      await expect(keys).toContainText("Every kubelet shows the key that was seen first or accepted since");
      expect((await off.api<AuditLog>("/api/v1/audit")).items[0]).toMatchObject({ verb: "kubelet-key.accept", object: `node/${node}`, outcome: "done" });
      // A certificate for another node's name is refused by "verify" alone: here the key decides.
      await until("the kubelet is read by its new key", 60_000, async () => ((await kubeletOf(off))?.freshness === "fresh" ? true : undefined));
    } finally {
      await off.stop();
    }
  });
});

test("a plan that was voided by another hand is told by what changed, and the values stay", async ({ page }) => {
  await openNode(page);
  await panel(page).getByRole("button", { name: "Other values…" }).click();
  await sheet(page).getByLabel("CPU limit", { exact: true }).fill("3");
  await tryPlan(page);
  await sheet(page).getByLabel(/to confirm/).fill(offer.daemonSet);

  const other = wanted({ container: offer.container, cpuLimit: "4", memoryRequest: "256Mi", memoryLimit: "4Gi" });
  const { version } = (await (await post("plan", other)).json()) as ActionPlan;
  expect((await post("run", { ...other, requestId: "another-hand", version, confirm: offer.daemonSet })).status).toBe(200);
  // While the rollout replaces the node's daemon there is none to plan for.
  await until("the daemon is back on the node", PAGE_TIMEOUT_MS, async () => (await product.api<NodeDetail>(`/api/v1/nodes/${node}`)).daemons.find((daemon) => daemon.cpuLimitCores === 4));

  await lastButton(page).click();
  await expect(sheet(page).getByRole("alert")).toContainText("It was not run: something changed in between.");
  await expect(sheet(page).getByRole("status", { name: /The plan was made anew/ })).toContainText(/it had limits cpu: .*it has limits cpu: 4/);
  await expect(sheet(page).getByLabel("CPU limit", { exact: true })).toHaveValue("3");
  await expect(sheet(page).getByText("The plan changed since: try again.")).toBeVisible();
  await tryPlan(page);
  await expect(sheet(page).getByLabel(/to confirm/)).toHaveValue("");
});

test.describe("where no answer comes", () => {
  /** A node is left alone for a while after an action on it began. */
  test.beforeEach(async () => {
    await until("the node may be acted on again", 60_000, async () => {
      const [{ at }, [last]] = await Promise.all([product.api<Status>("/api/v1/status"), runs()]);
      return last === undefined || (last.state !== "running" && Date.parse(at) - Date.parse(last.started) > 60_000) ? true : undefined;
    });
  });

  async function confirmCpu(page: Page, cpuLimit: string): Promise<void> {
    await openNode(page);
    await panel(page).getByRole("button", { name: "Other values…" }).click();
    await sheet(page).getByLabel("CPU limit", { exact: true }).fill(cpuLimit);
    await tryPlan(page);
    await sheet(page).getByLabel(/to confirm/).fill(offer.daemonSet);
  }

  test("because the request was lost, the page says so, keeps what was sent, and trying again runs it once", async ({ page }) => {
    const before = (await runs()).length;
    await confirmCpu(page, "5");
    await page.route("**/actions/run", (route) => route.abort(), { times: 1 });
    await lastButton(page).click();
    await expect(sheet(page).getByRole("alert")).toContainText("No answer came.");
    await expect(sheet(page).getByLabel("CPU limit", { exact: true })).toBeDisabled();
    expect(await runs()).toHaveLength(before);
    await sheet(page).getByRole("button", { name: "Try again" }).click();
    await expect(outcome(page)).toBeVisible();
    expect(await runs()).toHaveLength(before + 1);
  });

  test("because the answer was lost, the page finds the run that was made", async ({ page }) => {
    const before = (await runs()).length;
    await confirmCpu(page, "6");
    await page.route("**/actions/run", async (route) => {
      await route.fetch();
      await route.abort();
    });
    await lastButton(page).click();
    await expect(outcome(page)).toBeVisible();
    await expect(sheet(page).getByRole("heading", { level: 1 })).toHaveText(/6 CPU/);
    expect(await runs()).toHaveLength(before + 1);
  });
});
