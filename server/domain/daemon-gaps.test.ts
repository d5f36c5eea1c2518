import { describe, expect, it } from "vitest";
import { daemonPod, daemons, detail, multusDaemonSet } from "./causes/testing/daemons";
import { askedFor, daemonGaps, JOINING_MS, MAX_GAPS_NAMED } from "./daemon-gaps";
import type { DaemonSetObject, NodeObject, PodObject } from "./model";
import { node, nodeName, NOW_MS, objectName, secondsAgo, startedPod } from "./testing/builders";

const GI = 2 ** 30;
const daemonOf = (over: Partial<DaemonSetObject> = {}) => {
  const daemon = daemons([], [multusDaemonSet(over)]).cniDaemons?.[0];
  if (daemon === undefined) throw new Error("multus is a CNI daemon");
  return daemon;
};
const nodeAt = (name: string, over: Partial<NodeObject> = {}): NodeObject => node({ name: nodeName(name), createdMs: secondsAgo(90_000), allocatable: { memoryBytes: 4 * GI, cpuCores: 2 }, ...over });
const here = (name: string): PodObject => daemonPod(detail(), { uid: `d-${name}`, node: nodeName(name), requests: { cpuCores: 0.1, memoryBytes: GI } });
function unplaced(name: string, over: Partial<PodObject> = {}): PodObject {
  const { node: _, ...pod } = daemonPod(detail({ unscheduled: { forNode: nodeName(name), message: "0/3 nodes are available: 1 Insufficient memory." } }), { uid: `d-${name}`, name: objectName("kube-multus-ds-z"), phase: "Pending", requests: { cpuCores: 0.1, memoryBytes: 2 * GI }, ...over });
  return pod;
}
const web = (name: string, memoryBytes: number, over: Partial<PodObject> = {}): PodObject => startedPod(secondsAgo(600), { uid: `w-${name}-${memoryBytes}`, node: nodeName(name), requests: { cpuCores: 0.5, memoryBytes }, ...over });
const gapsOf = (nodes: readonly NodeObject[], pods: Readonly<Record<string, readonly PodObject[]>>, over: Partial<DaemonSetObject> = {}) => daemonGaps(daemonOf(over), nodes, ({ name }) => pods[name] ?? [], NOW_MS);
const TAINT = "gpu=true:NoSchedule";
const intolerant = { tolerations: [{ key: "other" }] };

describe("nodes without a daemon", () => {
  it("are those without its pod, with what is in the way: room before taints, and a node that has it is none", () => {
    const nodes = [nodeAt("a"), nodeAt("b", { taints: [TAINT] }), nodeAt("c"), nodeAt("d")];
    const { named, ...counts } = gapsOf(nodes, { a: [here("a")], c: [unplaced("c"), web("c", 3 * GI)] }, intolerant);
    expect(counts).toEqual({ nodes: 4, without: 3 });
    expect(named.map(({ node: of, kind }) => [of, kind])).toEqual([["c", "room"], ["b", "taint"], ["d", "unseen"]]);
    expect(named[0]?.why).toBe("memory: it asks for 2 Gi, and 1 Gi of 4 Gi are not asked for yet");
    expect(named[1]?.why).toContain(TAINT);
  });

  it("are told by the scheduler's own words where the figures do not say why, or are not told", () => {
    expect(gapsOf([nodeAt("c")], { c: [unplaced("c"), web("c", GI)] }).named[0]?.why).toContain("Insufficient memory");
    const { requests: _, ...untold } = web("c", 3 * GI);
    expect(gapsOf([nodeAt("c")], { c: [unplaced("c"), untold] }).named[0]?.why).toContain("the scheduler says");
  });

  it("may be left out by the DaemonSet's own choice, which is said", () => {
    expect(gapsOf([nodeAt("a")], {}, { picksNodes: true }).named[0]).toMatchObject({ kind: "picks" });
  });

  it("are none while they join, unless the scheduler has turned a pod down", () => {
    const joining = nodeAt("a", { createdMs: NOW_MS - JOINING_MS + 1_000 });
    expect(gapsOf([joining], {}).without).toBe(0);
    expect(gapsOf([joining], { a: [unplaced("a")] }).without).toBe(1);
  });

  it("do not count a pod of the same name in another namespace, or of another DaemonSet", () => {
    expect(gapsOf([nodeAt("a")], { a: [{ ...here("a"), owner: "DaemonSet/other" }] }).without).toBe(1);
  });

  it("are listed within a bound, and counted beyond it", () => {
    const nodes = Array.from({ length: 500 }, (_, index) => nodeAt(`n-${index}`));
    const gaps = gapsOf(nodes, {});
    expect([gaps.without, gaps.named.length]).toEqual([500, MAX_GAPS_NAMED]);
  });
});

describe("what the pods of a node ask for", () => {
  it("is that of all that are bound and not finished, but for one", () => {
    const own = here("a");
    expect(askedFor([own, web("a", GI), web("a", 2 * GI, { phase: "Succeeded" }), unplaced("a")], own)).toEqual({ cpuCores: 0.5, memoryBytes: GI });
  });

  it("is not known, and not nothing, where one does not tell", () => {
    const { requests: _, ...untold } = web("a", GI);
    expect(askedFor([web("a", GI), untold])).toBeUndefined();
  });
});
