import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import type { Page } from "@playwright/test";
import type { ActionOffers, ActionPlan, ActionRunOut, ActionRuns, AuditLog, NodeDetail } from "@/server/contract/schemas";
import { clusterMissing, startCluster, type Cluster } from "../setup/cluster";
import { clusterArgs, startProduct, until, type Product } from "../setup/product";
import { burner, BURNING_SHARE } from "../setup/burner";
import { expect, test } from "../setup/test";

const options = { node: true };
const missing = clusterMissing(options);
test.skip(missing !== undefined, missing);
test.describe.configure({ mode: "serial" });

const WAIT_MS = 180_000;
/** The first check comes a minute after the change is seen. */
const VERDICT_TIMEOUT_MS = 240_000;

let data: string;
let cluster: Cluster;
let product: Product;
/** What the page sent for its run. */
let sent: object | undefined;

test.beforeAll(async () => {
  data = mkdtempSync(path.join(os.tmpdir(), "sandglass-real-actions-"));
  cluster = await startCluster(options);
  product = await startProduct({ dataDir: data, args: ["--kubeconfig", cluster.kubeconfig, "--allow-actions"] });
  await cluster.apply(burner("burning-daemon"));
});
test.afterAll(async () => {
  await product?.stop();
  await cluster?.stop();
  rmSync(data, { recursive: true, force: true });
});

const panel = (page: Page) => page.getByRole("region", { name: "What can be done" });
const sheet = (page: Page) => page.getByRole("dialog");
const node = () => product.api<NodeDetail>("/api/v1/nodes/node-1");
const runs = async (): Promise<ActionRunOut[]> => (await product.api<ActionRuns>("/api/v1/actions")).items;
const wanted = (cpuLimit: string, memoryLimit = "128Mi") => ({
  action: "set-daemon-resources", namespace: "kube-system", daemonSet: "burning-daemon", params: { container: "burn", cpuLimit, memoryRequest: "32Mi", memoryLimit },
});
const post = (target: Product, route: string, body: object): Promise<Response> =>
  fetch(`${target.url}/api/v1/nodes/node-1/actions/${route}`, { method: "POST", headers: { "content-type": "application/json", origin: target.url }, body: JSON.stringify(body) });

/** What the API server has, told by itself and not by Sandglass. */
async function stored(): Promise<{ generation: number; resources: unknown }> {
  const object = JSON.parse(await cluster.kubectl(["-n", "kube-system", "get", "daemonset", "burning-daemon", "-o", "json"])) as {
    metadata: { generation: number };
    spec: { template: { spec: { containers: [{ resources: unknown }] } } };
  };
  return { generation: object.metadata.generation, resources: object.spec.template.spec.containers[0].resources };
}

async function openValues(page: Page): Promise<void> {
  await page.goto(`${product.url}/nodes/node-1`);
  await expect(panel(page)).toContainText("burn has 100m CPU and 64 Mi", { timeout: WAIT_MS });
  await panel(page).getByRole("button", { name: "Other values…" }).click();
}

test("throttling of a real daemon that burns its limit is read, and stands on its node's page", async () => {
  await until("a throttled share", WAIT_MS, async () => (await node()).signals.find((one) => one.signal === "daemon.cpu.throttled_share" && one.state === "fresh" && (one.value ?? 0) > BURNING_SHARE));
  expect((await node()).daemons).toMatchObject([{ daemonSet: "kube-system/burning-daemon", container: "burn", cpuLimitCores: 0.1, memoryLimitBytes: 64 * 2 ** 20 }]);
});

