import { describe, expect, it } from "vitest";
import { iso, START_MS, STEP_MS, timelineOf, wire } from "@/components/testing/timelines";
import { appendTail } from "./timeline-data";

const at = (columns: number): number => START_MS + columns * STEP_MS;
const answer = (from: number, to: number, state: "yes" | "no") => ({ from: iso(at(from)), to: iso(at(to)), state, atRisk: false, idle: false, summary: "" });

describe("the tail of a live timeline", () => {
  const old = timelineOf([wire("pods.waiting", [1, 2, 3, 4])], { to: iso(at(4)), answers: [answer(0, 4, "yes")] });

  it("takes the place of what it overlaps, and the front is cut to the same length", () => {
    const tail = timelineOf([{ ...wire("pods.waiting", []), at: [at(3), at(4), at(5)], min: [40, 50, 60], max: [40, 50, 60], last: [40, 50, 60] }], { from: iso(at(3)), to: iso(at(6)) });
    const next = appendTail(old, tail);
    expect(next.from).toBe(iso(at(2)));
    expect(next.series[0]?.at).toEqual([at(2), at(3), at(4), at(5)]);
    expect(next.series[0]?.last).toEqual([3, 40, 50, 60]);
  });

  it("brings series that were not there before and keeps those that fell silent", () => {
    const tail = timelineOf([{ ...wire("socket.state", [], "/run/a.sock"), at: [at(4)], min: [2], max: [2], last: [2] }], { from: iso(at(4)), to: iso(at(5)) });
    const next = appendTail(old, tail);
    expect(next.series.map((series) => series.signal)).toEqual(["pods.waiting", "socket.state"]);
    expect(next.series[0]?.last).toEqual([2, 3, 4]);
  });

  it("lets go of a series whose last point has left the front, and keeps one that is told without points", () => {
    const both = timelineOf([wire("daemon.restarts", [1, 2], "old-pod/multus"), wire("pods.waiting", [1, 2, 3, 4])], { to: iso(at(4)) });
    const tail = (columns: number) => timelineOf([wire("socket.state", [], "/run/a.sock")], { from: iso(at(columns)), to: iso(at(columns + 1)) });
    expect(appendTail(both, tail(4)).series.map(({ signal }) => signal)).toEqual(["daemon.restarts", "pods.waiting", "socket.state"]);
    expect(appendTail(both, tail(5)).series.map(({ signal }) => signal)).toEqual(["pods.waiting", "socket.state"]);
  });

  it("goes on with the answer that it had, and adds a new one", () => {
    const next = appendTail(old, timelineOf([], { from: iso(at(3)), to: iso(at(6)), answers: [answer(3, 5, "yes"), answer(5, 6, "no")] }));
    expect(next.answers.map((span) => [span.state, span.from, span.to])).toEqual([["yes", iso(at(0)), iso(at(5))], ["no", iso(at(5)), iso(at(6))]]);
  });

  it("tells an event of the overlap once", () => {
    const event = { at: iso(at(3)), reason: "Killing", type: "Normal" as const, message: "", count: 1, about: "a" };
    const next = appendTail({ ...old, events: [event] }, timelineOf([], { from: iso(at(3)), to: iso(at(5)), events: [event] }));
    expect(next.events).toHaveLength(1);
  });

  it("lets a gap grow instead of leaving its old end", () => {
    const gap = (from: number, to: number) => ({ source: "agent" as const, from: iso(at(from)), to: iso(at(to)), reason: "no report" });
    const next = appendTail({ ...old, gaps: [gap(2, 4)] }, timelineOf([], { from: iso(at(3)), to: iso(at(6)), gaps: [gap(3, 6)] }));
    expect(next.gaps).toEqual([gap(2, 6)]);
  });
});
