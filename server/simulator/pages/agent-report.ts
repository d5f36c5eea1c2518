import { AGENT_REPORT_VERSION, type AgentReport, type ConfigReading, type SandboxReading, type SocketReading } from "../../domain/agent-report";
import { BIN_DIR, CONF_DIR, MULTUS_CONF, SOCKET_PATH } from "../model/files";
import type { NodeModel } from "../model/node";
import { CNI_NOT_INITIALIZED, SHIM } from "../model/texts";
import { RUNTIME_VERSION } from "../objects/node";

/** The agent waits this long for a health path. */
const PROBE_TIMEOUT_SECONDS = 5;
const CRI_SOCKET = "/run/containerd/containerd.sock";
const LIST_BASE_SECONDS = 0.003;
const LIST_SECONDS_PER_SANDBOX = 0.00004;
const PRIMARY_PLUGINS = ["bridge", "host-local"];

export interface AgentLife {
  readonly startId: string;
  readonly sequence: number;
  readonly agentVersion: string;
}

/** What an agent on this node would read now. */
export function agentReport(node: NodeModel, life: AgentLife): AgentReport {
  const items = [...node.runtime.sandboxes.values()].map(sandboxReading);
  const initialized = node.files.effectiveConf() !== undefined;
  const tookSeconds = LIST_BASE_SECONDS + items.length * LIST_SECONDS_PER_SANDBOX;
  return {
    version: AGENT_REPORT_VERSION,
    node: node.parameters.name,
    startId: life.startId,
    sequence: life.sequence,
    atMs: Math.round(node.engine.nowMs),
    agentVersion: life.agentVersion,
    runtime: {
      looked: true,
      reading: {
        name: "containerd",
        version: RUNTIME_VERSION,
        conditions: [
          { type: "RuntimeReady", status: true, reason: "", message: "" },
          initialized ? { type: "NetworkReady", status: true, reason: "", message: "" } : { type: "NetworkReady", status: false, reason: "NetworkPluginNotReady", message: `Network plugin returns error: ${CNI_NOT_INITIALIZED}` },
        ],
      },
    },
    sandboxes: { looked: true, items, tookSeconds, truncated: false },
    sockets: { looked: true, items: [{ name: "cri", path: CRI_SOCKET, state: "answers", latencySeconds: tookSeconds }, socketReading(node)] },
    config: { looked: true, reading: configReading(node) },
  };
}

const sandboxReading = (s: ReturnType<NodeModel["runtime"]["sandboxes"]["get"]> & object): SandboxReading => ({
  id: s.id,
  namespace: s.namespace,
  name: s.podName,
  uid: s.podUid,
  attempt: s.attempt,
  ready: s.state === "ready",
  // The runtime's own time of a sandbox in an unknown state is nonsense, and the agent leaves it out.
  ...(s.state === "unknown" ? {} : { createdMs: Math.round(s.createdMs) }),
});

/** The socket is removed in good order; after a kill its file stays and nobody listens. */
function socketReading(node: NodeModel): SocketReading {
  const base = { name: "multus", path: SOCKET_PATH };
  if (node.files.socket === undefined) return { ...base, state: "absent", detail: "ENOENT" };
  if (node.daemon.state === "down") return { ...base, state: "refuses", detail: "ECONNREFUSED" };
  const latencySeconds = node.daemon.healthSeconds();
  if (latencySeconds > PROBE_TIMEOUT_SECONDS) return { ...base, state: "silent", detail: `no answer in ${PROBE_TIMEOUT_SECONDS} s` };
  return { ...base, state: "answers", latencySeconds, detail: node.daemon.state === "draining" ? "500" : "200" };
}

function configReading(node: NodeModel): ConfigReading {
  const effectiveFile = node.files.effectiveConf();
  const byDaemon = effectiveFile === MULTUS_CONF;
  const pluginTypes = effectiveFile === undefined ? [] : byDaemon ? [SHIM] : PRIMARY_PLUGINS;
  const missingBinaries = pluginTypes.filter((type) => !node.files.bin.has(type));
  return {
    dir: CONF_DIR,
    ...(effectiveFile === undefined ? {} : { effectiveFile }),
    pluginTypes,
    sockets: byDaemon ? [SOCKET_PATH] : [],
    missingBinaries,
    ...(missingBinaries.length === 0 ? {} : { binaryProblems: missingBinaries.map((type) => `${type}: not in ${BIN_DIR}`) }),
    binDirs: [BIN_DIR],
  };
}