test("a dry run asks the API server and changes nothing, and a refusal of the API server is shown in its own words", async ({ page }) => {
  const before = await stored();
  await openValues(page);
  await sheet(page).getByLabel("CPU limit", { exact: true }).fill("200m");
  await expect(sheet(page).getByRole("heading", { level: 1 })).toHaveText("Set burn to 200m CPU and 64 Mi");
  // Where one click confirms, the second click of a double click must not be it.
  await sheet(page).getByRole("button", { name: "Dry run" }).dblclick({ delay: 150 });
  await expect(sheet(page).getByText("Accepted.")).toBeVisible();
  await expect(sheet(page).getByRole("button", { name: "Run on 1 node" })).toHaveAttribute("aria-disabled", "false");
  expect(await stored()).toEqual(before);
  expect(await runs()).toEqual([]);
  const policy = { apiVersion: "admissionregistration.k8s.io/v1", kind: "ValidatingAdmissionPolicy", metadata: { name: "no-change" }, spec: { matchConstraints: { resourceRules: [{ apiGroups: ["apps"], apiVersions: ["v1"], operations: ["UPDATE"], resources: ["daemonsets"] }] }, validations: [{ expression: "false", message: "changes are frozen tonight" }] } };
  const binding = { apiVersion: "admissionregistration.k8s.io/v1", kind: "ValidatingAdmissionPolicyBinding", metadata: { name: "no-change" }, spec: { policyName: "no-change", validationActions: ["Deny"] } };
  await cluster.apply(JSON.stringify(policy));
  await cluster.apply(JSON.stringify(binding));
  try {
    // The policy is enforced once the API server has taken it up.
    await until("the policy is enforced", WAIT_MS, async () => (((await (await post(product, "dry-run", wanted("200m"))).json()) as { accepted: boolean }).accepted ? undefined : true));
    await sheet(page).getByLabel("CPU limit", { exact: true }).fill("300m");
    await sheet(page).getByRole("button", { name: /^Dry run/ }).click();
    await expect(sheet(page).getByText("Refused.")).toBeVisible();
    await expect(sheet(page)).toContainText("changes are frozen tonight");
    await expect(sheet(page).getByRole("button", { name: "Run on 1 node" })).toBeHidden();
  } finally {
    await cluster.kubectl(["delete", "validatingadmissionpolicybinding/no-change", "validatingadmissionpolicy/no-change"]);
  }
  await until("the policy is gone", WAIT_MS, async () => (((await (await post(product, "dry-run", wanted("200m"))).json()) as { accepted: boolean }).accepted ? true : undefined));
  expect(await stored()).toEqual(before);
});

test("the page changes the limits of the real DaemonSet, one click for one node, and its checks begin when the pod runs with them", async ({ page }) => {
  await openValues(page);
  await sheet(page).getByLabel("CPU limit", { exact: true }).fill("200m");
  await sheet(page).getByLabel("Memory request").fill("32Mi");
  await sheet(page).getByLabel("Memory limit").fill("128Mi");
  await expect(sheet(page).getByRole("heading", { level: 1 })).toHaveText("Set burn to 200m CPU and 128 Mi");
  await expect(sheet(page)).toContainText("PATCH /apis/apps/v1/namespaces/kube-system/daemonsets/burning-daemon");
  await sheet(page).getByRole("button", { name: "Dry run" }).click();
  await expect(sheet(page).getByText("Accepted.")).toBeVisible();
  const request = page.waitForRequest((one) => one.url().endsWith("/actions/run"));
  await sheet(page).getByRole("button", { name: "Run on 1 node" }).dblclick();
  sent = (await request).postDataJSON() as object;
  await expect(sheet(page).getByRole("status", { name: "Outcome so far" })).toBeVisible();
  await expect.poll(async () => (await stored()).resources).toEqual({ limits: { cpu: "200m", memory: "128Mi" }, requests: { cpu: "10m", memory: "32Mi" } });
  expect(await runs()).toHaveLength(1);
  await until("the change is seen on the node", WAIT_MS, async () => (await runs())[0]?.seen);
  await expect(sheet(page)).toContainText("On node-1 since");
  await expect(sheet(page)).toContainText(/\+1 min\s*(in \d|due now)/);
  expect((await node()).daemons[0]).toMatchObject({ cpuLimitCores: 0.2, memoryLimitBytes: 128 * 2 ** 20 });
  const first = await until("the first check", VERDICT_TIMEOUT_MS, async () => (await runs())[0]?.verifications.find((check) => check.verdict !== undefined));
  await expect(sheet(page)).toContainText(first.because ?? "no reason");
});

