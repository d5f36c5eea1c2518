import { configChanges } from "../../agent/conf/changes";
import { configFilesReader } from "../../agent/conf/config-files";
import { CRI_DEADLINE_MS } from "../../agent/cri-error";
import type { NodeAction } from "../../domain/actions/work-order";
import { AGENT_REPORT_VERSION, type AgentReport, type LostReports, type SandboxReading, type SocketReading } from "../../domain/agent-report";
import type { ConfDir } from "../../agent/config";
import { canonicalSocketPath, KNOWN_SOCKETS } from "../../domain/known-sockets";
import { SOCKET_PATH } from "../model/files";
import { DEFAULT_RUNTIME_REQUEST_TIMEOUT_MS } from "../model/parameters";
import { knowsReadinessPath } from "../model/images";
import type { NodeModel } from "../model/node";
import type { SandboxRecord } from "../model/records";
import { CNI_NOT_INITIALIZED } from "../model/texts";
import { RUNTIME_VERSION } from "../objects/node";
import { binaries } from "./agent/binaries";
import { caches } from "./agent/caches";
import { cgroups } from "./agent/cgroups";
import { confDir, configFiles, configReading, type ConfMemory } from "./agent/conf";
import { mounts, processes, socketInode, socketUse } from "./agent/processes";

/** The agent waits this long for a health path. */
const PROBE_TIMEOUT_SECONDS = 5;
const CRI_SOCKET = "/run/containerd/containerd.sock";
const OTHER_ANSWER_SECONDS = 0.004;
const LIST_BASE_SECONDS = 0.003;
const LIST_SECONDS_PER_SANDBOX = 0.00004;

export interface AgentLife {
  readonly startId: string;
  readonly sequence: number;
  readonly agentVersion: string;
  /** Orders that it takes; absent where it takes none. */
  readonly actions?: readonly NodeAction[];
}

/** What an agent remembers from one report to the next, and what the server has told it. */
export interface AgentMemory {
  readonly conf: ConfMemory;
  nadPluginTypes: readonly string[];
  /** It keeps nothing to send later: a report that could not be sent made room at once. */
  lost: LostReports;
}

export const agentMemory = (): AgentMemory => ({ conf: { files: configFilesReader(), changes: configChanges() }, nadPluginTypes: [], lost: { thinned: 0, tooOld: 0 } });

/** What an agent on this node would read now, out of the model's own state. */
export function agentReport(node: NodeModel, life: AgentLife, memory: AgentMemory = agentMemory()): AgentReport {
  const runtime = runtimePart(node);
  const dir = confDir(node);
  return {
    version: AGENT_REPORT_VERSION,
    node: node.parameters.name,
    startId: life.startId,
    sequence: life.sequence,
    atMs: Math.round(node.engine.nowMs),
    agentVersion: life.agentVersion,
    ...(life.actions === undefined ? {} : { actions: life.actions }),
    lostReports: memory.lost,
    runtime,
    sandboxes: sandboxesPart(node),
    sockets: { looked: true, items: [criSocket(node), daemonSocket(node), ...otherSockets(node, dir)] },
    config: { looked: true, reading: configReading(node, dir) },
    ...configFiles(node, dir, runtime, memory.conf),
    binaries: binaries(node, dir, memory.nadPluginTypes),
    cgroups: cgroups(node),
    processes: processes(node),
    socketUse: socketUse(node),
    mounts: mounts(node),
    caches: caches(node),
    kubelet: { looked: true, reading: kubeletReading(node) },
  };
}

export const noAnswer = (call: string): { readonly looked: false; readonly reason: string } => ({ looked: false, reason: `${CRI_SOCKET}: no answer to ${call} in ${CRI_DEADLINE_MS / 1_000} s` });

