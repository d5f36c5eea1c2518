import { describe, expect, it } from "vitest";
import type { NodeCondition } from "./model";
import type { KindStatus, WatchedKind } from "./observation";
import { apiStatus, partOf, sourceStatus } from "./source-status";
import { API_FRESH_MS } from "./sources";
import { NOW_MS, secondsAgo, watching } from "./testing/builders";

const isReady: NodeCondition = { type: "Ready", status: "True" };
const but = (kind: WatchedKind, over: Partial<KindStatus>): readonly KindStatus[] => watching().map((one) => (one.kind === kind ? { ...one, ...over } : one));
const without = (kind: WatchedKind): readonly KindStatus[] => watching().filter((one) => one.kind !== kind);
const neverHeard = (kind: WatchedKind, state: KindStatus["state"], reason?: string): readonly KindStatus[] => [...without(kind), { kind, state, objects: 0, ...(reason === undefined ? {} : { reason }) }];

describe("a source that is heard at a period", () => {
  const facts = { configured: true, freshForMs: 45_000 };
  it("is fresh to the end of its time and stale from there, with its age and the last failure", () => {
    expect(sourceStatus("kubelet", { ...facts, lastMs: secondsAgo(45) }, NOW_MS)).toEqual({ source: "kubelet", freshness: "fresh", lastMs: secondsAgo(45) });
    expect(sourceStatus("kubelet", { ...facts, lastMs: secondsAgo(46) }, NOW_MS)).toEqual({ source: "kubelet", freshness: "stale", lastMs: secondsAgo(46), reason: "nothing for 46 s" });
    expect(sourceStatus("kubelet", { ...facts, lastMs: secondsAgo(120), reason: "connection refused" }, NOW_MS)).toMatchObject({ reason: "nothing for 2 min: connection refused" });
  });
  it("is absent until it was heard once, with the reason", () => {
    expect(sourceStatus("agent", { ...facts, configured: false }, NOW_MS)).toEqual({ source: "agent", freshness: "absent", reason: "not configured" });
    expect(sourceStatus("agent", facts, NOW_MS)).toEqual({ source: "agent", freshness: "absent", reason: "nothing heard yet" });
    expect(sourceStatus("agent", { ...facts, reason: "401" }, NOW_MS)).toMatchObject({ freshness: "absent", reason: "401" });
  });
});

describe("the API as a source of one node", () => {
  it("is fresh while nodes and pods were heard of within 150 s, an open watch or not", () => {
    expect(apiStatus(watching(), isReady, NOW_MS)).toEqual({ source: "api", freshness: "fresh", lastMs: NOW_MS });
    expect(apiStatus(but("pods", { state: "failing", reason: "connection reset", lastMs: NOW_MS - API_FRESH_MS }), isReady, NOW_MS).freshness).toBe("fresh");
    expect(apiStatus(but("pods", { state: "failing", reason: "connection reset", lastMs: NOW_MS - API_FRESH_MS - 1 }), isReady, NOW_MS)).toEqual({ source: "api", freshness: "stale", lastMs: NOW_MS - API_FRESH_MS - 1, reason: "nothing for 2 min 30 s: connection reset" });
    expect(apiStatus(but("nodes", { lastMs: secondsAgo(151) }), isReady, NOW_MS).freshness).toBe("stale");
  });
  it("does not rest on events, DaemonSets or network attachments", () => {
    for (const kind of ["events", "daemonsets", "nads"] as const) expect(apiStatus(but(kind, { lastMs: secondsAgo(9_000) }), isReady, NOW_MS).freshness).toBe("fresh");
  });
  it("is stale for a node whose kubelet stopped reporting, and for no other reason of the condition", () => {
    expect(apiStatus(watching(), { type: "Ready", status: "Unknown", message: "Kubelet stopped posting node status." }, NOW_MS)).toMatchObject({ freshness: "stale", reason: "the node's kubelet stopped reporting (Kubelet stopped posting node status)" });
    expect(apiStatus(watching(), { type: "Ready", status: "False" }, NOW_MS).freshness).toBe("fresh");
    expect(apiStatus(watching(), undefined, NOW_MS).freshness).toBe("fresh");
  });
  it("is absent while nodes are forbidden, not listed, or the first list is not finished", () => {
    expect(apiStatus(neverHeard("nodes", "forbidden", "nodes is forbidden"), isReady, NOW_MS)).toMatchObject({ freshness: "absent", reason: "nodes is forbidden" });
    expect(apiStatus([], isReady, NOW_MS)).toMatchObject({ freshness: "absent", reason: "nodes were not listed yet" });
    expect(apiStatus(neverHeard("pods", "listing"), isReady, NOW_MS)).toMatchObject({ freshness: "absent", reason: "the first list is not finished" });
    expect(apiStatus(neverHeard("pods", "failing", "dial tcp: i/o timeout"), isReady, NOW_MS)).toMatchObject({ freshness: "absent", reason: "dial tcp: i/o timeout" });
  });
  it("still tells of nodes where pods are forbidden", () => {
    expect(apiStatus(neverHeard("pods", "forbidden", "pods is forbidden"), isReady, NOW_MS).freshness).toBe("fresh");
  });
});

describe("one watched kind", () => {
  it("is seen while it was heard of lately, and otherwise says why not", () => {
    expect(partOf(watching(), "events", NOW_MS)).toEqual({ seen: true });
    expect(partOf(but("events", { lastMs: secondsAgo(200), reason: "403" }), "events", NOW_MS)).toEqual({ seen: false, reason: "nothing about events for 3 min 20 s: 403" });
    expect(partOf(neverHeard("events", "forbidden", "events is forbidden"), "events", NOW_MS)).toEqual({ seen: false, reason: "events is forbidden" });
    expect(partOf(neverHeard("nads", "absent"), "nads", NOW_MS)).toEqual({ seen: false, reason: "nads are absent", absent: true });
    expect(partOf(neverHeard("events", "listing"), "events", NOW_MS)).toEqual({ seen: false, reason: "the first list of events is not finished" });
    expect(partOf([], "pods", NOW_MS)).toEqual({ seen: false, reason: "pods were not listed yet" });
  });
});
