import { describe, expect, it } from "vitest";
import type { SandboxReading } from "../agent-report";
import { MIN_DEAD_AGE_MS, purgeable, withKubeletPods } from "./dead-sandbox";
import { MAX_PODS_AGE_MS } from "./work-order";

const NOW = Date.UTC(2026, 10, 30, 20);
const OLD = NOW - MIN_DEAD_AGE_MS;
const sandbox = (over: Partial<SandboxReading> = {}): SandboxReading => ({ id: "dead", namespace: "default", name: "web-0", uid: "uid-1", attempt: 1, ready: false, createdMs: OLD, ...over });
const pods = (...uids: readonly string[]) => ({ atMs: NOW, uids });
const verdict = (one: SandboxReading, others: readonly SandboxReading[], list = pods()) => purgeable(one, [one, ...others], list, NOW);

describe("a dead sandbox may be taken away", () => {
  it("where its pod is gone from a list of just now", () => {
    expect(verdict(sandbox(), [])).toEqual({ purge: true, because: "its pod is gone" });
  });

  it("where its pod lives and has a newer attempt, dead or ready", () => {
    for (const ready of [true, false]) expect(verdict(sandbox(), [sandbox({ id: "newer", attempt: 2, ready, createdMs: NOW })], pods("uid-1"))).toEqual({ purge: true, because: "its pod has a newer sandbox" });
  });

  it("by time, where the attempts of its pod began again", () => {
    expect(verdict(sandbox(), [sandbox({ id: "later", createdMs: NOW })], pods("uid-1")).purge).toBe(true);
    expect(verdict(sandbox(), [sandbox({ id: "earlier", createdMs: OLD - 1 })], pods("uid-1")).purge).toBe(false);
  });
});

describe("a sandbox stays", () => {
  it.each([
    ["that is ready, whatever else holds", sandbox({ ready: true }), [sandbox({ id: "newer", attempt: 2 })], "it is ready"],
    ["that is a second too young", sandbox({ createdMs: OLD + 1_000 }), [], "it is 599 s old, less than 10 min"],
    ["from the future", sandbox({ createdMs: NOW + 60_000 }), [], "it is 0 s old, less than 10 min"],
    ["of which the runtime does not know the age", { id: "dead", namespace: "default", name: "web-0", uid: "uid-1", attempt: 1, ready: false }, [], "its age is unknown"],
    ["that belongs to nobody by name", sandbox({ uid: "" }), [], "the runtime does not say whose it is"],
    ["whose pod has a ready one of an earlier attempt", sandbox(), [sandbox({ id: "ready", attempt: 0, ready: true })], "its pod has a ready sandbox"],
  ] as const)("%s", (_what, one, others, reason) => {
    expect(verdict(one, others)).toEqual({ purge: false, reason });
  });

  it("that is the newest of a pod that lives, a static one by the hash of its config too", () => {
    expect(verdict(sandbox(), [sandbox({ id: "before", attempt: 0 })], pods("uid-1"))).toEqual({ purge: false, reason: "it is the newest of a pod that lives" });
    expect(verdict(sandbox({ uid: "0f3c9a" }), [], pods("uid-of-the-mirror", "0f3c9a")).purge).toBe(false);
  });

  it("while the list of pods is older than 30 s, or of a time to come", () => {
    for (const atMs of [NOW - MAX_PODS_AGE_MS - 1, NOW + MAX_PODS_AGE_MS + 1]) expect(verdict(sandbox(), [], { atMs, uids: [] })).toEqual({ purge: false, reason: "the list of pods is 30 s old, more than 30 s" });
  });

  it("whose pod the kubelet itself still has, though the server's list lacks it; by a list that is too old, or that could not be had, the server's word holds", () => {
    const kubelet = (over: { readonly atMs?: number; readonly looked?: false } = {}) => ({ atMs: over.atMs ?? NOW, kubeletPods: over.looked === false ? { looked: false as const, reason: "shut" } : { looked: true as const, truncated: false, items: [{ uid: "uid-1", namespace: "default", name: "web-0" }] } });
    const by = (report: Parameters<typeof withKubeletPods>[1]) => verdict(sandbox(), [], withKubeletPods(pods("uid-2"), report, NOW));
    expect(by(kubelet())).toEqual({ purge: false, reason: "it is the newest of a pod that lives" });
    for (const report of [undefined, { atMs: NOW }, kubelet({ looked: false }), kubelet({ atMs: NOW - MAX_PODS_AGE_MS - 1 })]) expect(by(report)).toEqual({ purge: true, because: "its pod is gone" });
    expect(withKubeletPods({ atMs: NOW - 1, uids: ["uid-1", "uid-3"] }, kubelet(), NOW)).toEqual({ atMs: NOW - 1, uids: ["uid-1", "uid-3"] });
  });
});
