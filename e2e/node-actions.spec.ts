import { readFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { load } from "js-yaml";
import type { ActionOffers, ActionRunDetail, ActionRuns, Fleet, NodeDetail } from "@/server/contract/schemas";
import { client } from "../server/simulator/testing/client";
import { outcome, PAGE_TIMEOUT_MS, panel, sheet, SPEED, VERDICT_TIMEOUT_MS } from "./setup/action-sheet";
import { expectClean } from "./setup/clean";
import { simulatedKubeconfig, startProduct, until, type Product } from "./setup/product";
import { expect, test } from "./setup/test";

/*
 * The actions that a node's own agent carries out. Three clusters at once: while one waits for its installer and one for
 * its buried daemon, the third is looked at.
 */
test.describe.configure({ mode: "serial", timeout: 300_000 });
// A picture of a page of hundreds of rows after every step takes longer than the steps.
test.use({ trace: "off" });

/** A page gives a dry run up after 40 s. */
const ASKED_TIMEOUT_MS = 45_000;
const BUSY = "/opt/cni/bin/multus-shim";

let deadlock: Product;
let broken: Product;
let storm: Product;

test.beforeAll(async () => {
  const start = (scenario: string, nodes: number): Promise<Product> => startProduct({ args: ["--simulate", "--scenario", scenario, "--nodes", String(nodes), "--speed", String(SPEED)] });
  [deadlock, broken, storm] = await Promise.all([start("install-deadlock", 6), start("cni-cache-broken", 2), start("retry-storm", 2)]);
});
test.afterAll(async () => {
  await Promise.all([deadlock?.stop(), broken?.stop(), storm?.stop()]);
});

const listed = (page: Page, what: string) => sheet(page).getByRole("region", { name: `${what}, one by one` });
/** The agent's own list, as a dry run. */
async function tryByAgent(page: Page, button: RegExp): Promise<void> {
  await panel(page).getByRole("button", { name: button }).click({ timeout: PAGE_TIMEOUT_MS });
  // A machine that carries three clusters may answer later than a page waits: a person would try again too.
  await expect(async () => {
    await sheet(page).getByRole("button", { name: /^Dry run/ }).click({ timeout: ASKED_TIMEOUT_MS });
    await expect(listed(page, "Would be touched")).toBeVisible({ timeout: ASKED_TIMEOUT_MS });
  }).toPass({ timeout: 4 * ASKED_TIMEOUT_MS });
}

const sickOf = (of: Product, cause: string): Promise<string> => until(`the node with ${cause}`, PAGE_TIMEOUT_MS, async () => (await of.api<Fleet>("/api/v1/fleet")).nodes.find((one) => one.causes.some(({ code }) => code === cause))?.name);
const runOf = async (of: Product): Promise<ActionRunDetail> => {
  const [run] = (await of.api<ActionRuns>("/api/v1/actions")).items;
  if (run === undefined) throw new Error("no run was made");
  return of.api<ActionRunDetail>(`/api/v1/actions/${run.requestId}`);
};
const open = async (page: Page, of: Product, name: string): Promise<void> => {
  await page.goto(`${of.url}/nodes/${name}`);
  await expect(panel(page).getByRole("button", { name: /^Remove dead sandboxes/ })).toBeVisible({ timeout: PAGE_TIMEOUT_MS });
};

/** As the action's page advises: the successor's installer tries at once, without a back-off of up to five minutes. */
const deleteDaemonPod = async (of: Product, name: string): Promise<void> => {
  const pod = await until("the daemon's pod", PAGE_TIMEOUT_MS, async () => (await of.api<NodeDetail>(`/api/v1/nodes/${name}`)).daemons[0]?.pod);
  // As server/simulator/kubeconfig.ts writes it, the administrator first.
  const { clusters, users } = load(readFileSync(simulatedKubeconfig(of.dataDir), "utf8")) as { readonly clusters: readonly [{ readonly cluster: Readonly<Record<"server" | "certificate-authority-data", string>> }]; readonly users: readonly [{ readonly user: { readonly token: string } }] };
  const [{ cluster }] = clusters;
  const api = client(cluster.server, Buffer.from(cluster["certificate-authority-data"], "base64").toString("utf8"), users[0].user.token);
  try {
    expect((await api.ask(`/api/v1/namespaces/kube-system/pods/${pod}`, { method: "DELETE" })).status).toBeLessThan(300);
  } finally {
    await api.close();
  }
};

let sick: string;
let stormy: string;

test("an action that its agent does not allow is greyed with that reason, and refused when it is asked for all the same", async ({ page }) => {
  const [edge = ""] = (await until("the fleet", PAGE_TIMEOUT_MS, async () => ((await deadlock.api<Fleet>("/api/v1/fleet")).nodes.length === 6 ? deadlock.api<Fleet>("/api/v1/fleet") : undefined))).nodes.flatMap(({ name, pool }) => (pool === "edge" ? [name] : []));
  await until("the agent's word", PAGE_TIMEOUT_MS, async () => (await deadlock.api<ActionOffers>(`/api/v1/nodes/${edge}/actions`)).nodeOffers.find(({ action, allowed }) => action === "purge-dead-sandboxes" && allowed));
  await open(page, deadlock, edge);
  const button = panel(page).getByRole("button", { name: /^Move the busy program aside/ });
  await expect(button).toHaveAttribute("aria-disabled", "true");
  await expect(button).toHaveAccessibleDescription(/was not started with --enable-actions move-busy-shim-aside/);
  await expect(panel(page).getByRole("button", { name: /^Remove dead sandboxes/ })).not.toHaveAttribute("aria-disabled");
  const answer = await fetch(`${deadlock.url}/api/v1/nodes/${edge}/actions/dry-run`, { method: "POST", headers: { "content-type": "application/json", origin: deadlock.url }, body: JSON.stringify({ action: "move-busy-shim-aside", params: {} }) });
  expect(answer.status).toBe(422);
  expect(await answer.text()).toContain("--enable-actions move-busy-shim-aside");
});

test("dead sandboxes are listed one by one, one at a time by default, and the plan says that a buried daemon will let few of them go", async ({ page }) => {
  stormy = await until("the stormy node", PAGE_TIMEOUT_MS, async () => (await storm.api<Fleet>("/api/v1/fleet")).nodes.find((one) => one.answer.state === "no")?.name);
  await open(page, storm, stormy);
  await tryByAgent(page, /^Remove dead sandboxes/);
  await expect(sheet(page)).toContainText("Each removal calls the network plugin.");
  await expect(sheet(page)).toContainText("The CNI daemon does not keep up with its calls.");
  await expect(sheet(page).getByRole("button", { name: "1 at a time" })).toHaveAttribute("aria-pressed", "true");
  await expect(listed(page, "Would be touched")).toContainText("its pod is gone");
  await expectClean(page, "the sheet of sandboxes that would be taken away");
  await sheet(page).getByRole("button", { name: "Run on 1 node" }).click();
  await expect(sheet(page)).toContainText("Closing this panel stops nothing.");
});

test("moving a busy shim aside: the plan says that calls fail until the installer's next try, the list names the file and who runs it", async ({ page }) => {
  sick = await sickOf(deadlock, "install-deadlock");
  await open(page, deadlock, sick);
  await tryByAgent(page, /^Move the busy program aside.*a cause asks for it/);
  await expect(sheet(page)).toContainText("Until the installer's next try there is no multus-shim.");
  await expect(sheet(page)).toContainText("Every ADD and DEL on this node fails in that time.");
  await expect(listed(page, "Would be touched")).toContainText(BUSY);
  await expect(listed(page, "Would be touched")).toContainText(/process(es)? \d+.* runs? it/);
  await expectClean(page, "the sheet of a file that would be moved");
  await sheet(page).getByRole("button", { name: "Run on 1 node" }).click();
  await expect(sheet(page)).toContainText("Closing this panel stops nothing.");
  await until("the agent's taking of it", PAGE_TIMEOUT_MS, async () => ((await runOf(deadlock)).work?.state === "taken" ? true : undefined));
  await deleteDaemonPod(deadlock, sick);
});

test("moving broken cache entries: exactly the listed ones are in the quarantine, and what they held up goes on", async ({ page }) => {
  const name = await sickOf(broken, "cni-cache-broken");
  await open(page, broken, name);
  await tryByAgent(page, /^Move broken entries/);
  await expect(sheet(page)).toContainText("The teardown of its sandbox goes on without it.");
  await expect(listed(page, "Would be touched")).toContainText(/\/var\/lib\/cni\/(results|multus)\/\S+/);
  const wanted = await listed(page, "Would be touched").getByRole("listitem").count();
  await sheet(page).getByRole("button", { name: "Run on 1 node" }).click();
  await expect(listed(page, "Done")).toContainText("it is empty; it is now /var/lib/cni/sandglass-quarantine/", { timeout: PAGE_TIMEOUT_MS });
  await expect(outcome(page)).toContainText(/^Worked/, { timeout: VERDICT_TIMEOUT_MS });
  const { work } = await runOf(broken);
  expect(work).toMatchObject({ state: "ended", of: wanted });
  // A pod that starts over in between takes its own entry away.
  expect(work?.objects.filter(({ outcome: how, reason }) => how !== "done" && reason !== "it is gone already")).toEqual([]);
});

test("the installer of the daemon's next pod made a new shim, the old one is told by its dated name, and the node starts pods again", async ({ page }) => {
  await open(page, deadlock, sick);
  await panel(page).getByRole("button", { name: "Show run" }).click({ timeout: PAGE_TIMEOUT_MS });
  await expect(listed(page, "Done")).toContainText(/a new file stands there; the old one is \/opt\/cni\/bin\/\.multus-shim\.\d{8}T\d{6}Z\.sandglass-aside/, { timeout: VERDICT_TIMEOUT_MS });
  await expect(outcome(page)).toContainText(/^Worked/, { timeout: VERDICT_TIMEOUT_MS });
  expect((await deadlock.api<NodeDetail>(`/api/v1/nodes/${sick}`)).answer.state).toBe("yes");
});

test("what the buried daemon does not let go is left, told by its name with the runtime's own words", async ({ page }) => {
  await open(page, storm, stormy);
  await panel(page).getByRole("button", { name: "Show run" }).click();
  await expect(listed(page, "Failed")).toContainText(/, attempt \d+.*StopPodSandbox failed: .*deadline exceeded/i, { timeout: PAGE_TIMEOUT_MS });
  await expectClean(page, "the sheet of what an agent did");
  const { work } = await runOf(storm);
  const failed = work?.objects.filter(({ outcome: how }) => how === "failed") ?? [];
  const { signals } = await storm.api<NodeDetail>(`/api/v1/nodes/${stormy}`);
  expect(failed.length).toBeGreaterThan(0);
  expect(signals.find(({ signal }) => signal === "sandbox.dead")?.value).toBeGreaterThan(failed.length);
});
