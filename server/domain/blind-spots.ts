import type { LaterParts } from "./agent-readings";
import { lostCount, type LostReports } from "./agent-report";
import { kubeletRemedy } from "./kubelet-remedy";
import { FAMILY_GONE, familyGoneRemedy } from "./kubelet-versions";
import type { NodeView } from "./node-view";
import type { NodeWindow } from "./node-window";
import type { WatchedKind } from "./observation";
import { PODS_WORDS } from "./pods-seen";
import { partOf } from "./source-status";
import type { SourceStatus } from "./sources";
import { countWords, instantWords } from "./words";

type Blind = NodeView["blind"][number];

/** Most blind spots that a view lists. */
export const MAX_BLIND = 48;
/** A gap that ended longer ago is told by the counts of the agent alone. */
const GAP_TOLD_MS = 86_400_000;

const KIND_WORDS: Readonly<Record<WatchedKind, string>> = { nodes: "Nodes", pods: PODS_WORDS, events: "Events", daemonsets: "DaemonSets", nads: "Network attachments" };

/** What Sandglass cannot see on a node, why, and what would change that; in the order of what it costs. */
export function blindSpots(window: NodeWindow, sources: readonly SourceStatus[], nowMs: number): readonly Blind[] {
  const blind: Blind[] = [];
  const statusOf = (name: SourceStatus["source"]): SourceStatus | undefined => sources.find(({ source }) => source === name);
  const api = statusOf("api");
  if (api !== undefined && api.freshness !== "fresh") blind.push({ what: "What the API tells of this node", reason: api.reason ?? "it is not heard" });
  for (const kind of ["pods", "events", "daemonsets", "nads"] as const) {
    const part = partOf(window.kinds, kind, nowMs);
    const status = window.kinds.find((one) => one.kind === kind);
    // A cluster without the CRD has no network attachments: nothing is hidden.
    if (part.seen || (kind === "nads" && (status === undefined || status.state === "absent"))) continue;
    blind.push({ what: KIND_WORDS[kind], reason: part.reason, ...(status?.state === "forbidden" ? { fix: `Grant get, list and watch on ${kind === "nads" ? "network-attachment-definitions" : kind} to Sandglass's account` } : {}) });
  }
  blind.push(...kubeletSpots(window, statusOf("kubelet")));
  blind.push(...agentSpots(window, statusOf("agent")), ...lostSpots(window.agent.report?.lostReports, nowMs));
  return blind.slice(0, MAX_BLIND);
}

function kubeletSpots({ kubelet, node }: NodeWindow, status: SourceStatus | undefined): Blind[] {
  if (status === undefined || status.freshness !== "fresh") {
    return [{ what: "CRI latency, the kubelet's deadline, and CPU and memory of the CNI daemon", reason: status?.reason ?? "the kubelet is not asked", fix: kubeletRemedy(status?.reason) }];
  }
  const spots: Blind[] = [];
  const { failures } = kubelet;
  if (failures?.metrics !== undefined) spots.push({ what: "CRI latency and errors", reason: failures.metrics });
  else if (kubelet.hasNoOperations === true) spots.push({ what: "CRI latency and errors", reason: FAMILY_GONE, fix: familyGoneRemedy(node.versions.kubelet) });
  if (failures?.cadvisor !== undefined) spots.push({ what: "CPU throttling, pressure and memory of the CNI daemon", reason: failures.cadvisor });
  if (kubelet.runtimeRequestTimeoutSeconds === undefined) spots.push({ what: "The kubelet's deadline", reason: failures?.configz ?? "/configz was not read yet", fix: "Grant get on nodes/configz; until then 4 min is assumed" });
  if (kubelet.hasPressure === false || kubelet.cgroupVersion === 1) spots.push({ what: "CPU pressure (PSI) of the CNI daemon", reason: kubelet.cgroupVersion === 1 ? "no PSI on cgroup v1" : "this kubelet reports no pressure (there is none on cgroup v1)" });
  return spots;
}

const LATER_WORDS: readonly (readonly [part: Exclude<keyof LaterParts, "configChanges">, what: string])[] = [
  ["cgroups", "CPU and memory of CNI daemons and system DaemonSets, by their cgroups"],
  ["processes", "Plugins that run"],
  ["mounts", "Stale mounts of CNI sockets in containers"],
  ["socketUse", "Connections on CNI sockets"],
  ["binaries", "Programs of the bin dirs"],
  ["configFiles", "Files of the conf dir"],
  ["caches", "CNI caches and addresses"],
  ["kubelet", "The kubelet's settings on the node"],
  ["credentials", "Until when the credentials of CNI configs are good"],
];

function agentSpots({ agent }: NodeWindow, status: SourceStatus | undefined): Blind[] {
  const { report } = agent;
  if (status === undefined || status.freshness !== "fresh" || report === undefined) {
    return [{ what: "Sandboxes, sockets, CNI config and plugins on the node itself", reason: status?.reason ?? "no agent on this node", fix: status?.freshness === "stale" ? "Look whether the agent still runs there and reaches Sandglass" : "Run the Sandglass agent on this node" }];
  }
  const spots: Blind[] = [];
  if (!report.runtime.looked) spots.push({ what: "The runtime's own conditions", reason: report.runtime.reason });
  if (!report.sandboxes.looked) spots.push({ what: "The runtime's sandboxes", reason: report.sandboxes.reason });
  else if (report.sandboxes.truncated) spots.push({ what: "All of the runtime's sandboxes", reason: "the list was cut at the agent's bound" });
  if (!report.config.looked) spots.push({ what: "CNI config and plugins", reason: report.config.reason });
  if (!report.sockets.looked) spots.push({ what: "CNI sockets", reason: report.sockets.reason });
  else for (const { path, reason } of report.sockets.unseen ?? []) spots.push({ what: `Socket ${path}`, reason });
  // A part that an older agent does not tell is no blind spot of this node.
  for (const [part, what] of LATER_WORDS) {
    const reading = report[part];
    if (reading?.looked === false) spots.push({ what, reason: reading.reason });
  }
  if (report.mounts?.looked === true && report.mounts.unread !== undefined) spots.push({ what: "Stale mounts in some containers", reason: `the mounts of ${String(report.mounts.unread)} could not be read` });
  if (report.binaries?.looked === true) for (const reason of report.binaries.unread ?? []) spots.push({ what: "Programs of a bin dir", reason });
  return spots;
}

/** Reports that nobody has any more: what the node was like between those that arrived cannot be told. */
function lostSpots(lost: LostReports | undefined, nowMs: number): Blind[] {
  if (lost === undefined || lostCount(lost) === 0 || nowMs - (lost.toMs ?? nowMs) > GAP_TOLD_MS) return [];
  const { thinned, tooOld, fromMs, toMs } = lost;
  const ways = [...(thinned === 0 ? [] : [`${thinned} to make room`]), ...(tooOld === 0 ? [] : [`${tooOld} too old to be kept`])];
  const when = fromMs === undefined || toMs === undefined ? "" : `, made from ${instantWords(fromMs, nowMs)} to ${instantWords(toMs, nowMs)}`;
  return [{ what: "All that the agent saw while it could not send", reason: `it gave up ${countWords(lostCount(lost), "report")}${when}: ${ways.join(", ")}` }];
}
