import type { CniDaemon } from "./cni-daemons";
import type { DaemonSetObject, NodeObject, PodObject, PodRequests, Toleration } from "./model";
import { bytesWords, coresWords, lineWords, listWords, spanWords } from "./words";

/** Most nodes without a daemon that are listed by name. */
export const MAX_GAPS_NAMED = 12;
/** While a node joins, its taints come and go, and its pods are being made. */
export const JOINING_MS = 300_000;
const MAX_SCHEDULER_CHARS = 160;

/** Why a node has no pod of a daemon that runs: no room, a taint, the DaemonSet's own choice of nodes, or nothing that is seen. */
export const GAP_KINDS = ["room", "taint", "picks", "unseen"] as const;
export type GapKind = (typeof GAP_KINDS)[number];

export interface DaemonGap {
  readonly node: string;
  readonly kind: GapKind;
  /** "memory: it asks for 4 Gi, and 1.2 of 3.8 Gi are left". */
  readonly why: string;
}

/** The nodes of the cluster that have no pod of one daemon. */
export interface DaemonGaps {
  readonly nodes: number;
  readonly without: number;
  /** At most MAX_GAPS_NAMED: those that lack room first, then those whose taints keep it away. */
  readonly named: readonly DaemonGap[];
}

/** Every node without a pod of this daemon and what is in its way; nodes that joined within JOINING_MS are not counted as lacking one. */
export function daemonGaps(daemon: CniDaemon, nodes: Iterable<NodeObject>, podsOf: (node: NodeObject) => Iterable<PodObject>, nowMs: number): DaemonGaps {
  const gaps: DaemonGap[] = [];
  let count = 0;
  for (const node of nodes) {
    count += 1;
    const gap = gapOn(daemon, node, podsOf(node), nowMs);
    if (gap !== undefined) gaps.push(gap);
  }
  gaps.sort((a, b) => GAP_KINDS.indexOf(a.kind) - GAP_KINDS.indexOf(b.kind) || (a.node < b.node ? -1 : 1));
  return { nodes: count, without: gaps.length, named: gaps.slice(0, MAX_GAPS_NAMED) };
}

function gapOn({ daemonSet }: CniDaemon, node: NodeObject, pods: Iterable<PodObject>, nowMs: number): DaemonGap | undefined {
  const all = [...pods];
  const owner = `DaemonSet/${daemonSet.name}`;
  const own = all.filter((pod) => pod.namespace === daemonSet.namespace && pod.owner === owner);
  if (own.some((pod) => pod.node !== undefined)) return undefined;
  const gap = (kind: GapKind, why: string): DaemonGap => ({ node: node.name, kind, why });
  const [waiting] = own;
  if (waiting !== undefined) return gap("room", roomWords(node, waiting, all, nowMs));
  if (node.createdMs !== undefined && nowMs - node.createdMs < JOINING_MS) return undefined;
  const taints = untolerated(node, daemonSet);
  if (taints.length > 0) return gap("taint", `it bears ${listWords(taints)}, which the DaemonSet does not tolerate`);
  if (daemonSet.picksNodes) return gap("picks", "the DaemonSet picks its nodes by a selector or an affinity, and may not want this one");
  return gap("unseen", "no pod was made for it, and neither a taint nor a selector says why");
}

/** What all pods of a node ask for that are not finished, but for one; `undefined` where any pod's requests are not told. */
export function askedFor(pods: Iterable<PodObject>, but?: PodObject): PodRequests | undefined {
  let cpuCores = 0;
  let memoryBytes = 0;
  for (const pod of pods) {
    if (pod.uid === but?.uid || pod.node === undefined || pod.phase === "Succeeded" || pod.phase === "Failed") continue;
    if (pod.requests === undefined) return undefined;
    cpuCores += pod.requests.cpuCores;
    memoryBytes += pod.requests.memoryBytes;
  }
  return { cpuCores, memoryBytes };
}

function roomWords({ allocatable }: NodeObject, pod: PodObject, all: readonly PodObject[], nowMs: number): string {
  const others = askedFor(all, pod);
  const short: string[] = [];
  if (others !== undefined && pod.requests !== undefined) {
    const { memoryBytes, cpuCores } = allocatable;
    if (memoryBytes !== undefined && others.memoryBytes + pod.requests.memoryBytes > memoryBytes) short.push(`memory: it asks for ${bytesWords(pod.requests.memoryBytes)}, and ${bytesWords(Math.max(0, memoryBytes - others.memoryBytes))} of ${bytesWords(memoryBytes)} are not asked for yet`);
    if (cpuCores !== undefined && others.cpuCores + pod.requests.cpuCores > cpuCores) short.push(`CPU: it asks for ${coresWords(pod.requests.cpuCores)}, and ${coresWords(Math.max(0, cpuCores - others.cpuCores))} of ${coresWords(cpuCores)} are not asked for yet`);
  }
  if (short.length > 0) return short.join("; ");
  const said = pod.daemon?.unscheduled?.message;
  if (said !== undefined) return `the scheduler says: ${lineWords(said, MAX_SCHEDULER_CHARS)}`;
  return `its pod ${pod.name} has no node${pod.createdMs === undefined ? "" : ` for ${spanWords(pod.createdMs, nowMs)}`}, and the scheduler says nothing`;
}

/** Taints of a node that keep a DaemonSet's pods away. */
export const untolerated = ({ taints }: NodeObject, { tolerations }: DaemonSetObject): readonly string[] => taints.filter((taint) => keepsAway(taint, tolerations));

/** Taints of Kubernetes itself are borne by every DaemonSet's pods. */
const OWN_TAINTS = "node.kubernetes.io/";

function keepsAway(taint: string, tolerations: readonly Toleration[]): boolean {
  const at = taint.lastIndexOf(":");
  const effect = at < 0 ? "" : taint.slice(at + 1);
  const [key = "", value = ""] = (at < 0 ? taint : taint.slice(0, at)).split("=");
  if (key.startsWith(OWN_TAINTS) || (effect !== "NoSchedule" && effect !== "NoExecute")) return false;
  return !tolerations.some((one) => (one.effect === undefined || one.effect === effect) && (one.key === undefined || one.key === key) && (one.value === undefined || one.value === value));
}
