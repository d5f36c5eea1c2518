import type { KindStatus } from "../domain/observation";

/** The kinds without which the API server counts as away. */
const NEEDED = new Set(["nodes", "pods"]);

export interface ApiHealth {
  readonly reachable: boolean;
  readonly sinceMs: number;
  readonly reason?: string;
}

/** Whether the API server answers, and since when: away since the oldest failure of a kind that is needed, back since the first look without one. */
export class ApiWatch {
  #reachableSinceMs: number | undefined;

  /** `startedMs`: it answered then, or there would be no collector. */
  constructor(startedMs: number) {
    this.#reachableSinceMs = startedMs;
  }

  look(kinds: readonly KindStatus[], nowMs: number): ApiHealth {
    const failing = kinds.filter((kind) => NEEDED.has(kind.kind) && kind.state === "failing");
    const worst = failing.reduce<KindStatus | undefined>((first, kind) => (first === undefined || (kind.failingSinceMs ?? nowMs) < (first.failingSinceMs ?? nowMs) ? kind : first), undefined);
    if (worst === undefined) return { reachable: true, sinceMs: (this.#reachableSinceMs ??= nowMs) };
    this.#reachableSinceMs = undefined;
    return { reachable: false, sinceMs: worst.failingSinceMs ?? nowMs, reason: worst.reason ?? "it does not answer" };
  }
}
