import { hasReadySandbox } from "../domain/fresh";
import { hurtKey, workloadOf } from "../domain/incident/hurt";
import type { PodObject } from "../domain/model";

/** All pods of the cluster are gone through this often, and only while somebody is hurt. A few milliseconds for 150,000. */
const COUNT_EVERY_MS = 15_000;
/** Sooner where an owner was asked for that was not counted yet, and never sooner than this after the count before. */
const COUNT_NEW_AFTER_MS = 3_000;
/** An owner of whose pods none waits is not asked for any more: each rollout brings new ones, and they must not fill the bound for ever. */
const FORGET_AFTER_MS = 300_000;
/** Most owners that are counted; more are hurt without a count. */
export const MAX_OWNERS_COUNTED = 2_000;
/** What has no number of replicas to fall short of. */
const UNCOUNTED: ReadonlySet<string> = new Set(["Job", "CronJob", "Pod", "Node"]);

interface Count {
  started: number;
  replicas: number;
}

interface Owner {
  /** Its workload, as `hurtKey` names it. */
  readonly key: string;
  wantedMs: number;
}

/** How many pods of the owners that are hurt have a sandbox, in the whole cluster. An owner that was just asked for is counted at the next turn. */
export class ReplicaCounts {
  readonly #wanted = new Map<string, Map<string, Owner>>();
  #owners = 0;
  #hasNew = false;
  #counts: ReadonlyMap<string, Count> = new Map();
  #countedMs = -Infinity;

  /** A waiting pod's owner is to be counted; said again at each look for as long as it waits. */
  want(namespace: string, owner: string | undefined, podName: string, nowMs: number): void {
    if (owner === undefined) return;
    const owners = this.#wanted.get(namespace);
    const known = owners?.get(owner);
    if (known !== undefined) known.wantedMs = nowMs;
    if (known !== undefined || this.#owners >= MAX_OWNERS_COUNTED) return;
    const workload = workloadOf(owner, podName);
    if (UNCOUNTED.has(workload.kind)) return;
    const wanted: Owner = { key: hurtKey({ namespace, ...workload }), wantedMs: nowMs };
    if (owners === undefined) this.#wanted.set(namespace, new Map([[owner, wanted]]));
    else owners.set(owner, wanted);
    this.#owners += 1;
    this.#hasNew = true;
  }

  readonly of = (key: string): Count | undefined => this.#counts.get(key);

  /** Nobody is hurt any more. */
  clear(): void {
    if (this.#owners === 0) return;
    this.#wanted.clear();
    this.#owners = 0;
    this.#counts = new Map();
    this.#hasNew = false;
  }

  refresh(pods: Iterable<PodObject>, nowMs: number): void {
    if (this.#owners === 0 || Math.abs(nowMs - this.#countedMs) < (this.#hasNew ? COUNT_NEW_AFTER_MS : COUNT_EVERY_MS)) return;
    this.#forgetOld(nowMs);
    const counts = new Map<string, Count>();
    for (const pod of pods) {
      if (pod.owner === undefined || pod.deleting || pod.phase === "Succeeded" || pod.phase === "Failed") continue;
      const key = this.#wanted.get(pod.namespace)?.get(pod.owner)?.key;
      if (key === undefined) continue;
      const count = counts.get(key) ?? { started: 0, replicas: 0 };
      count.replicas += 1;
      if (hasReadySandbox(pod)) count.started += 1;
      counts.set(key, count);
    }
    this.#counts = counts;
    this.#countedMs = nowMs;
    this.#hasNew = false;
  }

  #forgetOld(nowMs: number): void {
    for (const [namespace, owners] of this.#wanted) {
      for (const [owner, { wantedMs }] of owners) if (Math.abs(nowMs - wantedMs) > FORGET_AFTER_MS && owners.delete(owner)) this.#owners -= 1;
      if (owners.size === 0) this.#wanted.delete(namespace);
    }
  }
}
