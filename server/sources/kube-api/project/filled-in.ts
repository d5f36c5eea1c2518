import type { FilledIn } from "../../../domain/model";

/** What the API server's LimitRanger writes onto a pod in which it filled something in. */
export const LIMIT_RANGER = "kubernetes.io/limit-ranger";
/** A pod with many containers has a long one; what stands behind is not read. */
export const MAX_LIMIT_RANGER_CHARS = 8_192;
const BEGINS = "LimitRanger plugin set: ";
const MAX_CONTAINERS = 64;

/**
 * "LimitRanger plugin set: cpu, memory request for container a; memory limit for init container b": by container what was not in
 * its manifest. `undefined` where nothing of it can be read.
 */
export function filledIn(annotation: string | undefined): readonly FilledIn[] | undefined {
  if (annotation?.startsWith(BEGINS) !== true) return undefined;
  const found = new Map<string, { container: string; init: boolean; limits: readonly string[]; requests: readonly string[] }>();
  for (const part of annotation.slice(BEGINS.length).split("; ")) {
    const [what, whose] = splitOnce(part, " for ");
    const init = whose.startsWith("init container ");
    if (!init && !whose.startsWith("container ")) continue;
    const container = whose.slice(whose.indexOf("container ") + "container ".length);
    const kind = what.endsWith(" limit") ? "limits" : what.endsWith(" request") ? "requests" : undefined;
    if (kind === undefined || container === "" || (found.size >= MAX_CONTAINERS && !found.has(container))) continue;
    const known = found.get(container) ?? { container, init, limits: [], requests: [] };
    found.set(container, { ...known, [kind]: what.slice(0, what.lastIndexOf(" ")).split(", ") });
  }
  return found.size === 0 ? undefined : [...found.values()];
}

function splitOnce(text: string, by: string): readonly [string, string] {
  const at = text.indexOf(by);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + by.length)];
}
