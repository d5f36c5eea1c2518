import { MAX_TIMELINE_EVENTS, MAX_TIMELINE_POINTS } from "../domain/timeline";
import type { NodeName } from "../domain/ids";
import { SIGNALS } from "../domain/signals";
import { authorize } from "../auth/authorize";
import type { NodeExport } from "../contract/schemas";
import type { Ctx } from "./ctx";
import { iso } from "./iso";
import { readEvents } from "./read-events";
import { readNode } from "./read-node";
import { readTimeline } from "./read-timeline";

export const EXPORT_FORMAT = "sandglass/node";
export const EXPORT_VERSION = 1;

export interface ExportNodeInput {
  readonly name: NodeName;
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
}

/**
 * Everything known of a node over a range (default: the last hour) as one document: window, cluster, answer with its
 * proof, signals with their definitions, events, waiting pods, gaps and what could not be seen. Numbers in the unit
 * that stands beside them; a gap is told, never filled.
 */
export async function exportNode({ ctx, input }: { readonly ctx: Ctx; readonly input: ExportNodeInput }): Promise<NodeExport> {
  authorize(ctx.actor, "export", `node/${input.name}`, ctx);
  const toMs = input.toMs ?? ctx.clock.now();
  const range = { name: input.name, toMs, fromMs: input.fromMs };
  const [node, timeline, events] = await Promise.all([
    readNode({ ctx, input }),
    readTimeline({ ctx, input: { ...range, points: MAX_TIMELINE_POINTS } }),
    readEvents({ ctx, input: { ...range, limit: MAX_TIMELINE_EVENTS } }),
  ]);
  const { seq: _seq, previous: _previous, next: _next, ...facts } = node;
  const status = ctx.reader.status();
  return {
    format: EXPORT_FORMAT,
    version: EXPORT_VERSION,
    madeAt: iso(ctx.clock.now()),
    madeBy: `Sandglass ${ctx.version}`,
    ...(status === undefined ? {} : { cluster: { ...status.cluster } }),
    window: { from: timeline.from, to: timeline.to },
    node: facts,
    timeline,
    events: { items: events.items, truncated: events.truncated },
    definitions: Object.entries(SIGNALS).map(([signal, definition]) => ({ signal, unit: definition.unit, sources: [...definition.sources], meaning: definition.meaning })),
  };
}
