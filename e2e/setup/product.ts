import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { freePort } from "../../server/dev/free-port";
import { NODE_FLAGS } from "../../server/dev/paths.mjs";
import type { Cluster } from "./cluster";

const ROOT = path.resolve(import.meta.dirname, "../..");
/** The project's own Node. */
export const NODE = path.join(ROOT, "node_modules/node/bin/node");
export const BUNDLE = path.join(ROOT, "dist/main.mjs");
const START_TIMEOUT_MS = 60_000;
/** For every test that only wants it gone; what is promised of an end is held in `serve.spec.ts`. */
const STOP_TIMEOUT_MS = 30_000;

/** The kubeconfig of the simulated cluster that runs with this data folder; of several, the one that started last. */
export function simulatedKubeconfig(dataDir: string): string {
  const folder = path.join(dataDir, "simulated");
  const newest = readdirSync(folder).filter((name) => name.startsWith("run-")).sort().at(-1);
  if (newest === undefined) throw new Error(`no simulated cluster runs with ${dataDir}`);
  return path.join(folder, newest, "kubeconfig");
}

/** The built product, started as `npm start` starts it. */
export interface Product {
  readonly url: string;
  readonly port: number;
  readonly dataDir: string;
  /** Everything that it printed so far. */
  output(): string;
  api<T>(route: string): Promise<T>;
  /** SIGTERM; resolves to the exit code. Throws where it does not end in time. */
  stop(): Promise<number | null>;
  kill(signal: NodeJS.Signals): void;
}

export async function startProduct(options: { readonly args: readonly string[]; readonly dataDir?: string; readonly port?: number }): Promise<Product> {
  const port = options.port ?? (await freePort());
  const dataDir = options.dataDir ?? (await mkdtemp(path.join(os.tmpdir(), "sandglass-data-")));
  const child = spawn(NODE, [...NODE_FLAGS, BUNDLE, "serve", "--port", String(port), "--data", dataDir, ...options.args], { stdio: ["ignore", "pipe", "pipe"] });
  let printed = "";
  child.stdout.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  const ended = once(child, "exit");
  const url = `http://localhost:${port}`;
  const stop = async (): Promise<number | null> => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill("SIGTERM");
      const late = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
      await ended;
      clearTimeout(late);
    }
    if (options.dataDir === undefined) await rm(dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    if (child.signalCode === "SIGKILL") throw new Error(`the product did not end within ${STOP_TIMEOUT_MS} ms:\n${printed}`);
    return child.exitCode;
  };
  const startedMs = Date.now();
  while (!printed.includes("Sandglass is at ")) {
    if (child.exitCode !== null || child.signalCode !== null || Date.now() - startedMs > START_TIMEOUT_MS) {
      await stop();
      throw new Error(`the product did not start:\n${printed}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return {
    url,
    port,
    dataDir,
    output: () => printed,
    api: async <T>(route: string): Promise<T> => {
      const answer = await fetch(`${url}${route}`);
      if (!answer.ok) throw new Error(`${route}: ${answer.status} ${await answer.text()}`);
      return (await answer.json()) as T; // the caller names the schema's type
    },
    stop,
    kill: (signal) => child.kill(signal),
  };
}

/** Options with which the product watches a test cluster as its own account, kubelets directly. */
export async function clusterArgs(cluster: Cluster): Promise<string[]> {
  return [
    "--kubeconfig", await cluster.account(),
    ...(cluster.kubeletUrl === undefined ? [] : ["--kubelet", "direct", "--kubelet-address", `node-1=${cluster.kubeletUrl}`, "--kubelet-ca", cluster.caFile]),
  ];
}

/** Polls until `look` gives something; throws with `what` and the last thing seen. */
export async function until<T>(what: string, timeoutMs: number, look: () => Promise<T | undefined>): Promise<T> {
  const endMs = Date.now() + timeoutMs;
  let last: unknown;
  for (;;) {
    try {
      const found = await look();
      if (found !== undefined) return found;
      last = undefined;
    } catch (error) {
      last = error;
    }
    if (Date.now() > endMs) throw new Error(`${what} did not come within ${timeoutMs / 1_000} s`, { cause: last });
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

/** A pod for the test node: it tolerates everything and is bound at once. */
export const probePod = (name: string, over: { readonly namespace?: string; readonly labels?: Readonly<Record<string, string>> } = {}): string =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: over.namespace ?? "default", ...(over.labels === undefined ? {} : { labels: over.labels }) },
    spec: {
      terminationGracePeriodSeconds: 0,
      nodeName: "node-1",
      tolerations: [{ operator: "Exists" }],
      containers: [{ name: "probe", image: "localhost/busybox:1", imagePullPolicy: "Never", command: ["sleep", "3600"] }],
    },
  });
