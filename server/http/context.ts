import { headers } from "next/headers";
import { randomUUID } from "node:crypto";
import type { Ctx } from "../services/ctx";
import { requireLocalHost } from "./guard";
import { webRuntime } from "./runtime";

/** The context of a route's call; the caller has checked the host. */
export function contextOf(requestId: string): Ctx {
  const runtime = webRuntime();
  return { actor: runtime.actor, requestId, clock: runtime.clock, reader: runtime.reader, log: runtime.log, version: runtime.config.version, actionsAllowed: runtime.config.actionsAllowed };
}

/** The context of a page. Throws where the Host is not the person's own machine: pages are guarded like routes. */
export async function requestContext(): Promise<Ctx> {
  requireLocalHost(await headers());
  return contextOf(randomUUID());
}
