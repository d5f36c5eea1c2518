import { describe, expect, it } from "vitest";
import { NO_HELD_PODS } from "../judge-input";
import type { ContainerResources, PodObject } from "../model";
import { node, nodeName } from "../testing/builders";
import { daemonUnschedulable } from "./daemon-unschedulable";
import { causeCases, checked } from "./testing/cases";
import { daemonPod, daemons, detail, multus, multusDaemonSet } from "./testing/daemons";
import { causeInput } from "./testing/input";
import { socketsSeen } from "./testing/sockets";
import { secondsAgo } from "./testing/texts";

const GI = 2 ** 30;
/** Recorded: a memory limit above the node, and no request. */
const MESSAGE = "0/1 nodes are available: 1 Insufficient memory. preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.";
const asks = (memoryRequestBytes: number): readonly ContainerResources[] => [{ name: "kube-multus", init: false, cpuRequestCores: 0.1, memoryLimitBytes: 4 * GI, memoryRequestBytes }];
const template: readonly ContainerResources[] = [{ name: "kube-multus", init: false, cpuRequestCores: 0.1, memoryLimitBytes: 4 * GI }];
function unscheduled(seconds: number, message: string): PodObject {
  const { node: _, ...unbound } = daemonPod(detail({ containers: asks(4 * GI), ready: false, running: [], terminations: [], unscheduled: { forNode: nodeName("node-07"), message, sinceMs: secondsAgo(seconds) } }), { phase: "Pending", createdMs: secondsAgo(300) });
  return unbound;
}
const unscheduledFor = (seconds: number, message = MESSAGE) => daemons([unscheduled(seconds, message)], [multusDaemonSet({ containers: template })]);
const small = { node: node({ allocatable: { memoryBytes: 3.8 * GI, cpuCores: 2 }, createdMs: secondsAgo(90_000) }) };
const taintedNode = { node: node({ taints: ["gpu=true:NoSchedule"], createdMs: secondsAgo(90_000) }) };
const intolerant = multusDaemonSet({ tolerations: [{ key: "node-role.kubernetes.io/control-plane" }] });

causeCases(daemonUnschedulable, {
  fires: [
    { name: "where the request is as high as the limit and the node too small, as recorded", certainty: "named", detail: "memory", says: ["Insufficient memory", "4 Gi", "kube-multus is not set"], input: causeInput({ ...unscheduledFor(40), ...small, report: null }) },
    { name: "where the node lacks CPU", certainty: "named", detail: "cpu", input: causeInput({ ...unscheduledFor(40, "0/1 nodes are available: 1 Insufficient cpu."), ...small }) },
    { name: "where a taint keeps the daemon away that the config in force calls", certainty: "named", detail: "taint", says: ["gpu=true:NoSchedule"], input: causeInput({ ...daemons([], [intolerant]), ...taintedNode, ...socketsSeen([]) }) },
  ],
  almost: [
    { name: "where the scheduler has only just turned it down", input: causeInput({ ...unscheduledFor(5), ...small }) },
    { name: "where it is placed", input: causeInput({ ...multus(), ...small }) },
    { name: "where the DaemonSet tolerates the taint", input: causeInput({ ...daemons([], [multusDaemonSet()]), ...taintedNode, ...socketsSeen([]) }) },
    { name: "where the taint is Kubernetes' own, or only a preference", input: causeInput({ ...daemons([], [intolerant]), node: node({ taints: ["node.kubernetes.io/unschedulable:NoSchedule", "spot=true:PreferNoSchedule"] }), ...socketsSeen([]) }) },
    { name: "where the DaemonSet picks its nodes", input: causeInput({ ...daemons([], [{ ...intolerant, picksNodes: true }]), ...taintedNode, ...socketsSeen([]) }) },
    { name: "where the config in force does not call the daemon", input: causeInput({ ...daemons([], [intolerant]), ...taintedNode, ...socketsSeen([], { pluginTypes: ["bridge"] }) }) },
    { name: "while the node joins", input: causeInput({ ...daemons([], [intolerant]), node: node({ taints: ["gpu=true:NoSchedule"], createdMs: secondsAgo(60) }), ...socketsSeen([]) }) },
  ],
  missing: [
    { name: "cannot tell where DaemonSets cannot be listed", state: "unknown", says: "DaemonSets cannot be seen", input: causeInput({ kind: (kind) => (kind === "daemonsets" ? { seen: false, reason: "forbidden" } : { seen: true }) }) },
    { name: "only suspects a taint where no agent tells what the config calls, and pods are stuck", state: "suspected", says: "gpu=true:NoSchedule", input: causeInput({ ...daemons([], [intolerant]), ...taintedNode, report: null, held: { ...NO_HELD_PODS, waiting: 2, stuck: 2, oldestWaitMs: secondsAgo(200) } }) },
  ],
});

