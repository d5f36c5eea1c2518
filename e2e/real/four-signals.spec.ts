import { execFileSync } from "node:child_process";
import path from "node:path";
import type { NodeDetail, Timeline } from "@/server/contract/schemas";
import { clusterMissing, startCluster, type Cluster } from "../setup/cluster";
import { freePort } from "../../server/dev/free-port";
import { BUNDLE, clusterArgs, probePod, startProduct, until, type Product } from "../setup/product";
import { burner, BURNING_SHARE } from "../setup/burner";
import { expect, test } from "../setup/test";

const NODE = path.resolve(import.meta.dirname, "../../node_modules/node/bin/node");
const options = { node: true, runtimeTimeout: "20s" };
const missing = clusterMissing(options);
test.skip(missing !== undefined, missing);
test.describe.configure({ mode: "serial" });

let cluster: Cluster;
let product: Product;
test.beforeAll(async () => {
  cluster = await startCluster(options);
  const agentPort = await freePort();
  product = await startProduct({ args: [...(await clusterArgs(cluster)), "--agent-port", String(agentPort), "--stuck-after-seconds", "20"] });
  const tokenFile = execFileSync(NODE, [BUNDLE, "agent-token", "node-1", "--data", product.dataDir], { encoding: "utf8" }).trim();
  const inside = await cluster.reverse(agentPort);
  cluster.enterAndStay([
    NODE, BUNDLE, "agent", "--push", `https://${inside}`, "--token-file", tokenFile, "--ca-file", path.join(product.dataDir, "agents/ca.crt"),
    "--node", "node-1", "--period", "5s", "--socket", "daemon-shim=/run/daemon-shim/daemon.sock",
  ]);
});
test.afterAll(async () => {
  await product?.stop();
  await cluster?.stop();
});

const seriesOf = async (signal: string): Promise<number[]> => {
  const timeline = await product.api<Timeline>(`/api/v1/nodes/node-1/timeline?signals=${signal}`);
  return timeline.series.flatMap((series) => series.max);
};

test("sandbox backlog, CRI latency, CPU throttling and socket status of a real node are all stored", async () => {
  await cluster.apply(burner("burner", { hostNetwork: true }));
  await cluster.apply(probePod("fine"));
  await until("the agent's first report", 60_000, async () => ((await product.api<NodeDetail>("/api/v1/nodes/node-1")).sources.find((one) => one.source === "agent")?.freshness === "fresh" ? true : undefined));
  // A DEL that fails without its daemon leaves the failed sandboxes behind, as multus before 4.1 did.
  await cluster.fault("daemon-dead", { env: { SANDGLASS_SHIM_STRICT_DEL: "true" } });
  await cluster.apply(probePod("held-1"));
  await cluster.apply(probePod("held-2"));

  await until("throttling near 1", 180_000, async () => ((await seriesOf("daemon.cpu.throttled_share")).some((share) => share > BURNING_SHARE) ? true : undefined));
  // Only calls between two readings count, so pods are asked for until one falls between.
  let asked = 0;
  await until("latency of calls that finished", 120_000, async () => {
    if ((await seriesOf("cri.run_sandbox.p95.low")).length > 0) return true;
    await cluster.apply(probePod(`more-${asked++}`));
    await new Promise((resolve) => setTimeout(resolve, 4_000));
    return undefined;
  });
  await until("a socket that refuses", 60_000, async () => ((await seriesOf("socket.state")).some((code) => code === 2) ? true : undefined));
  await until("dead sandboxes of pods that wait", 120_000, async () => ((await seriesOf("sandbox.backlog")).some((count) => count > 0) ? true : undefined));
  expect((await seriesOf("daemon.memory.working_set")).some((bytes) => bytes > 0)).toBe(true);
});

test("the node is a no by what the agent measured: the effective plugin's socket refuses", async () => {
  const detail = await until("no", 60_000, async () => {
    const found = await product.api<NodeDetail>("/api/v1/nodes/node-1");
    return found.answer.state === "no" ? found : undefined;
  });
  expect(detail.sockets.find((socket) => socket.path === "/run/daemon-shim/daemon.sock")).toMatchObject({ state: "refuses", effective: true });
  expect(detail.config?.effectiveFile).toBe("00-daemon.conflist");
  expect(detail.answer.row).toBe(2);
});

test("mended, the same readings say yes again", async () => {
  await cluster.fault("none");
  await until("yes", 120_000, async () => ((await product.api<NodeDetail>("/api/v1/nodes/node-1")).answer.state === "yes" ? true : undefined));
});
