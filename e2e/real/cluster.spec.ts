import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { clusterMissing, startCluster } from "../setup/cluster";
import { isAlive } from "../setup/processes";
import { until } from "../setup/product";
import { expect, test } from "../setup/test";

const scripts = path.resolve(import.meta.dirname, "../cluster");
const missing = clusterMissing({ node: true });
test.skip(missing !== undefined, missing);

test("of a cluster whose start was killed, down ends every process and takes every cgroup away", async () => {
  const dir = mkdtempSync(path.join(os.tmpdir(), "sandglass-cluster-"));
  const env = { ...process.env, SANDGLASS_CLUSTER_DIR: dir };
  const up = spawn(path.join(scripts, "up"), ["--node"], { env, stdio: "ignore" });
  const ended = once(up, "exit");
  // A name is there before its process has written its pid.
  await until("an API server", 120_000, async () => (readFileSync(path.join(dir, "pids/kube-apiserver"), "utf8") !== "" ? true : undefined));
  up.kill("SIGKILL");
  await ended;
  const pids = readdirSync(path.join(dir, "pids")).map((name) => readFileSync(path.join(dir, "pids", name), "utf8").split(" ")[0] ?? "").filter((pid) => pid !== "").map(Number);
  const groups = readFileSync(path.join(dir, "cgroups"), "utf8").trim().split("\n");
  expect(pids.filter(isAlive).length).toBeGreaterThan(2);
  await promisify(execFile)(path.join(scripts, "down"), { env });
  expect(pids.filter(isAlive)).toEqual([]);
  expect(groups.filter((group) => existsSync(group))).toEqual([]);
  expect(existsSync(dir)).toBe(false);
});

test("two clusters side by side know nothing of each other", async () => {
  const first = await startCluster({ node: true });
  try {
    const second = await startCluster({ node: true });
    try {
      await first.kubectl(["create", "namespace", "only-here"]);
      await expect(second.kubectl(["get", "namespace", "only-here"])).rejects.toThrow(/not found/);
      await first.fault("missing-config");
      expect(await first.enter(["busybox", "ls", "/etc/cni/net.d"])).toBe("");
      expect(await second.enter(["busybox", "ls", "/etc/cni/net.d"])).toContain("10-test.conflist");
    } finally {
      await second.stop();
    }
    expect(await first.kubectl(["get", "nodes", "-o", "name"])).toBe("node/node-1\n");
  } finally {
    await first.stop();
  }
});
