import { describe, expect, test } from "vitest";
import type { Namespace, NodeName, ObjectName } from "../domain/ids";
import type { EventObject, NodeObject, PodObject } from "../domain/model";
import { ClusterState, MAX_EVENTS_PER_POD, UNKNOWN_SUBJECT_MS } from "./cluster-state";

const node = (name: string): NodeObject => ({ name: name as NodeName, uid: name, unschedulable: false, taints: [], conditions: [], addresses: [], versions: {}, allocatable: {} });
const pod = (uid: string, on?: string): PodObject => ({
  uid, namespace: "default" as Namespace, name: uid as ObjectName, hostNetwork: false, phase: "Pending", deleting: false, hasIp: false, hasAttachableVolumes: false, hasResourceClaims: false, system: false,
  ...(on === undefined ? {} : { node: on as NodeName }),
});
const event = (uid: string, about: string, lastMs: number, host?: string): EventObject => ({
  uid, namespace: "default", reason: "SandboxChanged", type: "Normal", message: "", count: 1, firstMs: lastMs, lastMs, about: { kind: "Pod", name: about, uid: about }, ...(host === undefined ? {} : { host }),
});
const api = { source: "api", atMs: 0 } as const;

describe("the cluster's objects by node", () => {
  test("a pod that is bound later appears on its node, and on no other", () => {
    const state = new ClusterState();
    state.apply({ ...api, type: "node", object: node("a") });
    expect([...(state.apply({ ...api, type: "pod", object: pod("p") }) as Iterable<NodeName>)]).toEqual([]);
    expect([...(state.apply({ ...api, type: "pod", object: pod("p", "a") }) as Iterable<NodeName>)]).toEqual(["a"]);
    expect([...state.podsOf("a" as NodeName).keys()]).toEqual(["p"]);
  });

  test("a daemon's pod that the scheduler could not place belongs to the only node that it may run on, until it is gone", () => {
    const state = new ClusterState();
    const daemon = (unscheduled?: object): PodObject => ({ ...pod("d", unscheduled === undefined ? "a" : undefined), daemon: { containers: [], restarts: 0, ready: false, running: [], terminations: [], waitingReasons: [], ...(unscheduled === undefined ? {} : { unscheduled }) } });
    expect([...(state.apply({ ...api, type: "pod", object: daemon({ forNode: "a" as NodeName }) }) as Iterable<NodeName>)]).toEqual(["a"]);
    expect([...state.podsOf("a" as NodeName).keys()]).toEqual(["d"]);
    state.apply({ ...api, type: "pod", object: daemon() });
    expect([...state.podsOf("a" as NodeName).keys()]).toEqual(["d"]);
    expect([...(state.apply({ ...api, type: "pod-gone", uid: "d" }) as Iterable<NodeName>)]).toEqual(["a"]);
    expect([...state.podsOf("a" as NodeName).keys()]).toEqual([]);
  });

  test("what a relist does not tell again is gone, with its events", () => {
    const state = new ClusterState();
    state.apply({ ...api, type: "pod", object: pod("old", "a") });
    state.apply({ ...api, type: "pod", object: pod("kept", "a") });
    state.apply({ ...api, type: "event", object: event("e", "old", 1) });
    expect([...(state.apply({ ...api, type: "listed", kind: "pods", keys: new Set(["kept"]) }) as Iterable<NodeName>)]).toEqual(["a"]);
    expect([...state.podsOf("a" as NodeName).keys()]).toEqual(["kept"]);
    expect(state.eventsAbout("old")).toEqual([]);
  });

  test("only the newest events of a pod are kept, in order, an update taking its older self's place", () => {
    const state = new ClusterState();
    for (let i = 0; i < MAX_EVENTS_PER_POD + 5; i++) state.apply({ ...api, type: "event", object: event(`e${i}`, "p", i) });
    state.apply({ ...api, type: "event", object: event("e10", "p", 1_000) });
    const kept = state.eventsAbout("p");
    expect(kept).toHaveLength(MAX_EVENTS_PER_POD);
    expect(kept.at(-1)?.uid).toBe("e10");
    expect(kept.filter((one) => one.uid === "e10")).toHaveLength(1);
  });

  test("events of a pod that is not known are kept for a while and then forgotten, those of a known one with the pod", () => {
    const state = new ClusterState();
    state.apply({ ...api, type: "pod", object: pod("known", "a") });
    const tell = (uid: string, about: string, atMs: number): void => void state.apply({ ...api, atMs, type: "event", object: event(uid, about, atMs) });
    tell("e1", "known", 1_000_000);
    tell("e2", "unknown", 1_000_000);
    tell("e3", "late", 1_000_000);
    state.apply({ ...api, type: "pod", object: pod("late", "a") });
    tell("e4", "another", 1_000_000 + UNKNOWN_SUBJECT_MS);
    expect(state.eventsAbout("unknown")).toHaveLength(1);
    tell("e5", "another", 1_000_000 + UNKNOWN_SUBJECT_MS + 120_000);
    expect(["known", "unknown", "late", "another"].map((uid) => state.eventsAbout(uid).length)).toEqual([1, 0, 1, 2]);
  });

  test("an event finds its node by the pod, and by its reporter's host once the pod is gone", () => {
    const state = new ClusterState();
    state.apply({ ...api, type: "node", object: node("a") });
    state.apply({ ...api, type: "pod", object: pod("p", "a") });
    expect(state.nodeOf(event("e", "p", 1))).toBe("a");
    state.apply({ ...api, type: "pod-gone", uid: "p" });
    expect(state.nodeOf(event("e", "p", 1))).toBeUndefined();
    expect(state.nodeOf(event("e", "p", 1, "a"))).toBe("a");
    expect(state.nodeOf(event("e", "p", 1, "no-such-node"))).toBeUndefined();
  });
});
