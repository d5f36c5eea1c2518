import { existsSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { aptInstall } from "./apt.mjs";
import { executable } from "./install.mjs";
import { inRoot } from "./paths.mjs";
import { mustRun, run, step } from "./steps.mjs";

/** What the cluster's scripts call, and the Debian package that has it. `up --node` needs those of the node as well. */
const PROGRAMS = { openssl: "openssl", jq: "jq", ip: "iproute2" };
const NODE_PROGRAMS = { containerd: "containerd", runc: "runc", busybox: "busybox-static", nsenter: "util-linux" };

const onPath = (program) => (process.env.PATH ?? "").split(":").some((folder) => executable(path.join(folder, program)));
export const clusterCache = () => process.env.SANDGLASS_CLUSTER_CACHE || path.join(os.homedir(), ".cache/sandglass-cluster");

async function installPrograms() {
  const missing = Object.entries({ ...PROGRAMS, ...(process.getuid?.() === 0 ? NODE_PROGRAMS : {}) }).filter(([program]) => !onPath(program));
  if (missing.length > 0) await aptInstall(missing.map(([, debian]) => debian));
}

/**
 * Makes the test cluster's programs where `wanted`, and where they can be made; what is in the cache is used as it is.
 * Which tests then cannot run, and why, they say themselves (`clusterMissing` in e2e/setup/cluster.ts).
 */
export async function prepareCluster({ wanted }) {
  const cached = existsSync(path.join(clusterCache(), "bin/kube-apiserver"));
  if (!wanted && !cached) return;
  await installPrograms();
  if (!onPath("go")) {
    process.stdout.write(`The test cluster is ${cached ? "used as it is" : "not built"}: there is no Go on the PATH.\n`);
    return;
  }
  const name = cached ? "Looking whether the test cluster's programs are current" : "Building the test cluster (about 12 minutes the first time)";
  await step(name, () => mustRun("e2e/cluster/build", inRoot("e2e/cluster/build"), ["control-plane", "node"], { show: !cached }));
}

/** Go's own answer for its two caches; the tests run with an empty home. */
export async function goCaches() {
  if (!onPath("go")) return {};
  const { code, output } = await run("go", ["env", "-json", "GOCACHE", "GOMODCACHE"]);
  return code === 0 ? JSON.parse(output) : {};
}