describe("the nodes of the cluster without the daemon", () => {
  const gapsOf = () => ({ nodes: 24, without: 14, named: [{ node: "node-07", kind: "room" as const, why: "memory: it asks for 4 Gi, and 1 Gi of 3.8 Gi are not asked for yet" }, { node: "node-11", kind: "taint" as const, why: "it bears gpu=true:NoSchedule, which the DaemonSet does not tolerate" }] });

  it.each([["it lacks room", unscheduledFor(40), small], ["a taint is in the way", daemons([], [intolerant]), taintedNode]])("are named with what each lacks where %s", (_, parts, of) => {
    const [finding] = checked(daemonUnschedulable, causeInput({ ...parts, ...of, ...socketsSeen([]), gapsOf }));
    const told = finding?.evidence.map(({ what, value }) => `${what} ${value ?? ""}`).join("\n") ?? "";
    for (const piece of ["14 of 24", "node node-07: memory", "node node-11: it bears gpu", "on 12 more nodes"]) expect(told).toContain(piece);
  });

  it("are not looked for where the daemon is here", () => {
    let asked = 0;
    checked(daemonUnschedulable, causeInput({ ...multus(), ...small, gapsOf: () => ((asked += 1), undefined) }));
    expect(asked).toBe(0);
  });
});

describe("what the pod asks for", () => {
  it("is set beside what the node's other pods ask for, where that is told", () => {
    const web = { ...daemonPod(detail(), { uid: "web", owner: "ReplicaSet/web", requests: { cpuCores: 0.5, memoryBytes: 3 * GI } }) };
    const { pods, ...rest } = unscheduledFor(40);
    const beside = (pod: PodObject) => checked(daemonUnschedulable, causeInput({ ...rest, pods: new Map([...pods, [pod.uid, pod]]), ...small }))[0]?.evidence.find(({ what }) => what.includes("other pods ask for"));
    expect(beside(web)).toMatchObject({ look: "seen", value: 3 * GI, unit: "bytes" });
    const { requests: _, ...untold } = web;
    expect(beside(untold)).toMatchObject({ look: "could-not-look" });
  });

  it("is said to come from a LimitRange where no manifest set it", () => {
    const { node: _, ...pod } = daemonPod(detail({ containers: asks(4 * GI), filledIn: [{ container: "kube-multus", init: false, limits: ["memory"], requests: ["memory"] }], running: [], ready: false, unscheduled: { forNode: nodeName("node-07"), message: MESSAGE, sinceMs: secondsAgo(40) } }), { phase: "Pending" });
    const [finding] = checked(daemonUnschedulable, causeInput({ ...daemons([pod], [multusDaemonSet({ containers: [{ name: "kube-multus", init: false }] })]), ...small }));
    expect(finding?.summary).toContain("the memory request of kube-multus was filled in by a LimitRange of its namespace");
    expect(finding?.evidence).toContainEqual(expect.objectContaining({ look: "seen", what: "A LimitRange of namespace kube-system filled in the memory request of kube-multus" }));
  });

  it("stands beside what the node can give", () => {
    const [finding] = checked(daemonUnschedulable, causeInput({ ...unscheduledFor(40), ...small }));
    expect(finding?.evidence).toEqual(expect.arrayContaining([expect.objectContaining({ value: 4 * GI, unit: "bytes" }), expect.objectContaining({ value: 3.8 * GI, unit: "bytes" }), expect.objectContaining({ look: "not-seen", what: expect.stringContaining("A memory request of kube-multus") as string })]));
  });

  it.each([
    ["a key and any value", [{ key: "gpu" }], false],
    ["its value", [{ key: "gpu", value: "true", effect: "NoSchedule" }], false],
    ["another value", [{ key: "gpu", value: "false" }], true],
    ["another effect", [{ key: "gpu", effect: "NoExecute" }], true],
    ["everything", [{}], false],
  ])("a toleration of %s", (_name, tolerations, fires) => {
    const found = checked(daemonUnschedulable, causeInput({ ...daemons([], [multusDaemonSet({ tolerations })]), ...taintedNode, ...socketsSeen([]) }));
    expect(found[0]?.state === "firing").toBe(fires);
  });
});
