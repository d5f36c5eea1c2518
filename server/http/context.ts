import { headers } from "next/headers";
import { randomUUID } from "node:crypto";
import type { ActionCtx, Ctx } from "../services/ctx";
import { requireLocalHost } from "./guard";
import { webRuntime } from "./runtime";

/** The context of a route's call; the caller has checked the host. */
export function contextOf(requestId: string): Ctx {
  const runtime = webRuntime();
  return { actor: runtime.actor, requestId, clock: runtime.clock, reader: runtime.reader, log: runtime.log, version: runtime.config.version, actionsAllowed: runtime.config.actionsAllowed };
}

/**
 * The context of a call that acts: the actor carries the name that the API server gives to the credentials in use, so
 * that the audit log says both who sat there and as whom it was done.
 */
export async function actionContextOf(ctx: Ctx): Promise<ActionCtx> {
  const { state, cluster, openRuns, actor } = webRuntime();
  return { ...ctx, state, cluster, openRuns, actor: { kind: "cluster-user", user: await cluster.user(), systemUser: actor.systemUser } };
}

/** For reading what people did, which needs no word of the cluster. */
export function stateContextOf(ctx: Ctx): ActionCtx {
  const { state, cluster, openRuns } = webRuntime();
  return { ...ctx, state, cluster, openRuns };
}

/** The context of a page. Throws where the Host is not the person's own machine: pages are guarded like routes. */
export async function requestContext(): Promise<Ctx> {
  requireLocalHost(await headers());
  return contextOf(randomUUID());
}
