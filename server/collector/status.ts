import type { KindStatus } from "../domain/observation";

/** The kinds without which the API server counts as away. */
const NEEDED = new Set(["nodes", "pods"]);

/** Whether the API server answers, and since when: the oldest failure of a kind that is needed. */
export function apiHealth(kinds: readonly KindStatus[], startedMs: number, nowMs: number): { readonly reachable: boolean; readonly sinceMs: number; readonly reason?: string } {
  const failing = kinds.filter((kind) => NEEDED.has(kind.kind) && kind.state === "failing");
  const worst = failing.reduce<KindStatus | undefined>((first, kind) => (first === undefined || (kind.failingSinceMs ?? nowMs) < (first.failingSinceMs ?? nowMs) ? kind : first), undefined);
  if (worst === undefined) return { reachable: true, sinceMs: startedMs };
  return { reachable: false, sinceMs: worst.failingSinceMs ?? nowMs, reason: worst.reason ?? "it does not answer" };
}
