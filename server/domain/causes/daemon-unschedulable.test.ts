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

describe("what the pod asks for", () => {
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
