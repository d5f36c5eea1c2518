import type { Status } from "../contract/schemas";
import type { Ctx } from "./ctx";
import { statusOut } from "./status-out";

/** Sandglass itself: connection, sources, store, and how old the collector's last word is. */
export async function readStatus({ ctx }: { readonly ctx: Ctx }): Promise<Status> {
  return statusOut(ctx.reader.status(), { nowMs: ctx.clock.now(), version: ctx.version, actionsAllowed: ctx.actionsAllowed, incidents: ctx.reader.openIncidents() });
}