function runtimePart(node: NodeModel): AgentReport["runtime"] {
  if (node.runtime.frozen) return noAnswer("Version");
  const initialized = node.loader.loaded !== undefined;
  return {
    looked: true,
    reading: {
      name: "containerd",
      version: RUNTIME_VERSION,
      conditions: [
        { type: "RuntimeReady", status: true, reason: "", message: "" },
        initialized ? { type: "NetworkReady", status: true, reason: "", message: "" } : { type: "NetworkReady", status: false, reason: "NetworkPluginNotReady", message: `Network plugin returns error: ${CNI_NOT_INITIALIZED}` },
      ],
    },
  };
}

function sandboxesPart({ runtime }: NodeModel): AgentReport["sandboxes"] {
  if (runtime.frozen) return noAnswer("ListPodSandbox");
  const items = [...runtime.sandboxes.values()].map(sandboxReading);
  return { looked: true, items, tookSeconds: listSeconds(runtime.sandboxes.size), truncated: false };
}

const listSeconds = (count: number): number => LIST_BASE_SECONDS + count * LIST_SECONDS_PER_SANDBOX;

export const sandboxReading = (s: SandboxRecord): SandboxReading => ({
  id: s.id,
  namespace: s.namespace,
  name: s.podName,
  uid: s.podUid,
  attempt: s.attempt,
  ready: s.state === "ready",
  // The runtime's own time of a sandbox in an unknown state is nonsense, and the agent leaves it out.
  ...(s.state === "unknown" ? {} : { createdMs: Math.round(s.createdMs) }),
});

function criSocket({ runtime }: NodeModel): SocketReading {
  const base = { name: "cri", path: CRI_SOCKET };
  if (runtime.frozen) return { ...base, state: "silent", detail: noAnswer("ListPodSandbox").reason };
  return { ...base, state: "answers", latencySeconds: listSeconds(runtime.sandboxes.size), detail: "ListPodSandbox" };
}

/** The socket is removed in good order; after a kill its file stays and nobody listens, nor at one that was put in its place. */
function daemonSocket(node: NodeModel): SocketReading {
  const { files, daemon } = node;
  const base = { name: "multus", path: SOCKET_PATH, ...socketInode(node) };
  if (files.socket === undefined) return { ...base, state: "absent", detail: "nothing at this path" };
  if (daemon.state === "down" || files.socket.file.inode !== daemon.listensAt) return { ...base, state: "refuses", detail: "ECONNREFUSED" };
  const latencySeconds = daemon.healthSeconds();
  if (latencySeconds > PROBE_TIMEOUT_SECONDS) return { ...base, state: "silent", detail: `connected, no answer in ${PROBE_TIMEOUT_SECONDS} s` };
  const status = daemon.state === "draining" ? "500" : "200";
  return { ...base, state: "answers", latencySeconds, detail: knowsReadinessPath(daemon.version) ? `${status} on /readyz` : `404 on /readyz, ${status} on /healthz` };
}

/** Sockets of other CNIs' agents, as far as a config here names them. */
function otherSockets(node: NodeModel, dir: ConfDir): readonly SocketReading[] {
  const paths = new Set(dir.files.flatMap(({ config }) => (config.usable ? config.sockets : [])));
  const answering = new Set([...node.host.otherSockets].map(canonicalSocketPath));
  return [...paths].filter((path) => path !== SOCKET_PATH).map((path): SocketReading => {
    const known = KNOWN_SOCKETS.find((one) => canonicalSocketPath(one.path) === path);
    const base = { name: known?.name ?? path, path };
    return answering.has(path) ? { ...base, state: "answers", latencySeconds: OTHER_ANSWER_SECONDS, detail: `200 on ${known?.healthPaths[0] ?? "/"}` } : { ...base, state: "absent", detail: "nothing at this path" };
  });
}

function kubeletReading({ parameters: { runtimeRequestTimeoutMs } }: NodeModel): { readonly runtimeRequestTimeoutSeconds: number; readonly timeoutFrom: string } {
  const timeoutFrom = runtimeRequestTimeoutMs === DEFAULT_RUNTIME_REQUEST_TIMEOUT_MS ? "default" : "/var/lib/kubelet/config.yaml";
  return { runtimeRequestTimeoutSeconds: runtimeRequestTimeoutMs / 1_000, timeoutFrom };
}
