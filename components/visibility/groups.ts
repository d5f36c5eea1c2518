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