test("the request of the run, sent again, runs nothing and gives it back; its id with another plan is a conflict", async () => {
  const [made] = await runs();
  if (made === undefined || sent === undefined) throw new Error("no run was made");
  const before = await stored();
  const answer = await post(product, "run", sent);
  expect(answer.status).toBe(200);
  expect(await answer.json()).toMatchObject({ id: made.id, requestId: made.requestId, params: made.params });
  expect((await post(product, "run", { ...sent, ...wanted("300m"), version: "another" })).status).toBe(409);
  expect(await stored()).toEqual(before);
  expect(await runs()).toHaveLength(1);
});

test("a change of another hand in between is a conflict: nothing is run, and the page says what is different", async ({ page }) => {
  await page.goto(`${product.url}/nodes/node-1`);
  await panel(page).getByRole("button", { name: "Other values…" }).click();
  await sheet(page).getByLabel("CPU limit", { exact: true }).fill("150m");
  await sheet(page).getByRole("button", { name: "Dry run" }).click();
  await expect(sheet(page).getByText("Accepted.")).toBeVisible();
  await cluster.kubectl(["-n", "kube-system", "set", "resources", "daemonset/burning-daemon", "--limits=cpu=250m,memory=128Mi"]);
  const changed = await stored();
  const refused = page.waitForResponse((response) => response.url().endsWith("/actions/run"));
  await sheet(page).getByRole("button", { name: "Run on 1 node" }).click();
  expect((await refused).status()).toBe(409);
  await expect(sheet(page).getByRole("alert")).toContainText("something changed in between");
  await expect(sheet(page).getByRole("status", { name: /The plan was made anew/ })).toContainText("it had limits cpu: 200m; it has limits cpu: 250m");
  await expect(sheet(page).getByLabel("CPU limit", { exact: true })).toHaveValue("150m");
  expect(await stored()).toEqual(changed);
  expect(await runs()).toHaveLength(1);
});

test("the account of deploy/rbac.yaml may look and not act: the button is greyed with the reason, and its attempt is in the audit log beside the other's", async ({ page }) => {
  await product.stop();
  product = await startProduct({ dataDir: data, args: [...(await clusterArgs(cluster)), "--allow-actions"] });
  await page.goto(`${product.url}/nodes/node-1`);
  const button = panel(page).getByRole("button", { name: /Other values/ });
  await expect(button).toHaveAttribute("aria-disabled", "true", { timeout: WAIT_MS });
  await expect(button).toHaveAccessibleDescription(/You may not patch daemonsets in kube-system/, { timeout: WAIT_MS });
  await button.click({ force: true });
  await expect(sheet(page)).toBeHidden();

  const before = await stored();
  const offers = await product.api<ActionOffers>("/api/v1/nodes/node-1/actions");
  expect(offers.offers).toMatchObject([{ allowed: false, reason: expect.stringContaining("You may not patch daemonsets in kube-system") }]);
  const { version } = (await (await post(product, "plan", wanted("300m"))).json()) as ActionPlan;
  const answer = await post(product, "run", { ...wanted("300m"), requestId: "the-account-tries", version, confirm: "" });
  expect(answer.status).toBe(403);
  expect(await stored()).toEqual(before);

  const { items } = await product.api<AuditLog>("/api/v1/audit");
  expect(items.find((entry) => entry.requestId === "the-account-tries")).toMatchObject({ verb: "action.run", outcome: "refused", actor: expect.stringContaining("system:serviceaccount:sandglass:sandglass") });
  expect(items.filter((entry) => entry.verb === "action.run").map((entry) => entry.outcome)).toEqual(expect.arrayContaining(["allowed", "done", "refused"]));
  await page.goto(`${product.url}/audit`);
  await expect(page.getByRole("row", { name: /serviceaccount:sandglass:sandglass/ })).toContainText("refused");
  await expect(page.getByRole("row", { name: /kubernetes-admin|admin/ }).filter({ hasText: "done" }).first()).toBeVisible();
});
