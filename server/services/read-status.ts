import type { Clock } from "../clock";
import type { Status } from "../contract/schemas";
import type { Reader } from "../store/types";
import type { Ctx } from "./ctx";
import { statusOut } from "./status-out";

/** Sandglass itself: connection, sources, store, and how old the collector's last word is. */
export async function readStatus({ ctx }: { readonly ctx: Ctx }): Promise<Status> {
  return statusNow(ctx);
}

/** The same for whoever tells it unasked. */
export function statusNow({ reader, clock, version, actionsAllowed }: { readonly reader: Reader; readonly clock: Clock; readonly version: string; readonly actionsAllowed: boolean }): Status {
  const status = reader.status();
  const incidents = reader.openIncidents();
  return statusOut(status, { nowMs: clock.now(), version, actionsAllowed, incidents, copyReason: reader.copyReason }); // of the connection that was just read from
}
