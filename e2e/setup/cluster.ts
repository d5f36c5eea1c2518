import { execFile, spawn, type ChildProcess, type ExecFileException } from "node:child_process";
import { accessSync, constants, existsSync, readFileSync } from "node:fs";
import { mkdtemp, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";

/** One running cluster of `e2e/cluster`, with what a test needs to look at it, break it and end it. */
export interface Cluster {
  /** Its folder: `log/` holds what every part of it wrote. */
  readonly dir: string;
  /** Path of the administrator's kubeconfig. */
  readonly kubeconfig: string;
  /** The kubelet's own port as seen from here (`https://127.0.0.1:PORT`); undefined without a node. */
  readonly kubeletUrl: string | undefined;
  /** Path of the authority that signed the API server's and the kubelet's certificates. */
  readonly caFile: string;
  /** What `eval "$(e2e/cluster/env)"` would set, and the cluster's folder. */
  readonly env: Readonly<Record<string, string>>;
  kubectl(args: readonly string[], options?: CommandOptions): Promise<string>;
  /** Applies one manifest (YAML or JSON text). */
  apply(manifest: string): Promise<void>;
  /** Runs a command on the node and returns what it printed; throws with its stderr where it failed. */
  enter(args: readonly string[], options?: CommandOptions): Promise<string>;
  /** Starts a command on the node and leaves it running; `down` ends it with the node. */
  enterAndStay(args: readonly string[], options?: CommandOptions): ChildProcess;
  /** Breaks or mends the node's network; the names are at the top of `e2e/cluster/fault`. */
  fault(name: string, options?: CommandOptions): Promise<void>;
  /** Opens a loopback port on the node that leads to this port on 127.0.0.1 outside; returns the node's address of it. */
  reverse(port: number, insidePort?: number): Promise<string>;
  /** Path of a kubeconfig that acts as the account of `deploy/rbac.yaml`, which is applied first. */
  account(): Promise<string>;
  /** Path of a kubeconfig of a service account that has no rights beyond everybody's. */
  stranger(): Promise<string>;
  stop(): Promise<void>;
}

export interface ClusterOptions {
  /** A real kubelet and containerd too (root, cgroup v1). */
  readonly node?: boolean;
  /** The kubelet's `runtimeRequestTimeout`, such as `20s`; its deadline for a sandbox is twice that. */
  readonly runtimeTimeout?: string;
  /** `false` leaves out the controller manager and the scheduler. */
  readonly controllers?: boolean;
  /** Further flags of the API server. */
  readonly apiserverFlags?: string;
}

export interface CommandOptions {
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
  /** Resolves with what was printed also where the command's exit code is not 0. */
  readonly allowFailure?: boolean;
}

const ROOT = path.resolve(import.meta.dirname, "../..");
const SCRIPTS = path.join(ROOT, "e2e/cluster");
const CACHE = process.env.SANDGLASS_CLUSTER_CACHE ?? path.join(os.homedir(), ".cache/sandglass-cluster");
const UP_TIMEOUT_MS = 300_000;
/** More than what any command waits for by itself (`kubectl wait --timeout`), so that its own words are told. */
const COMMAND_TIMEOUT_MS = 180_000;
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
const TOKEN_SECONDS = 3600;
const NAMESPACE = "sandglass";

/** Why no such cluster can be started here, as a sentence for the skipped test; undefined where it can. */
export function clusterMissing(options: ClusterOptions = {}): string | undefined {
  const unbuilt = ["etcd", "kube-apiserver", "kubectl", ...(options.node ? ["kubelet", "pause", "cni/bridge"] : [])].filter((program) => !existsSync(path.join(CACHE, "bin", program)));
  if (unbuilt.length > 0) return `the test cluster is not built (${unbuilt.join(", ")}): run npm test -- --real`;
  const missing = ["openssl", ...(options.node ? ["containerd", "runc", "busybox", "ip", "nsenter"] : [])].filter((program) => !onPath(program));
  if (missing.length > 0) return `programs are missing: ${missing.join(", ")}`;
  if (!options.node) return undefined;
  if (process.getuid?.() !== 0) return "a real node needs root";
  if (!existsSync("/sys/fs/cgroup/memory")) return "a real node needs cgroup v1 so far";
  return undefined;
}

export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const reason = clusterMissing(options);
  if (reason !== undefined) throw new Error(`no cluster: ${reason}`);
  const dir = await mkdtemp(path.join(os.tmpdir(), "sandglass-cluster-"));
  const settings = {
    SANDGLASS_CLUSTER_DIR: dir,
    SANDGLASS_CLUSTER_CACHE: CACHE,
    ...(options.runtimeTimeout === undefined ? {} : { SANDGLASS_CLUSTER_RUNTIME_TIMEOUT: options.runtimeTimeout }),
    ...(options.apiserverFlags === undefined ? {} : { SANDGLASS_CLUSTER_APISERVER_FLAGS: options.apiserverFlags }),
  };
  const script = (name: string, args: readonly string[], extra: CommandOptions = {}) =>
    run(path.join(SCRIPTS, name), args, { ...extra, env: { ...settings, ...extra.env } });
  const stop = async () => void (await script("down", []));
  try {
    await script("up", [...(options.node ? ["--node"] : []), ...(options.controllers === false ? ["--no-controllers"] : [])], { timeoutMs: UP_TIMEOUT_MS });
  } catch (error) {
    await stop();
    throw error;
  }

  const kubeconfig = path.join(dir, "conf/admin.kubeconfig");
  const kubeletUrl = /SANDGLASS_KUBELET=(\S+)/.exec(readFileSync(path.join(dir, "env"), "utf8"))?.[1];
  const kubectl = (args: readonly string[], extra?: CommandOptions) => run(path.join(CACHE, "bin/kubectl"), ["--kubeconfig", kubeconfig, "--cache-dir", path.join(dir, "kubectl-cache"), ...args], extra);
  const apply = async (manifest: string) => void (await kubectl(["apply", "-f", "-"], { input: manifest }));
  const actingAs = async (account: string) => {
    const token = (await kubectl(["-n", NAMESPACE, "create", "token", account, `--duration=${TOKEN_SECONDS}s`])).trim();
    const file = path.join(dir, "conf", `${account}.kubeconfig`);
    await writeFile(file, JSON.stringify(withToken(await kubectl(["config", "view", "--raw", "-o", "json"]), account, token)), { mode: 0o600 });
    return file;
  };
  return {
    dir,
    kubeconfig,
    kubeletUrl,
    caFile: path.join(dir, "pki/ca.crt"),
    env: {
      ...settings,
      KUBECONFIG: kubeconfig,
      PATH: `${path.join(CACHE, "bin")}:${process.env.PATH ?? ""}`,
      ...(kubeletUrl === undefined ? {} : { SANDGLASS_KUBELET: kubeletUrl }),
    },
    kubectl,
    apply,
    enter: (args, extra) => script("enter", args, extra),
    enterAndStay: (args, extra = {}) =>
      spawn(path.join(SCRIPTS, "enter"), args, { env: { ...process.env, ...settings, ...extra.env }, stdio: ["ignore", "pipe", "pipe"] }),
    fault: async (name, extra) => void (await script("fault", [name], extra)),
    reverse: async (port, insidePort) => (await script("reverse", [String(port), ...(insidePort === undefined ? [] : [String(insidePort)])])).trim(),
    account: async () => {
      await kubectl(["apply", "-f", path.join(ROOT, "deploy/rbac.yaml")]);
      return actingAs("sandglass");
    },
    stranger: async () => {
      await apply(JSON.stringify({ apiVersion: "v1", kind: "Namespace", metadata: { name: NAMESPACE } }));
      await apply(JSON.stringify({ apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "stranger", namespace: NAMESPACE } }));
      return actingAs("stranger");
    },
    stop,
  };
}

