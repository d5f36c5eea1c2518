import type { NodeView, SignalNow } from "./node-view";
import { nothingToSee, remedyOf } from "./signal-remedies";
import { SIGNAL_IDS, type SignalId } from "./signals";
import type { Source } from "./sources";

/** How one signal stands in the whole cluster: on how many nodes it is seen, and why not on the others. */
export interface SignalVisibility {
  readonly signal: SignalId;
  /** Nodes by the best that any of the signal's instances there has. */
  readonly seen: number;
  readonly stale: number;
  readonly unseen: number;
  /** Nodes where there is nothing of it to see now; nothing is hidden there. */
  readonly none: number;
  /** Where the seen values came from. */
  readonly sources: readonly Source[];
  readonly lastMs?: number;
  /** Most nodes first, bounded by MAX_REASONS. */
  readonly reasons: readonly { readonly reason: string; readonly nodes: number; readonly fix?: string }[];
}

/** Most reasons that are told for one signal. */
export const MAX_REASONS = 8;

/** Every signal over all nodes, in the order of the table of signals. A signal of which a node has no instance at all counts as unseen there. */
export function signalVisibility(views: readonly NodeView[]): readonly SignalVisibility[] {
  return SIGNAL_IDS.map((signal) => {
    const counts = { seen: 0, stale: 0, unseen: 0, none: 0 };
    const sources = new Set<Source>();
    const reasons = new Map<string, { nodes: number; fix: string | undefined }>();
    let lastMs: number | undefined;
    for (const view of views) {
      const own = view.signals.filter((now) => now.signal === signal);
      const best = bestOf(own);
      counts[standing(best)] += 1;
      if (best?.state === "fresh") sources.add(best.source);
      for (const { atMs } of own) if (atMs !== undefined) lastMs = Math.max(lastMs ?? atMs, atMs);
      if (best !== undefined && (best.state === "fresh" || nothingToSee(best))) continue;
      const reason = best?.reason ?? NO_INSTANCE;
      const known = reasons.get(reason);
      if (known === undefined) reasons.set(reason, { nodes: 1, fix: best === undefined ? undefined : remedyOf(best, view) });
      else known.nodes += 1;
    }
    return {
      signal,
      ...counts,
      sources: [...sources],
      ...(lastMs === undefined ? {} : { lastMs }),
      reasons: [...reasons].sort(([, a], [, b]) => b.nodes - a.nodes).slice(0, MAX_REASONS).map(([reason, { nodes, fix }]) => ({ reason, nodes, ...(fix === undefined ? {} : { fix }) })),
    };
  });
}

function standing(best: SignalNow | undefined): "seen" | "stale" | "unseen" | "none" {
  if (best === undefined) return "unseen";
  if (best.state === "unknown") return nothingToSee(best) ? "none" : "unseen";
  return best.state === "stale" ? "stale" : "seen";
}

const NO_INSTANCE = "this node has nothing of the kind";
const ORDER = { fresh: 0, stale: 1, unknown: 2 } as const;

function bestOf(own: readonly SignalNow[]): SignalNow | undefined {
  let best: SignalNow | undefined;
  for (const now of own) if (best === undefined || ORDER[now.state] < ORDER[best.state]) best = now;
  return best;
}
