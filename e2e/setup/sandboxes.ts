import { execFileSync, spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, readdirSync, rmdirSync, statSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { Client, Metadata, credentials, type MethodDefinition, type ServiceDefinition } from "@grpc/grpc-js";
import { fromJSON } from "@grpc/proto-loader";
import { childrenOf, signalProcess } from "./processes";

/**
 * A containerd of its own, without a kubelet: nothing tidies up behind a test, so what is made stays as it was made. For
 * tests and benches that need many sandboxes, ready and dead, of pods that nobody runs.
 */
export interface OwnContainerd {
  /** The runtime's socket, for `agent --cri-socket`. */
  readonly socket: string;
  readonly dir: string;
  /** A sandbox on the host's network: its ADD and DEL call no plugin. Resolves to its id. */
  run(pod: SandboxOf): Promise<string>;
  /** Takes its processes and leaves the sandbox, as dead as a failed attempt. */
  kill(id: string): Promise<void>;
  /** Several at a time; ids in the order asked for. */
  runAll(pods: readonly SandboxOf[]): Promise<readonly string[]>;
  killAll(ids: readonly string[]): Promise<void>;
  list(): Promise<readonly MadeSandbox[]>;
  /** Ends containerd and every process that it started, and removes its folder. */
  stop(): Promise<void>;
}

export interface SandboxOf {
  readonly namespace?: string;
  readonly name: string;
  readonly uid: string;
  readonly attempt?: number;
  /** "pod": a network of its own, by the plugin that `options.plugin` gives. */
  readonly network?: "node" | "pod";
}

export interface MadeSandbox {
  readonly id: string;
  readonly name: string;
  readonly uid: string;
  readonly attempt: number;
  readonly ready: boolean;
  readonly createdMs: number;
}

export interface OwnContainerdOptions {
  /** Text of an executable that serves as the only CNI plugin: called as plugins are, it has to answer an ADD with an address. */
  readonly plugin?: string;
  /** The checkout, where this file does not run from its own place in it. */
  readonly root?: string;
}

const ROOT = path.resolve(import.meta.dirname, "../..");
const CACHE = process.env.SANDGLASS_CLUSTER_CACHE ?? path.join(os.homedir(), ".cache/sandglass-cluster");
const START_TIMEOUT_MS = 30_000;
const CALL_TIMEOUT_MS = 120_000;
/** More at once only make each slower. */
const AT_ONCE = 4;
const UNMOUNT_TRIES = 50;
const NAMESPACE_POD = 0;
const NAMESPACE_NODE = 2;
const NANOSECONDS_PER_MS = 1_000_000;

/** Why no such containerd can be started here, as a sentence for the skipped test; undefined where it can. */
export function containerdMissing(): string | undefined {
  if (process.getuid?.() !== 0) return "a containerd of its own needs root";
  const missing = ["containerd", "containerd-shim-runc-v2", "ctr", "runc"].filter((program) => !(process.env.PATH ?? "").split(":").some((folder) => existsSync(path.join(folder, program))));
  if (missing.length > 0) return `programs are missing: ${missing.join(", ")}`;
  const unbuilt = ["pause", "cni/loopback"].filter((program) => !existsSync(path.join(CACHE, "bin", program)));
  return unbuilt.length > 0 ? `the test cluster is not built (${unbuilt.join(", ")}): run npm test -- --real` : undefined;
}

export async function startContainerd(options: OwnContainerdOptions = {}): Promise<OwnContainerd> {
  const reason = containerdMissing();
  if (reason !== undefined) throw new Error(`no containerd: ${reason}`);
  // A socket's path has 107 bytes, and a shim's lies deeper than this folder.
  const dir = await mkdtemp(path.join(os.tmpdir(), "sandglass-cri-"));
  const socket = path.join(dir, "c.sock");
  writeFiles(dir, socket, options);
  const log = openSync(path.join(dir, "containerd.log"), "a");
  const child = spawn("containerd", ["--config", path.join(dir, "config.toml")], { stdio: ["ignore", log, log] });
  closeSync(log);
  const ended = once(child, "exit");
  const cri = criOver(socket);
  const stop = async (): Promise<void> => {
    cri.close();
    endShims(dir);
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM");
    await ended;
    await unmountBelow(dir);
    removeCgroups(cgroupOf(dir));
    await rm(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  };
  try {
    await answers(cri, child, dir);
    importPause(dir, socket, options.root ?? ROOT);
  } catch (error) {
    await stop();
    throw error;
  }
  const run = async (pod: SandboxOf): Promise<string> => {
    const answer = await cri.call("RunPodSandbox", { config: configOf(dir, pod) });
    return String((answer as { pod_sandbox_id: unknown }).pod_sandbox_id); // as the descriptor below says
  };
  const kill = async (id: string): Promise<void> => void (await cri.call("StopPodSandbox", { pod_sandbox_id: id }));
  return {
    socket,
    dir,
    run,
    kill,
    runAll: (pods) => severalAtOnce(pods, run),
    killAll: async (ids) => void (await severalAtOnce(ids, kill)),
    list: async () => {
      const { items } = (await cri.call("ListPodSandbox", {})) as { items: readonly { id: string; metadata: { name: string; uid: string; attempt: number }; state: number; created_at: number }[] };
      return items.map(({ id, metadata: { name, uid, attempt }, state, created_at: createdAt }) => ({ id, name, uid, attempt, ready: state === 0, createdMs: Math.floor(createdAt / NANOSECONDS_PER_MS) })).sort((a, b) => (a.id < b.id ? -1 : 1)); // the runtime's own order is another each time
    },
    stop,
  };
}

async function severalAtOnce<T, R>(all: readonly T[], work: (one: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = [];
  let next = 0;
  const take = async (): Promise<void> => {
    for (let at = next++; at < all.length; at = next++) {
      const one = all[at];
      if (one !== undefined) results[at] = await work(one);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, take));
  return results;
}

function writeFiles(dir: string, socket: string, { plugin }: OwnContainerdOptions): void {
  for (const folder of ["root", "state", "conf", "bin", "pause", "logs"]) mkdirSync(path.join(dir, folder));
  const config = [
    "version = 2",
    `root = "${dir}/root"`,
    `state = "${dir}/state"`,
    "oom_score = 0",
    'disabled_plugins = ["io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.devmapper", "io.containerd.snapshotter.v1.zfs", "io.containerd.snapshotter.v1.aufs", "io.containerd.internal.v1.opt", "io.containerd.tracing.processor.v1.otlp"]',
    "[grpc]",
    `  address = "${socket}"`,
    '[plugins."io.containerd.grpc.v1.cri"]',
    '  sandbox_image = "localhost/pause:1"',
    "  disable_apparmor = true",
    "  disable_hugetlb_controller = true",
    "  tolerate_missing_hugetlb_controller = true",
    "  restrict_oom_score_adj = true",
    "  netns_mounts_under_state_dir = true",
    '  [plugins."io.containerd.grpc.v1.cri".cni]',
    `    bin_dir = "${dir}/bin"`,
    `    conf_dir = "${dir}/conf"`,
    '  [plugins."io.containerd.grpc.v1.cri".containerd]',
    '    snapshotter = "overlayfs"',
    '    default_runtime_name = "runc"',
    '    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]',
    '      runtime_type = "io.containerd.runc.v2"',
    '      [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]',
    "        SystemdCgroup = false",
    "",
  ];
  writeFileSync(path.join(dir, "config.toml"), config.join("\n"));
  writeFileSync(path.join(dir, "bin/loopback"), readFileSync(path.join(CACHE, "bin/cni/loopback")), { mode: 0o755 });
  if (plugin === undefined) return;
  writeFileSync(path.join(dir, "bin/of-test"), plugin, { mode: 0o755 });
  writeFileSync(path.join(dir, "conf/10-of-test.conflist"), JSON.stringify({ cniVersion: "1.0.0", name: "of-test", plugins: [{ type: "of-test" }] }));
}

function importPause(dir: string, socket: string, root: string): void {
  writeFileSync(path.join(dir, "pause/pause"), readFileSync(path.join(CACHE, "bin/pause")), { mode: 0o755 });
  const tar = path.join(dir, "pause.tar");
  execFileSync(process.execPath, [path.join(root, "e2e/cluster/make-image.mjs"), "localhost/pause:1", tar, path.join(dir, "pause"), "/pause"]);
  execFileSync("ctr", ["--address", socket, "--namespace", "k8s.io", "images", "import", tar], { stdio: ["ignore", "ignore", "inherit"] });
}

/** All sandboxes of one runtime in one group, so that its end finds them. */
const cgroupOf = (dir: string): string => path.basename(dir);

const configOf = (dir: string, pod: SandboxOf): object => ({
  metadata: { name: pod.name, uid: pod.uid, namespace: pod.namespace ?? "default", attempt: pod.attempt ?? 0 },
  ...(pod.network === "pod" ? { hostname: pod.name } : {}), // the host's network comes with the host's name
  log_directory: path.join(dir, "logs"),
  labels: { "io.kubernetes.pod.name": pod.name, "io.kubernetes.pod.namespace": pod.namespace ?? "default", "io.kubernetes.pod.uid": pod.uid },
  linux: { cgroup_parent: `/${cgroupOf(dir)}`, security_context: { namespace_options: { network: pod.network === "pod" ? NAMESPACE_POD : NAMESPACE_NODE } } },
});

async function answers(cri: Cri, child: ChildProcess, dir: string): Promise<void> {
  const endMs = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    try {
      await cri.call("ListPodSandbox", {});
      return;
    } catch (error) {
      if (child.exitCode !== null || Date.now() > endMs) throw new Error(`containerd did not start:\n${readFileSync(path.join(dir, "containerd.log"), "utf8").slice(-2_000)}`, { cause: error });
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}

/** Shims outlive their containerd by design. Theirs are told by their address, which lies in this folder. */
function endShims(dir: string): void {
  for (const pid of processesNaming(dir)) {
    for (const child of childrenOf(pid)) signalProcess(child, "SIGKILL");
    signalProcess(pid, "SIGKILL");
  }
}

function processesNaming(dir: string): readonly number[] {
  const own = execFileSync("ps", ["-eo", "pid=,args="], { encoding: "utf8", maxBuffer: 16 * 1024 * 1024 }).split("\n");
  return own.flatMap((line) => {
    const [, pid = "", args = ""] = /^\s*(\d+)\s+(.*)$/.exec(line) ?? [];
    return args.includes("containerd-shim-runc-v2") && args.includes(path.join(dir, "c.sock")) ? [Number(pid)] : [];
  });
}

/** What the runtime mounted; it may still be unmounting some of it itself. */
async function unmountBelow(dir: string): Promise<void> {
  const left = (): readonly string[] => readFileSync("/proc/self/mountinfo", "utf8").split("\n").flatMap((line) => line.split(" ")[4] ?? []).filter((point) => point.startsWith(`${dir}/`));
  for (let tries = 0; left().length > 0; tries++) {
    if (tries === UNMOUNT_TRIES) throw new Error(`${left().length} mounts are left below ${dir}`);
    for (const point of [...left()].reverse()) spawnSync("umount", ["--lazy", point]);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function removeCgroups(name: string): void {
  for (const hierarchy of readdirSync("/sys/fs/cgroup")) removeCgroup(path.join("/sys/fs/cgroup", hierarchy, name));
  removeCgroup(path.join("/sys/fs/cgroup", name));
}

function removeCgroup(folder: string): void {
  if (!existsSync(folder) || !statSync(folder).isDirectory()) return;
  for (const entry of readdirSync(folder, { withFileTypes: true })) if (entry.isDirectory()) removeCgroup(path.join(folder, entry.name));
  rmdirSync(folder);
}

interface Cri {
  call(method: string, request: object): Promise<object>;
  close(): void;
}

function criOver(socket: string): Cri {
  const service = fromJSON(MAKING as unknown as Parameters<typeof fromJSON>[0], { keepCase: true, longs: Number, enums: Number, defaults: true })["runtime.v1.RuntimeService"] as ServiceDefinition; // named so in MAKING
  const client = new Client(`unix:${socket}`, credentials.createInsecure(), { "grpc.max_receive_message_length": 16 * 1024 * 1024, "grpc.initial_reconnect_backoff_ms": 200, "grpc.max_reconnect_backoff_ms": 500 });
  return {
    call: (name, request) => {
      const method = service[name] as MethodDefinition<object, object>; // the names above
      return new Promise((resolve, reject) => {
        client.makeUnaryRequest(method.path, method.requestSerialize, method.responseDeserialize, request, new Metadata({ waitForReady: true }), { deadline: new Date(Date.now() + CALL_TIMEOUT_MS) }, (error, value) => {
          if (error === null && value !== undefined) resolve(value);
          else reject(error ?? new Error(`${name} answered nothing`));
        });
      });
    },
    close: () => client.close(),
  };
}

/** The part of CRI v1 that makes and ends sandboxes, with the field numbers of its definition. */
const MAKING = {
  nested: {
    runtime: {
      nested: {
        v1: {
          nested: {
            RuntimeService: {
              methods: {
                RunPodSandbox: { requestType: "RunPodSandboxRequest", responseType: "RunPodSandboxResponse" },
                StopPodSandbox: { requestType: "SandboxRequest", responseType: "Nothing" },
                ListPodSandbox: { requestType: "Nothing", responseType: "ListPodSandboxResponse" },
              },
            },
            Nothing: { fields: {} },
            SandboxRequest: { fields: { pod_sandbox_id: { type: "string", id: 1 } } },
            PodSandboxMetadata: { fields: { name: { type: "string", id: 1 }, uid: { type: "string", id: 2 }, namespace: { type: "string", id: 3 }, attempt: { type: "uint32", id: 4 } } },
            NamespaceOption: { fields: { network: { type: "int32", id: 1 } } },
            LinuxSandboxSecurityContext: { fields: { namespace_options: { type: "NamespaceOption", id: 1 } } },
            LinuxPodSandboxConfig: { fields: { cgroup_parent: { type: "string", id: 1 }, security_context: { type: "LinuxSandboxSecurityContext", id: 2 } } },
            PodSandboxConfig: {
              fields: {
                metadata: { type: "PodSandboxMetadata", id: 1 },
                hostname: { type: "string", id: 2 },
                log_directory: { type: "string", id: 3 },
                labels: { keyType: "string", type: "string", id: 6 },
                linux: { type: "LinuxPodSandboxConfig", id: 8 },
              },
            },
            RunPodSandboxRequest: { fields: { config: { type: "PodSandboxConfig", id: 1 } } },
            RunPodSandboxResponse: { fields: { pod_sandbox_id: { type: "string", id: 1 } } },
            PodSandbox: { fields: { id: { type: "string", id: 1 }, metadata: { type: "PodSandboxMetadata", id: 2 }, state: { type: "int32", id: 3 }, created_at: { type: "int64", id: 4 } } },
            ListPodSandboxResponse: { fields: { items: { rule: "repeated", type: "PodSandbox", id: 1 } } },
          },
        },
      },
    },
  },
};
