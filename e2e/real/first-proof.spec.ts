import { clusterMissing, startCluster, type Cluster } from "../setup/cluster";
import { clusterArgs, probePod, startProduct, until, type Product } from "../setup/product";
import { expect, test } from "../setup/test";
import type { NodeDetail, Timeline } from "@/server/contract/schemas";

const options = { node: true };
const missing = clusterMissing(options);
test.skip(missing !== undefined, missing);
test.describe.configure({ mode: "serial" });

/** The default thresholds: stuck after 90 s, and the kubelet's own default timeout. */
const NO_WITHIN_MS = 240_000;

let cluster: Cluster;
let product: Product;
test.beforeAll(async () => {
  cluster = await startCluster(options);
  product = await startProduct({ args: await clusterArgs(cluster) });
});
test.afterAll(async () => {
  await product?.stop();
  await cluster?.stop();
});

const node = () => product.api<NodeDetail>("/api/v1/nodes/node-1");

test("a healthy pod makes the node a yes, in the browser, with its proof", async ({ page }) => {
  await cluster.apply(probePod("healthy"));
  await until("yes", 120_000, async () => ((await node()).answer.row === 5 ? true : undefined));
  await page.goto(product.url);
  await expect(page.getByRole("row", { name: /node-1/ })).toContainText("Yes");
  await page.goto(`${product.url}/nodes/node-1`);
  await expect(page.getByRole("heading", { level: 1 })).toContainText("Yes");
});

test("a missing plugin binary and two pods make it a no within 240 s, live on an open page, with the right proof", async ({ page }) => {
  await page.goto(`${product.url}/nodes/node-1`);
  await cluster.fault("missing-binary");
  await cluster.apply(probePod("stuck-1"));
  await cluster.apply(probePod("stuck-2"));
  const startedMs = Date.now();
  await expect(page.getByRole("heading", { level: 1 })).toContainText("No", { timeout: NO_WITHIN_MS });
  expect(Date.now() - startedMs).toBeLessThan(NO_WITHIN_MS);
  const { answer, counts, waitingPods } = await node();
  expect(answer).toMatchObject({ state: "no", row: 3 });
  expect(answer.summary).toMatch(/2 pods waiting/);
  expect(counts.waiting).toBe(2);
  expect(counts.stuck).toBeGreaterThanOrEqual(1); // the second pod was made a moment after the first
  expect(waitingPods.map((pod) => pod.lastError?.text ?? "").join()).toContain('failed to find plugin "bridge"');
  await expect(page.getByText('failed to find plugin "bridge"').first()).toBeVisible();
});

test("mended, it is a yes again by itself", async ({ page }) => {
  await page.goto(`${product.url}/nodes/node-1`);
  await cluster.fault("none");
  await expect(page.getByRole("heading", { level: 1 })).toContainText("Yes", { timeout: 120_000 });
  await until("nothing waits", 120_000, async () => ((await node()).counts.waiting === 0 ? true : undefined));
  await expect(page.getByRole("heading", { level: 1 })).not.toContainText("at risk");
});

test("the way from yes to no and back is in the timeline, with the kubelet's numbers beside it", async () => {
  const timeline = await product.api<Timeline>("/api/v1/nodes/node-1/timeline");
  expect(timeline.answers.map((span) => span.state)).toEqual(expect.arrayContaining(["yes", "no"]));
  const waiting = timeline.series.find((series) => series.signal === "pods.waiting");
  expect(Math.max(...(waiting?.max ?? [0]))).toBe(2);
  const errors = timeline.series.filter((series) => series.signal === "cri.run_sandbox.errors" || series.signal === "cri.stop_sandbox.errors").flatMap((series) => series.max);
  expect(Math.max(0, ...errors)).toBeGreaterThan(0);
  expect(timeline.events.map((event) => event.reason)).toContain("FailedCreatePodSandBox");
});
