import { cpuQuantity, memoryQuantity, parseQuantity } from "../../domain/quantity";
import type { DaemonResources } from "../model/parameters";
import { present } from "./json";

/** A container's `resources` as the API shows them. */
export function resourcesJson(resources: DaemonResources): Record<string, Record<string, string>> {
  const limits = amounts(resources.cpuLimitCores, resources.memoryLimitBytes);
  const requests = amounts(resources.cpuRequestCores, resources.memoryRequestBytes);
  return { ...(Object.keys(limits).length === 0 ? {} : { limits }), ...(Object.keys(requests).length === 0 ? {} : { requests }) };
}

const amounts = (cores: number | undefined, bytes: number | undefined): Record<string, string> => ({
  ...(cores === undefined ? {} : { cpu: cpuQuantity(cores) }),
  ...(bytes === undefined ? {} : { memory: memoryQuantity(bytes) }),
});

export interface ResourcesProblem {
  readonly field: string;
  readonly value: string;
  readonly message: string;
}

/** `resources` back into numbers; a missing request is the limit, as the API server fills it in. */
export function readResources(json: unknown): { readonly resources: DaemonResources } | { readonly problem: ResourcesProblem } {
  const limits = record(record(json)["limits"]);
  const requests = record(record(json)["requests"]);
  const read = (from: Record<string, unknown>, name: string): number | undefined => {
    const value = from[name];
    return value === undefined || value === null ? undefined : parseQuantity(String(value));
  };
  const cpuLimitCores = read(limits, "cpu");
  const memoryLimitBytes = read(limits, "memory");
  for (const [name, from] of [["limits", limits], ["requests", requests]] as const) {
    for (const [key, value] of Object.entries(from)) {
      if (value !== null && parseQuantity(String(value)) === undefined) {
        return { problem: { field: `resources.${name}.${key}`, value: String(value), message: "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'" } };
      }
    }
  }
  const resources: DaemonResources = present({
    cpuLimitCores,
    memoryLimitBytes,
    cpuRequestCores: read(requests, "cpu") ?? cpuLimitCores,
    memoryRequestBytes: read(requests, "memory") ?? memoryLimitBytes,
  });
  const over = exceeds(resources.memoryRequestBytes, memoryLimitBytes) ? "memory" : exceeds(resources.cpuRequestCores, cpuLimitCores) ? "cpu" : undefined;
  if (over !== undefined) {
    return { problem: { field: "resources.requests", value: String(requests[over]), message: `must be less than or equal to ${over} limit of ${String(limits[over])}` } };
  }
  return { resources };
}

const exceeds = (request: number | undefined, limit: number | undefined): boolean => request !== undefined && limit !== undefined && request > limit;

export const record = (value: unknown): Record<string, unknown> => (typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}); // checked just before
