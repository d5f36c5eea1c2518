import { withSince } from "../domain/judge";
import type { NodeView } from "../domain/node-view";

/**
 * A node that the store remembers and no list has told of since the start: unknown, whatever it was, with its last
 * figures marked as old. Nothing latches: the first list replaces it.
 */
export function unheardView(view: NodeView, nowMs: number): NodeView {
  const reason = "not heard of since Sandglass started";
  return {
    ...view,
    answer: withSince(view.answer, { state: "unknown", atRisk: false, idle: false, row: 1, summary: "Nothing was heard of this node since Sandglass started.", proof: [{ what: "The API server's list of nodes", look: "could-not-look", source: "api", reason }] }, nowMs),
    ready: "Unknown",
    sources: view.sources.map((source) => (source.freshness === "fresh" ? { ...source, freshness: "stale" as const, reason } : source)),
    signals: view.signals.map((signal) => (signal.state === "fresh" ? { ...signal, state: "stale" as const, reason } : signal)),
  };
}
