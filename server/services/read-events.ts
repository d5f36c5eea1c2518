import { HOUR_MS } from "../domain/durations";
import type { NodeName } from "../domain/ids";
import { MAX_TIMELINE_EVENTS } from "../domain/timeline";
import { ServiceError } from "../errors";
import type { NodeEvents } from "../contract/schemas";
import type { Ctx } from "./ctx";
import { iso } from "./iso";
import { requireRange } from "./range";
import { eventOut } from "./view-out";

export interface ReadEventsInput {
  readonly name: NodeName;
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
  readonly limit?: number | undefined;
  /** Only events older than this: the next page. */
  readonly beforeMs?: number | undefined;
}

/** Events of a node and of its pods, newest first; kept for 30 days, where the cluster keeps an hour. */
export async function readEvents({ ctx, input }: { readonly ctx: Ctx; readonly input: ReadEventsInput }): Promise<NodeEvents> {
  if (ctx.reader.node(input.name) === undefined) throw new ServiceError("not-found", `No node "${input.name}" is known.`);
  const toMs = input.toMs ?? ctx.clock.now();
  const fromMs = input.fromMs ?? toMs - HOUR_MS;
  requireRange(fromMs, toMs);
  const found = ctx.reader.events({ node: input.name, fromMs, toMs, limit: input.limit ?? MAX_TIMELINE_EVENTS, ...(input.beforeMs === undefined ? {} : { beforeMs: input.beforeMs }) });
  return { node: input.name, from: iso(fromMs), to: iso(toMs), items: found.items.map(eventOut), truncated: found.truncated };
}
