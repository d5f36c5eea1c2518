import type { SET_DAEMON_RESOURCES} from "../../domain/actions/set-daemon-resources";
import { BOUNDS, planSetDaemonResources, type SetDaemonResourcesParams } from "../../domain/actions/set-daemon-resources";
import type { Plan } from "../../domain/actions/types";
import type { NodeName } from "../../domain/ids";
import type { DaemonSetObject } from "../../domain/model";
import type { NodeView } from "../../domain/node-view";
import { cpuQuantity, memoryQuantity } from "../../domain/quantity";
import { ServiceError } from "../../errors";
import type { ActionCtx } from "../ctx";

export interface PlanRequest {
  readonly node: NodeName;
  readonly action: typeof SET_DAEMON_RESOURCES;
  /** "namespace/name" of the DaemonSet. */
  readonly namespace: string;
  readonly daemonSet: string;
  readonly params: SetDaemonResourcesParams;
}

export interface MadePlan {
  readonly plan: Plan<SetDaemonResourcesParams>;
  readonly view: NodeView;
  readonly daemonSet: DaemonSetObject;
}

/** A fresh plan from the node's view and the DaemonSet as the API server has it now. Throws `not-found`, `invalid` or `cluster-unreachable`. */
export async function makePlan(ctx: ActionCtx, request: PlanRequest): Promise<MadePlan> {
  const view = viewOf(ctx, request.node);
  requireBounds(request.params);
  const key = `${request.namespace}/${request.daemonSet}`;
  if (!view.daemons.some((daemon) => daemon.daemonSet === key)) {
    throw new ServiceError("invalid", `"${key}" is not a CNI daemon that runs on ${request.node}.`, { errors: [{ field: "body.daemonSet", message: `not a CNI daemon of ${request.node}; there is ${view.daemons.map((daemon) => daemon.daemonSet).join(", ") || "none"}` }] });
  }
  const daemonSet = await ctx.cluster.daemonSet(request.namespace, request.daemonSet);
  if (daemonSet === undefined) throw new ServiceError("gone", `The DaemonSet ${key} is no longer there.`);
  const others = ctx.reader.fleet().rows.map((row) => row.view);
  return {
    view,
    daemonSet,
    plan: planSetDaemonResources(request.params, { view, daemonSet, fleet: { nodes: others.length, otherNo: others.filter((one) => one.answer.state === "no" && one.name !== view.name).length } }),
  };
}

export function viewOf(ctx: ActionCtx, node: NodeName): NodeView {
  const row = ctx.reader.node(node);
  if (row === undefined) throw new ServiceError("not-found", `No node "${node}" is known.`);
  return row.view;
}

function requireBounds({ cpuLimitCores, memoryLimitBytes, memoryRequestBytes }: SetDaemonResourcesParams): void {
  const errors: { field: string; message: string }[] = [];
  if (cpuLimitCores !== null && (cpuLimitCores < BOUNDS.minCpuCores || cpuLimitCores > BOUNDS.maxCpuCores)) {
    errors.push({ field: "body.cpuLimit", message: `is ${cpuQuantity(cpuLimitCores)}: it must be from ${cpuQuantity(BOUNDS.minCpuCores)} to ${cpuQuantity(BOUNDS.maxCpuCores)}, or null for none` });
  }
  for (const [field, bytes] of [["memoryLimit", memoryLimitBytes], ["memoryRequest", memoryRequestBytes]] as const) {
    if (bytes !== undefined && (bytes < BOUNDS.minMemoryBytes || bytes > BOUNDS.maxMemoryBytes || !Number.isInteger(bytes))) {
      errors.push({ field: `body.${field}`, message: `is ${memoryQuantity(bytes)}: it must be whole bytes from ${memoryQuantity(BOUNDS.minMemoryBytes)} to ${memoryQuantity(BOUNDS.maxMemoryBytes)}` });
    }
  }
  if (errors.length > 0) throw new ServiceError("invalid", errors.map((error) => `${error.field} ${error.message}`).join("; "), { errors });
}
