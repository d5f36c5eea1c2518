import type { WaitingPod } from "../answer";

/**
 * Workloads that have fewer ready replicas because a node cannot start pods: those whose pods wait on it for a sandbox
 * and for nothing else.
 */
export interface HurtWorkload {
  readonly namespace: string;
  /** "Deployment", "StatefulSet", "Pod" where nobody owns it. */
  readonly kind: string;
  readonly name: string;
  /** What stands still with it; absent where it is no part of the system. */
  readonly role?: HurtRole;
  /** Its pods that wait on the node, now and at most. */
  readonly waiting: number;
  readonly mostWaiting: number;
  /** Of all pods of the same owner in the cluster: how many have a sandbox, how many there are. Absent where they were not counted. */
  readonly started?: number;
  readonly replicas?: number;
  /** When the first of its pods began to wait. */
  readonly sinceMs: number;
  /** When the last of them stopped waiting. */
  readonly toMs?: number;
}

/** In the order in which they are listed: what others need first. */
export const HURT_ROLES = ["DNS", "storage", "webhook", "network", "system"] as const;
export type HurtRole = (typeof HURT_ROLES)[number];

/** Most workloads that one incident remembers; a node has at most a few hundred pods. */
export const MAX_HURT = 200;

/** Words of a workload's name that give its role away. */
const ROLE_WORDS: readonly (readonly [HurtRole, readonly string[]])[] = [
  ["DNS", ["coredns", "kube-dns", "node-local-dns", "nodelocaldns", "dns"]],
  ["storage", ["csi", "provisioner", "attacher", "snapshot-controller"]],
  ["webhook", ["webhook", "admission"]],
  ["network", ["cni", "multus", "cilium", "calico", "flannel", "kube-proxy", "antrea", "ovn", "ovs", "whereabouts", "kube-router", "network-operator", "dynamic-networks"]],
];

/** Who owns a pod, as a person names it: a ReplicaSet's Deployment, a CronJob of its Jobs. Both are read from the names that Kubernetes gives. */
export function workloadOf(owner: string | undefined, podName: string): { readonly kind: string; readonly name: string } {
  const slash = owner?.indexOf("/") ?? -1;
  if (owner === undefined || slash < 0) return { kind: "Pod", name: podName };
  const [kind, name] = [owner.slice(0, slash), owner.slice(slash + 1)];
  const dash = name.lastIndexOf("-");
  const [head, tail] = [name.slice(0, dash), name.slice(dash + 1)];
  if (kind === "ReplicaSet" && dash > 0 && isTemplateHash(tail)) return { kind: "Deployment", name: head };
  if (kind === "Job" && dash > 0 && isMinutes(tail)) return { kind: "CronJob", name: head };
  return { kind, name };
}

/** The letters and digits that Kubernetes makes hashes of: no vowels, no 0, 1 or 3. */
const isTemplateHash = (text: string): boolean => /^[bcdfghjklmnpqrstvwxz2456789]{5,10}$/.test(text);
/** A CronJob names its Jobs after the minute, counted from 1970. */
const isMinutes = (text: string): boolean => /^\d{8,10}$/.test(text);

/** The role by words of its name, else by being of the system at all. */
export function roleOf(name: string, system: boolean): HurtRole | undefined {
  const parts = `-${name.toLowerCase()}-`;
  for (const [role, words] of ROLE_WORDS) if (words.some((word) => parts.includes(`-${word}-`) || (word.length > 3 && parts.includes(word)))) return role;
  return system ? "system" : undefined;
}

export const hurtKey = ({ namespace, kind, name }: Pick<HurtWorkload, "namespace" | "kind" | "name">): string => `${namespace}/${kind}/${name}`;

/** How many of a workload's pods have a sandbox, and how many there are, in the whole cluster. */
export type CountReplicas = (key: string) => { readonly started: number; readonly replicas: number } | undefined;

/**
 * The workloads that are hurt now, with those that were: a workload whose pods stopped waiting stays, with when that was.
 * `pods` may be cut; a workload is told once any of its pods is in it.
 *
 * @param nowMs when the pods were looked at
 */
export function trackHurt(before: readonly HurtWorkload[], pods: readonly WaitingPod[], count: CountReplicas, nowMs: number): readonly HurtWorkload[] {
  const now = new Map<string, { namespace: string; kind: string; name: string; role?: HurtRole; waiting: number; sinceMs: number }>();
  for (const pod of pods) {
    if (pod.hold.kind !== "waiting") continue;
    const workload = { namespace: pod.namespace, ...workloadOf(pod.owner, pod.name) };
    const key = hurtKey(workload);
    const held = now.get(key);
    const role = roleOf(workload.name, pod.system);
    if (held === undefined) now.set(key, { ...workload, ...(role === undefined ? {} : { role }), waiting: 1, sinceMs: pod.hold.sinceMs });
    else now.set(key, { ...held, waiting: held.waiting + 1, sinceMs: Math.min(held.sinceMs, pod.hold.sinceMs) });
  }
  const tracked = before.map((old): HurtWorkload => {
    const key = hurtKey(old);
    const found = now.get(key);
    now.delete(key);
    if (found === undefined) return old.toMs === undefined ? { ...old, waiting: 0, toMs: nowMs, ...count(key) } : old;
    const { toMs: _ended, ...going } = old;
    return { ...going, waiting: found.waiting, mostWaiting: Math.max(old.mostWaiting, found.waiting), sinceMs: Math.min(old.sinceMs, found.sinceMs), ...count(key) };
  });
  const fresh = [...now].map(([key, found]): HurtWorkload => ({ ...found, mostWaiting: found.waiting, ...count(key) }));
  return [...tracked, ...fresh].sort(byRole).slice(0, MAX_HURT);
}

/** What others need first, then what still waits, then the most pods, then by name. */
export function byRole(a: HurtWorkload, b: HurtWorkload): number {
  return rank(a) - rank(b) || Number(b.waiting > 0) - Number(a.waiting > 0) || b.mostWaiting - a.mostWaiting || (hurtKey(a) < hurtKey(b) ? -1 : 1);
}

const rank = ({ role }: HurtWorkload): number => (role === undefined ? HURT_ROLES.length : HURT_ROLES.indexOf(role));

/** One list of several nodes': the same workload counted together. */
export function mergeHurt(lists: readonly (readonly HurtWorkload[])[]): readonly HurtWorkload[] {
  const merged = new Map<string, HurtWorkload>();
  for (const hurt of lists.flat()) {
    const held = merged.get(hurtKey(hurt));
    merged.set(hurtKey(hurt), held === undefined ? hurt : together(held, hurt));
  }
  return [...merged.values()].sort(byRole).slice(0, MAX_HURT);
}

function together(a: HurtWorkload, b: HurtWorkload): HurtWorkload {
  const { toMs: ended, ...both } = { ...a, waiting: a.waiting + b.waiting, mostWaiting: a.mostWaiting + b.mostWaiting, sinceMs: Math.min(a.sinceMs, b.sinceMs) };
  return ended === undefined || b.toMs === undefined ? both : { ...both, toMs: Math.max(ended, b.toMs) };
}
