import type { PodRequests } from "../../../domain/model";
import { parseQuantity } from "../../../domain/quantity";
import { MAX_LIST_ITEMS } from "./fields";

/** Parts of a pod's spec as they came; each may be anything. */
export interface RequestingSpec {
  readonly containers?: unknown;
  readonly initContainers?: unknown;
  readonly overhead?: unknown;
  readonly resources?: unknown;
}

/** Most different quantities, and pairs of them, that are remembered; past it all are let go. */
const MAX_REMEMBERED = 10_000;

/**
 * What a pod asks a node for, as the scheduler counts it: its containers and sidecars together, or one init container with the sidecars
 * before it where that is more; what is set for the pod as a whole wins; its runtime's overhead on top. Equal answers are one object,
 * and no schema runs over containers: there are
 * 150,000 pods. `undefined` where the pod tells of no containers.
 */
export function requestReader(): (spec: RequestingSpec) => PodRequests | undefined {
  const amounts = new Map<string, number>();
  const answers = new Map<string, PodRequests>();
  const amount = (value: unknown): number => {
    const text = typeof value === "string" ? value : typeof value === "number" ? String(value) : "";
    const known = amounts.get(text);
    if (known !== undefined) return known;
    if (amounts.size >= MAX_REMEMBERED) amounts.clear();
    const parsed = parseQuantity(text) ?? 0;
    amounts.set(text, parsed);
    return parsed;
  };
  const sumOf = (spec: RequestingSpec, resource: "cpu" | "memory"): number => {
    const own = (container: unknown): number => amount(field(field(field(container, "resources"), "requests"), resource));
    let sidecars = 0;
    let most = 0;
    for (const init of items(spec.initContainers)) {
      most = Math.max(most, sidecars + own(init));
      if (field(init, "restartPolicy") === "Always") sidecars += own(init);
    }
    const running = items(spec.containers).reduce<number>((sum, container) => sum + own(container), sidecars);
    const whole = field(field(spec.resources, "requests"), resource);
    return (whole === undefined ? Math.max(running, most) : amount(whole)) + amount(field(spec.overhead, resource));
  };
  return (spec) => {
    if (!Array.isArray(spec.containers)) return undefined;
    const cpuCores = sumOf(spec, "cpu");
    const memoryBytes = sumOf(spec, "memory");
    const key = `${cpuCores}/${memoryBytes}`;
    const known = answers.get(key);
    if (known !== undefined) return known;
    if (answers.size >= MAX_REMEMBERED) answers.clear();
    const made: PodRequests = { cpuCores, memoryBytes };
    answers.set(key, made);
    return made;
  };
}

const field = (value: unknown, name: string): unknown => (typeof value === "object" && value !== null && Object.hasOwn(value, name) ? (value as Readonly<Record<string, unknown>>)[name] : undefined); // an object that has it, just checked
const items = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value.slice(0, MAX_LIST_ITEMS) as readonly unknown[]) : []);
