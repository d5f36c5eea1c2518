import { hasReadySandbox } from "../domain/fresh";
import { hurtKey, workloadOf } from "../domain/incident/hurt";
import type { PodObject } from "../domain/model";

/** All pods of the cluster are gone through at most this often, and only while somebody is hurt. A few milliseconds for 150,000. */
const COUNT_EVERY_MS = 15_000;
/** Most owners that are counted; more are hurt without a count. */
export const MAX_OWNERS_COUNTED = 2_000;
/** What has no number of replicas to fall short of. */
const UNCOUNTED: ReadonlySet<string> = new Set(["Job", "CronJob", "Pod", "Node"]);

interface Count {
  started: number;
  replicas: number;
}

/** How many pods of the owners that are hurt have a sandbox, in the whole cluster. An owner that was just asked for is counted at the next turn. */
export class ReplicaCounts {
  readonly #wanted = new Map<string, Map<string, string>>();
  #owners = 0;
  #counts: ReadonlyMap<string, Count> = new Map();
  #countedMs = -Infinity;

  /** A waiting pod's owner is to be counted. */
  want(namespace: string, owner: string | undefined, podName: string): void {
    if (owner === undefined || this.#owners >= MAX_OWNERS_COUNTED) return;
    const workload = workloadOf(owner, podName);
    if (UNCOUNTED.has(workload.kind)) return;
    const owners = this.#wanted.get(namespace) ?? new Map<string, string>();
    if (owners.has(owner)) return;
    this.#wanted.set(namespace, owners.set(owner, hurtKey({ namespace, ...workload })));
    this.#owners += 1;
    this.#countedMs = -Infinity;
  }

  readonly of = (key: string): Count | undefined => this.#counts.get(key);

  /** Nobody is hurt any more. */
  clear(): void {
    if (this.#owners === 0) return;
    this.#wanted.clear();
    this.#owners = 0;
    this.#counts = new Map();
  }

  refresh(pods: Iterable<PodObject>, nowMs: number): void {
    if (this.#owners === 0 || Math.abs(nowMs - this.#countedMs) < COUNT_EVERY_MS) return;
    const counts = new Map<string, Count>();
    for (const pod of pods) {
      if (pod.owner === undefined || pod.deleting || pod.phase === "Succeeded" || pod.phase === "Failed") continue;
      const key = this.#wanted.get(pod.namespace)?.get(pod.owner);
      if (key === undefined) continue;
      const count = counts.get(key) ?? { started: 0, replicas: 0 };
      count.replicas += 1;
      if (hasReadySandbox(pod)) count.started += 1;
      counts.set(key, count);
    }
    this.#counts = counts;
    this.#countedMs = nowMs;
  }
}
