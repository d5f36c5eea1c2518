import { parseQuantity } from "@/server/domain/quantity";
import type { ActionOffers, ActionParams, ActionRunOut } from "@/server/contract/schemas";

export type Offer = ActionOffers["offers"][number];
export type NodeOffer = ActionOffers["nodeOffers"][number];

/** What the three fields of the plan hold. An empty memory field keeps what the container has. */
export interface Values {
  readonly cpuLimit: string;
  readonly noCpuLimit: boolean;
  readonly memoryRequest: string;
  readonly memoryLimit: string;
}

export type Field = "cpuLimit" | "memoryRequest" | "memoryLimit";
export const FIELDS: readonly Field[] = ["cpuLimit", "memoryRequest", "memoryLimit"];
export const FIELD_LABELS: Readonly<Record<Field, string>> = { cpuLimit: "CPU limit", memoryRequest: "Memory request", memoryLimit: "Memory limit" };

/** Longest quantity that the API takes. */
const MAX_QUANTITY_CHARS = 32;

export const valuesOf = (params: ActionParams): Values => ({
  cpuLimit: params.cpuLimit ?? "",
  noCpuLimit: params.cpuLimit === null,
  memoryRequest: params.memoryRequest ?? "",
  memoryLimit: params.memoryLimit ?? "",
});

export function paramsOf(container: string, values: Values): ActionParams {
  const memoryRequest = values.memoryRequest.trim();
  const memoryLimit = values.memoryLimit.trim();
  return {
    container,
    cpuLimit: values.noCpuLimit ? null : values.cpuLimit.trim(),
    ...(memoryRequest === "" ? {} : { memoryRequest }),
    ...(memoryLimit === "" ? {} : { memoryLimit }),
  };
}

/** What can be told without asking the server; it judges the rest. */
export function localErrors(values: Values): Partial<Record<Field, string>> {
  const errors: Partial<Record<Field, string>> = {};
  if (!values.noCpuLimit && values.cpuLimit.trim() === "") errors.cpuLimit = "Give a CPU limit such as 2 or 500m, or choose no limit.";
  for (const field of FIELDS) {
    const text = field === "cpuLimit" && values.noCpuLimit ? "" : values[field].trim();
    if (text.length > MAX_QUANTITY_CHARS) errors[field] = `${FIELD_LABELS[field]} has ${text.length} characters: at most ${MAX_QUANTITY_CHARS}.`;
    else if (text !== "" && parseQuantity(text) === undefined) errors[field] = `${FIELD_LABELS[field]} is "${text}": it must be a quantity such as 2, 100m, 4Gi.`;
  }
  return errors;
}

export const sameParams = (a: ActionParams, b: ActionParams): boolean =>
  a.container === b.container && a.cpuLimit === b.cpuLimit && a.memoryRequest === b.memoryRequest && a.memoryLimit === b.memoryLimit;

/** "2 CPU and 4 Gi", "no CPU limit, 4 Gi": what a button says it will set. */
export function effectWords(params: ActionParams): string {
  const memory = params.memoryLimit === undefined ? "memory as it is" : spaced(params.memoryLimit);
  return params.cpuLimit === null ? `no CPU limit, ${memory}` : `${params.cpuLimit} CPU and ${memory}`;
}

export const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

/** "4Gi" as "4 Gi": the number and its unit, as everywhere on the pages. */
export const spaced = (quantity: string): string => quantity.replace(/^(\d+(?:\.\d+)?)([KMGTPE]i?|k)$/, "$1 $2");

/**
 * The values that the container had when the run looked, out of what its first step recorded. `undefined` where it
 * recorded none that can be read: then there is nothing to offer.
 */
export function valuesBefore(run: Pick<ActionRunOut, "params" | "steps">): ActionParams | undefined {
  const { params } = run;
  if (params === undefined) return undefined; // its agent's steps record no values
  const recorded = run.steps.find((step) => step.after !== undefined)?.after;
  const resources = recorded === undefined ? undefined : resourcesIn(recorded, params.container);
  if (resources === undefined) return undefined;
  const memoryRequest = text(resources, "requests", "memory");
  const memoryLimit = text(resources, "limits", "memory");
  return {
    container: params.container,
    cpuLimit: text(resources, "limits", "cpu") ?? null,
    ...(memoryRequest === undefined ? {} : { memoryRequest }),
    ...(memoryLimit === undefined ? {} : { memoryLimit }),
  };
}

function resourcesIn(recorded: string, container: string): Record<string, unknown> | undefined {
  let parts: unknown;
  try {
    parts = JSON.parse(recorded);
  } catch {
    return undefined; // a record that was cut off names no values
  }
  if (!Array.isArray(parts)) return undefined;
  const part: unknown = parts.find((one: unknown) => isRecord(one) && one["name"] === container);
  if (!isRecord(part)) return undefined;
  return isRecord(part["resources"]) ? part["resources"] : {};
}

function text(resources: Record<string, unknown>, kind: "limits" | "requests", name: string): string | undefined {
  const group = resources[kind];
  const value = isRecord(group) ? group[name] : undefined;
  return typeof value === "string" ? value : typeof value === "number" ? String(value) : undefined;
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null && !Array.isArray(value);
