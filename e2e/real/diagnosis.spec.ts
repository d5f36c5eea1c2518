import { execFileSync } from "node:child_process";
import path from "node:path";
import type { NodeDetail } from "@/server/contract/schemas";
import { freePort } from "../../server/dev/free-port";
import { clusterMissing, startCluster, type Cluster } from "../setup/cluster";
import { BUNDLE, clusterArgs, probePod, startProduct, until, type Product } from "../setup/product";
import { expect, test } from "../setup/test";

/**
 * Every fault of `e2e/cluster/fault` named from what a real API server, kubelet and agent tell, at the default thresholds. Two pods are
 * made while the fault holds; the cause must be named, and be the only root that blocks, within the bound; mended, it must be gone.
 */
const options = { node: true };
const missing = clusterMissing(options);
test.skip(missing !== undefined, missing);
test.describe.configure({ mode: "default" });

const NODE = path.resolve(import.meta.dirname, "../../node_modules/node/bin/node");
/** The default dwell of a stuck pod is 90 s; two periods of the slowest source come on top. */
const NAMED_WITHIN_MS = 150_000;
const CLEAR_WITHIN_MS = 150_000;

let cluster: Cluster;
let product: Product;
test.beforeAll(async () => {
  cluster = await startCluster(options);
  const agentPort = await freePort();
  product = await startProduct({ args: [...(await clusterArgs(cluster)), "--agent-port", String(agentPort)] });
  const tokenFile = execFileSync(NODE, [BUNDLE, "agent-token", "node-1", "--data", product.dataDir], { encoding: "utf8" }).trim();
  const inside = await cluster.reverse(agentPort);
  cluster.enterAndStay([NODE, BUNDLE, "agent", "--push", `https://${inside}`, "--token-file", tokenFile, "--ca-file", path.join(product.dataDir, "agents/ca.crt"), "--node", "node-1"]);
  await until("the agent's first report", 60_000, async () => ((await node()).sources.find(({ source }) => source === "agent")?.freshness === "fresh" ? true : undefined));
});
test.afterAll(async () => {
  await product?.stop();
  await cluster?.stop();
});

const node = () => product.api<NodeDetail>("/api/v1/nodes/node-1");
/** Roots that keep pods from starting, and those that put it at risk. */
const roots = (detail: NodeDetail): readonly string[] => detail.diagnosis.causes.filter(({ severity }) => severity !== "notice").map(({ code, detail: kind, certainty }) => `${code}${kind === undefined ? "" : `/${kind}`} ${certainty}`);
const told = (detail: NodeDetail): string => JSON.stringify({ answer: detail.answer.summary, causes: detail.diagnosis.causes.map(({ code, certainty, summary, consequences }) => [code, certainty, summary, consequences.map((one) => one.code)]), unknown: detail.diagnosis.unknown });

let pods = 0;
async function twoPods(): Promise<void> {
  for (let i = 0; i < 2; i++) await cluster.apply(probePod(`probe-${++pods}`));
}

async function clear(): Promise<void> {
  await cluster.fault("none");
  await cluster.kubectl(["delete", "pod", "--all", "--wait=false", "--grace-period=1"]);
  await cluster.apply(probePod(`well-${++pods}`));
  const last = await until("a node that starts pods and has no cause", CLEAR_WITHIN_MS, async () => {
    const detail = await node();
    return detail.answer.state === "yes" && detail.counts.waiting === 0 && roots(detail).length === 0 ? detail : undefined;
  }).catch(async (cause: unknown) => {
    throw new Error(`not clear: ${told(await node())}`, { cause });
  });
  expect(last.diagnosis.suspended).toEqual([]);
}

const FAULTS: readonly (readonly [fault: string, cause: string])[] = [
  ["missing-binary", "plugin-binary-missing"],
  ["missing-config", "cni-config-missing"],
  ["unnoticed-config", "cni-config-unnoticed"],
  ["bad-config", "cni-config-invalid"],
  ["no-addresses", "ipam-exhausted"],
  ["daemon-dead", "daemon-down"],
  ["daemon-gone", "daemon-down"],
  ["daemon-slow", "daemon-slow"],
  ["runtime-dead", "runtime-stuck-or-slow"],
];

test.beforeEach(() => clear());

for (const fault of ["none", "daemon"]) {
  test(`${fault}: pods start, and no cause is named`, async () => {
    await cluster.fault(fault);
    await twoPods();
    await until("both pods", 60_000, async () => ((await node()).counts.waiting === 0 ? true : undefined));
    await new Promise((resolve) => setTimeout(resolve, 20_000)); // two reports and a scrape later
    const detail = await node();
    expect(detail.answer.state, told(detail)).toBe("yes");
    expect(roots(detail), told(detail)).toEqual([]);
  });
}

for (const [fault, cause] of FAULTS) {
  test(`${fault}: ${cause} is named, and nothing else`, async () => {
    await cluster.fault(fault);
    await twoPods();
    const seen: string[] = [];
    const detail = await until(cause, NAMED_WITHIN_MS, async () => {
      const now = await node();
      seen.push(roots(now).join(", "));
      return now.diagnosis.causes.some(({ code, certainty }) => code === cause && certainty === "named") ? now : undefined;
    }).catch(async (error: unknown) => {
      throw new Error(`not named; ${told(await node())}`, { cause: error });
    });
    expect([...new Set(detail.diagnosis.causes.filter(({ severity, certainty }) => severity !== "notice" && certainty === "named").map(({ code }) => code))], told(detail)).toEqual([cause]);
  });
}
