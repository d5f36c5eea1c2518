import { describe, expect, it } from "vitest";
import { answered, signal, summary } from "@/components/testing/summaries";
import { toRow } from "./to-row";

describe("a row of the fleet page", () => {
  it("tells a zero from what nobody could see", () => {
    const seen = toRow(summary("a", { signals: [signal("sandbox.backlog", 0)] }));
    const blind = toRow(summary("a", { signals: [signal("sandbox.backlog", undefined)] }));
    expect(seen.dead).toEqual({ value: 0 });
    expect(blind.dead).toEqual({ words: "no data", blind: true, why: "no data" });
  });

  it("does not show a stale value as if it were of now", () => {
    const stale = toRow(summary("a", { signals: [signal("sandbox.backlog", 7, { state: "stale", reason: "no report for 8 min" })] }));
    expect(stale.dead).toEqual({ words: "no data", blind: true, why: "no report for 8 min" });
  });

  it("counts waiting pods only while the node's pods are seen", () => {
    const node = summary("a", { counts: { seen: false, pods: 1, waiting: 3, waitingSystem: 1, stuck: 0, ownRequest: 0, other: 0 } });
    expect(toRow(node).waiting).toEqual({ words: "no data", blind: true });
    expect(toRow(node).waitingSystem).toBe(0);
  });

  it("shows a percentile as the range of its bucket, open above the last one", () => {
    const inside = toRow(summary("a", { signals: [signal("cri.run_sandbox.p95.low", 119.2), signal("cri.run_sandbox.p95.high", 298)] }));
    const above = toRow(summary("a", { signals: [signal("cri.run_sandbox.p95.low", 745.1), signal("cri.run_sandbox.p95.high", undefined)] }));
    expect(inside.p95).toEqual({ low: 119.2, high: 298 });
    expect(above.p95).toEqual({ low: 745.1 });
  });

  it("tells that no call finished from that nobody could look", () => {
    const quiet = toRow(summary("a", { signals: [signal("cri.run_sandbox.calls", 0), signal("cri.run_sandbox.p95.low", undefined)] }));
    const blind = toRow(summary("a", { signals: [signal("cri.run_sandbox.calls", undefined), signal("cri.run_sandbox.p95.low", undefined)] }));
    expect(quiet.p95).toEqual({ words: "no calls", blind: false });
    expect(blind.p95).toMatchObject({ words: "no data", blind: true });
  });

  it("says no limit where nothing can throttle, and takes the worst daemon where something can", () => {
    const none = toRow(summary("a", { signals: [signal("daemon.cpu.throttled_share", undefined, { reason: "no limit" })] }));
    const two = toRow(summary("a", { signals: [signal("daemon.cpu.throttled_share", 0.1, { instance: "p/a" }), signal("daemon.cpu.throttled_share", 0.9, { instance: "p/b" })] }));
    expect(none.throttled).toEqual({ words: "no limit", blind: false });
    expect(two.throttled).toEqual({ value: 0.9 });
  });

  it("does not blame a healthy node for sockets of CNIs that it does not run", () => {
    const signals = [signal("socket.state", 3, { instance: "/run/a.sock" }), signal("socket.state", 0, { instance: "/run/b.sock" }), signal("socket.latency", 0.007, { instance: "/run/b.sock" })];
    expect(toRow(summary("a", { signals })).socket).toEqual({ words: "answers, 7 ms", tone: "plain" });
    expect(toRow(answered("a", "no", {}, { signals })).socket).toEqual({ words: "absent", tone: "bad" });
  });

  it("says of an unknown node which source is blind, and why", () => {
    const node = answered("a", "unknown", {}, { sources: [{ source: "kubelet", freshness: "stale", reason: "connection refused" }] });
    expect(toRow(node).detail).toBe("kubelet: connection refused");
    expect(toRow(summary("a")).detail).toBe("");
  });
});
