import { presetParams, SET_DAEMON_RESOURCES } from "../../domain/actions/set-daemon-resources";
import type { NodeName } from "../../domain/ids";
import { ServiceError } from "../../errors";
import type { ActionOffers } from "../../contract/schemas";
import type { ActionCtx } from "../ctx";
import { viewOf } from "./make-plan";
import { offerNodeActions } from "./offer-node-actions";
import { paramsOut } from "./plan-out";

/**
 * What may be done about a node: each action with its presets, and where the button is greyed the reason in words,
 * whether it is Sandglass's own switch or the cluster's word on this person's rights.
 */
export async function offerActions({ ctx, input }: { readonly ctx: ActionCtx; readonly input: { readonly name: NodeName } }): Promise<ActionOffers> {
  const view = viewOf(ctx, input.name);
  const offers: ActionOffers["offers"] = [];
  for (const daemon of view.daemons) {
    const [namespace = "", name = ""] = daemon.daemonSet.split("/");
    const found = await ask(() => ctx.cluster.daemonSet(namespace, name));
    const container = found.ok ? found.value?.containers.find((one) => one.name === daemon.container && !one.init) : undefined;
    const right = !ctx.actionsAllowed
      ? { allowed: false, reason: "Actions are off: Sandglass was started without --allow-actions." }
      : !found.ok
        ? { allowed: false, reason: found.reason }
        : container === undefined
          ? { allowed: false, reason: `The DaemonSet ${daemon.daemonSet} is no longer there.` }
          : await mayPatch(ctx, namespace, name);
    const { cpuLimitCores, memoryLimitBytes, memoryRequestBytes } = daemon;
    const own = container ?? { name: daemon.container, init: false, ...(cpuLimitCores === undefined ? {} : { cpuLimitCores }), ...(memoryLimitBytes === undefined ? {} : { memoryLimitBytes }), ...(memoryRequestBytes === undefined ? {} : { memoryRequestBytes }) };
    offers.push({
      action: SET_DAEMON_RESOURCES,
      namespace,
      daemonSet: name,
      container: daemon.container,
      allowed: right.allowed,
      ...(right.allowed ? {} : { reason: right.reason }),
      current: paramsOut({ container: own.name, cpuLimitCores: own.cpuLimitCores ?? null, memoryLimitBytes: own.memoryLimitBytes, memoryRequestBytes: own.memoryRequestBytes }),
      presets: (["emergency", "lasting"] as const).map((preset) => ({ preset, params: paramsOut(presetParams(preset, own)) })),
    });
  }
  return { node: view.name, actionsAllowed: ctx.actionsAllowed, offers, nodeOffers: await offerNodeActions(ctx, view) };
}

async function mayPatch(ctx: ActionCtx, namespace: string, name: string): Promise<{ allowed: boolean; reason: string }> {
  const asked = await ask(() => ctx.cluster.can({ verb: "patch", group: "apps", resource: "daemonsets", namespace, name }));
  if (!asked.ok) return { allowed: false, reason: asked.reason };
  return { allowed: asked.value.allowed, reason: `You may not patch daemonsets in ${namespace}: ${asked.value.reason}.` };
}

type Asked<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly reason: string };

/** A cluster that does not answer greys a button; it does not fail the page. */
async function ask<T>(run: () => Promise<T>): Promise<Asked<T>> {
  try {
    return { ok: true, value: await run() };
  } catch (error) {
    if (error instanceof ServiceError) return { ok: false, reason: error.message };
    throw error;
  }
}
