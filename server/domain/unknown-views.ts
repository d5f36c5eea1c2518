import { suspend } from "./causes/diagnose";
import { withSince } from "./judge";
import { durationWords } from "./words";
import type { NodeView } from "./node-view";

/**
 * A node that the store remembers and no list has told of since the start: unknown, whatever it was, with its last
 * figures marked as old. Nothing latches: the first list replaces it.
 */
export const unheardView = (view: NodeView, nowMs: number): NodeView =>
  unknownView(view, nowMs, { summary: "Nothing was heard of this node since Sandglass started.", what: "The API server's list of nodes", reason: "not heard of since Sandglass started" });

/** Nobody keeps the views up: the collector cannot write, hangs or is gone. Whatever was last written is no answer for now. */
export const silentView = (view: NodeView, silentSinceMs: number, nowMs: number): NodeView => {
  const age = durationWords((nowMs - silentSinceMs) / 1_000);
  const unknown = unknownView(view, nowMs, { summary: `Sandglass has written nothing for ${age}.`, what: "The collector's own sign of life", reason: `nothing was written for ${age}` });
  return { ...unknown, answer: { ...unknown.answer, sinceMs: Math.max(view.answer.state === "unknown" ? view.answer.sinceMs : 0, silentSinceMs) } };
};

/** A node whose judging failed: what was last made of it is no answer for now. */
export const unjudgedView = (view: NodeView, nowMs: number): NodeView =>
  unknownView(view, nowMs, { summary: "Sandglass failed to judge this node; its log has the reason.", what: "What is known of this node", reason: "Sandglass failed to judge this node" });

function unknownView(view: NodeView, nowMs: number, { summary, what, reason }: { readonly summary: string; readonly what: string; readonly reason: string }): NodeView {
  return {
    ...view,
    ...suspend(view, reason),
    answer: withSince(view.answer, { state: "unknown", atRisk: false, idle: false, row: 1, summary, proof: [{ what, look: "could-not-look", source: "api", reason }] }, nowMs),
    ready: "Unknown",
    sources: view.sources.map((source) => (source.freshness === "fresh" ? { ...source, freshness: "stale" as const, reason } : source)),
    signals: view.signals.map((signal) => (signal.state === "fresh" ? { ...signal, state: "stale" as const, reason } : signal)),
  };
}
