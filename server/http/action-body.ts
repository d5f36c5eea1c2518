import type { z } from "zod";
import { parseNamespace, parseObjectName, parseRequestId, type NodeName, type RequestId } from "../domain/ids";
import { parseQuantity } from "../domain/quantity";
import { ServiceError } from "../errors";
import type { PlanRequest } from "../services/actions/make-plan";
import type { RunRequest } from "../services/actions/run-action";
import type { NodePlanRequest } from "../services/actions/make-node-plan";
import type { NodeRunRequest } from "../services/actions/run-node-action";
import type { NodePlanBodySchema, NodeRunBodySchema, PlanBodySchema, RunBodySchema } from "../contract/schemas";

/** A node action's words are its values already. */
export const nodePlanRequest = (node: NodeName, body: z.infer<typeof NodePlanBodySchema>): NodePlanRequest => ({ node, action: body.action, params: nodeParams(body.params) });

export const nodeRunRequest = (node: NodeName, body: z.infer<typeof NodeRunBodySchema>): NodeRunRequest => ({ ...nodePlanRequest(node, body), requestId: requestIdOf(body.requestId), version: body.version });

const nodeParams = ({ parallel, waitSeconds }: z.infer<typeof NodePlanBodySchema>["params"]): NodePlanRequest["params"] => ({ ...(parallel === undefined ? {} : { parallel }), ...(waitSeconds === undefined ? {} : { waitSeconds }) });

/** A request's words into the service's: names parsed, quantities as numbers. Throws `invalid` with the field, the value and what it may be. */
export function planRequest(node: NodeName, body: z.infer<typeof PlanBodySchema>): PlanRequest {
  const { cpuLimit, memoryLimit, memoryRequest, container } = body.params;
  const errors: { field: string; message: string }[] = [];
  const quantity = (field: string, text: string): number => {
    const value = parseQuantity(text);
    if (value === undefined) errors.push({ field, message: `is "${text}": it must be a quantity such as 2, 100m, 4Gi` });
    return value ?? 0;
  };
  const namespace = parseNamespace(body.namespace);
  if (namespace === undefined) errors.push({ field: "body.namespace", message: `is "${body.namespace}": not a namespace` });
  const daemonSet = parseObjectName(body.daemonSet);
  if (daemonSet === undefined) errors.push({ field: "body.daemonSet", message: `is "${body.daemonSet}": not a DaemonSet's name` });
  const params = {
    container,
    cpuLimitCores: cpuLimit === null ? null : quantity("body.params.cpuLimit", cpuLimit),
    ...(memoryLimit === undefined ? {} : { memoryLimitBytes: quantity("body.params.memoryLimit", memoryLimit) }),
    ...(memoryRequest === undefined ? {} : { memoryRequestBytes: quantity("body.params.memoryRequest", memoryRequest) }),
  };
  if (namespace === undefined || daemonSet === undefined || errors.length > 0) throw new ServiceError("invalid", errors.map((error) => `${error.field} ${error.message}`).join("; "), { errors });
  return { node, action: body.action, namespace, daemonSet, params };
}

export function runRequest(node: NodeName, body: z.infer<typeof RunBodySchema>): RunRequest {
  return { ...planRequest(node, body), requestId: requestIdOf(body.requestId), version: body.version, confirm: body.confirm };
}

export function requestIdOf(text: string): RequestId {
  const id = parseRequestId(text);
  if (id === undefined) throw new ServiceError("invalid", "The request id must be 8 to 64 letters, digits, _ or -.", { errors: [{ field: "requestId", message: "must be 8 to 64 letters, digits, _ or -" }] });
  return id;
}