/** The administrator's kubeconfig with its user exchanged for one that shows a token. */
function withToken(admin: string, name: string, token: string): unknown {
  const config: unknown = JSON.parse(admin);
  if (typeof config !== "object" || config === null || !("clusters" in config)) throw new Error("kubectl config view gave no clusters");
  return {
    ...config,
    contexts: [{ name: "test", context: { cluster: "test", user: name } }],
    users: [{ name, user: { token } }],
  };
}

function onPath(program: string): boolean {
  return (process.env.PATH ?? "").split(":").some((folder) => {
    try {
      accessSync(path.join(folder, program), constants.X_OK);
      return true;
    } catch (error) {
      if (error instanceof Error && "code" in error) return false;
      throw error;
    }
  });
}

function run(file: string, args: readonly string[], options: CommandOptions = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      file,
      args,
      { env: { ...process.env, ...options.env }, timeout: options.timeoutMs ?? COMMAND_TIMEOUT_MS, maxBuffer: MAX_OUTPUT_BYTES },
      (error, stdout, stderr) => {
        if (error === null || (options.allowFailure === true && typeof error.code === "number")) resolve(stdout);
        else reject(new Error(`${path.basename(file)} ${args.join(" ")} (${ending(error)}): ${stderr.trim() || "it printed no error"}`, { cause: error }));
      },
    );
    // A command may end before it has read its input, and one without need of it often does: its exit code tells.
    child.stdin?.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") reject(error);
    });
    child.stdin?.end(options.input ?? "");
  });
}

function ending({ code, killed, signal }: ExecFileException): string {
  if (killed === true) return "ended by us: too late, or too much output";
  return signal == null ? `exit code ${String(code)}` : String(signal);
}
