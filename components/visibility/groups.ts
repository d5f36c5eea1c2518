import type { Visibility } from "@/server/contract/schemas";
import { byName } from "@/components/fleet/model";

type Node = Visibility["nodes"][number];
type Status = Node["sources"][number];

export interface SourceGroup {
  readonly source: Status["source"];
  readonly freshness: Status["freshness"];
  readonly reason: string;
  readonly nodes: readonly string[];
}

export interface BlindGroup {
  readonly what: string;
  readonly reason: string;
  readonly fix?: string;
  readonly nodes: readonly string[];
}

/** Names shown of a group before the reader asks for all. */
export const MAX_NODES_LISTED = 12;

const FRESHNESS_ORDER = { stale: 0, absent: 1, fresh: 2 } as const;

/** Nodes by source, freshness and reason: what is stale first, most nodes first. */
export function sourceGroups(nodes: readonly Node[]): readonly SourceGroup[] {
  const groups = new Map<string, Omit<SourceGroup, "nodes"> & { readonly nodes: string[] }>();
  for (const node of nodes) {
    for (const status of node.sources) {
      const reason = status.freshness === "fresh" ? "" : (status.reason ?? "");
      const key = `${status.source}\n${status.freshness}\n${reason}`;
      const group = groups.get(key);
      if (group === undefined) groups.set(key, { source: status.source, freshness: status.freshness, reason, nodes: [node.name] });
      else group.nodes.push(node.name);
    }
  }
  return [...groups.values()].map(sorted).sort((a, b) => FRESHNESS_ORDER[a.freshness] - FRESHNESS_ORDER[b.freshness] || b.nodes.length - a.nodes.length || a.source.localeCompare(b.source));
}

/** Nodes whose agent's clock differs from ours, the largest difference first. */
export const clocksThatDiffer = (nodes: readonly Node[]): readonly { readonly name: string; readonly behindSeconds: number }[] =>
  nodes
    .flatMap(({ name, sources }) => sources.flatMap(({ source, clockBehindSeconds }) => (source === "agent" && clockBehindSeconds !== undefined ? [{ name, behindSeconds: clockBehindSeconds }] : [])))
    .sort((a, b) => Math.abs(b.behindSeconds) - Math.abs(a.behindSeconds) || byName(a, b));

/** Nodes whose agents gave up reports, most first; and how many agents that are heard do not tell whether they did. */
export function lossesOf(nodes: readonly Node[]): { readonly lossy: readonly { readonly name: string; readonly count: number }[]; readonly untold: number } {
  const lossy = nodes.flatMap(({ name, lostReports }) => (lostReports === undefined || lostReports.thinned + lostReports.tooOld === 0 ? [] : [{ name, count: lostReports.thinned + lostReports.tooOld }]));
  const untold = nodes.filter(({ lostReports, sources }) => lostReports === undefined && sources.some(({ source, freshness }) => source === "agent" && freshness === "fresh"));
  return { lossy: lossy.sort((a, b) => b.count - a.count || byName(a, b)), untold: untold.length };
}

/** What to do about messages to the agent port that were dropped; one sentence for each reason. */
const DROP_ADVICE: Readonly<Record<string, string>> = {
  "not-found": "Something that is no agent talks to the port.",
  method: "Something that is no agent talks to the port.",
  "media-type": "Something that is no agent talks to the port.",
  "unknown-token": "Make a token for the node, copy the renewed one, or compare the pod's token volume with the manifest.",
  "other-account": "The agent's pod runs under another service account than --agent-account names.",
  "unbound-token": "The token belongs to no pod that runs on a node, and to no node.",
  "cannot-check": "The server may not create tokenreviews, or the API server was away. Agents come back by themselves.",
  "too-large": "The report exceeds a bound: look at the agent's version and at the node.",
  malformed: "Not an agent, or a broken one.",
  version: "Upgrade the older side: neighbouring versions work together.",
  "other-node": "A token was used for a report of another node: check --node of the agent, and who has that token.",
  replayed: "Nothing: the report was taken before.",
  clock: "The report's time makes no sense even after the clocks' difference is taken off.",
  "not-listed-yet": "Nothing: agents come back once the nodes are listed, and lose nothing meanwhile.",
  "unlisted-node": "The cluster has no node of this name: remove the agent there, or correct --node and its token. If the node joins, its reports are taken.",
  "no-such-order": "Nothing: the order is too old, or was never that node's.",
  busy: "Nothing: agents come back after a moment.",
  incomplete: "A slow or broken network lies in between.",
  internal: "See the server's log.",
};
export const dropAdvice = (reason: string): string => DROP_ADVICE[reason] ?? "See docs/operate/agent.md.";

/** What cannot be seen, by thing and reason: most nodes first. */
export function blindGroups(nodes: readonly Node[]): readonly BlindGroup[] {
  const groups = new Map<string, Omit<BlindGroup, "nodes"> & { readonly nodes: string[] }>();
  for (const node of nodes) {
    for (const item of node.blind) {
      const key = `${item.what}\n${item.reason}\n${item.fix ?? ""}`;
      const group = groups.get(key);
      if (group === undefined) groups.set(key, { what: item.what, reason: item.reason, ...(item.fix === undefined ? {} : { fix: item.fix }), nodes: [node.name] });
      else group.nodes.push(node.name);
    }
  }
  return [...groups.values()].map(sorted).sort((a, b) => b.nodes.length - a.nodes.length || a.what.localeCompare(b.what));
}

const sorted = <T extends { readonly nodes: readonly string[] }>(group: T): T => ({ ...group, nodes: [...group.nodes].sort((a, b) => byName({ name: a }, { name: b })) });
