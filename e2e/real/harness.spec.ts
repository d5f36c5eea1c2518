import { expect, test } from "../setup/test";
import { execFile } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { promisify } from "node:util";
import { clusterMissing, startCluster, type Cluster } from "../setup/cluster";

const options = { node: true, runtimeTimeout: "20s" };
const missing = clusterMissing(options);
test.skip(missing !== undefined, missing);
test.describe.configure({ mode: "serial" });

const FORBIDDEN = [
  ["get", "secrets"],
  ["create", "pods/exec"],
  ["get", "nodes/proxy"],
  ["delete", "pods"],
  ["patch", "daemonsets.apps"],
] as const;

let cluster: Cluster;
test.beforeAll(async () => {
  cluster = await startCluster(options);
});
test.afterAll(async () => {
  await cluster?.stop();
});

test("the node is Ready and its kubelet answers on its own port", async () => {
  expect(await cluster.kubectl(["get", "nodes", "-o", "name"])).toBe("node/node-1\n");
  expect(cluster.kubeletUrl).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
});

test("the account of deploy/rbac.yaml may look and ask, and nothing else", async () => {
  const account = await cluster.account();
  const may = async (verb: string, resource: string) => {
    const [name = "", subresource] = resource.split("/");
    const question = ["auth", "can-i", verb, name, "--all-namespaces", ...(subresource === undefined ? [] : [`--subresource=${subresource}`])];
    // kubectl answers "no" with exit code 1.
    return cluster.kubectl(["--kubeconfig", account, ...question], { allowFailure: true });
  };
  for (const resource of ["nodes", "pods", "events", "daemonsets.apps", "poddisruptionbudgets.policy"])
    expect.soft(await may("watch", resource), resource).toBe("yes\n");
  for (const [verb, resource] of FORBIDDEN) expect.soft(await may(verb, resource), `${verb} ${resource}`).toBe("no\n");
});

test("a stranger may not even list the nodes", async () => {
  const stranger = await cluster.stranger();
  await expect(cluster.kubectl(["--kubeconfig", stranger, "get", "nodes"])).rejects.toThrow(/forbidden/i);
});

test("the end of a process that ended by itself between the look and the signal is no failure", async () => {
  // `kill` here ends the process first and then finds nothing, as where another hand was quicker.
  const script = `set -euo pipefail
    . "$1/lib.sh"
    launch brief sleep 600
    kill() { builtin kill -KILL "$2"; while [ -e "/proc/$2" ] && ! grep -q '^State:.Z' "/proc/$2/status"; do sleep 0.05; done; return 1; }
    stop brief KILL
    ! running brief && echo ended`;
  const { stdout } = await promisify(execFile)("bash", ["-c", script, "harness", path.resolve(import.meta.dirname, "../cluster")], { env: { ...process.env, ...cluster.env } });
  expect(stdout).toBe("ended\n");
});

test("a process on the node reaches a port outside through the reverse forward", async () => {
  const server = createServer((_, response) => response.end("from outside"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const address = await cluster.reverse((server.address() as AddressInfo).port, 7443);
    expect(await cluster.enter(["busybox", "wget", "-qO-", `http://${address}/`])).toBe("from outside");
  } finally {
    server.close();
  }
});
