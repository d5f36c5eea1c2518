import { describe, expect, it } from "vitest";
import { detailOf, START_MS, STEP_MS, timelineOf, wire, iso } from "@/components/testing/timelines";
import { signal } from "@/components/testing/summaries";
import { buildTimeline } from "./build";
import type { BandSeries, ChartPanel, LineSeries } from "./types";

const window = { fromMs: START_MS, toMs: START_MS + 20 * STEP_MS };
const build = (series: Parameters<typeof timelineOf>[0], detail = detailOf(), change = {}) => buildTimeline(timelineOf(series, change), detail, window);
const panel = (panels: readonly ChartPanel[], id: string): ChartPanel => {
  const found = panels.find((one) => one.id === id);
  if (found === undefined) throw new Error(`no panel ${id} among ${panels.map((one) => one.id).join(", ")}`);
  return found;
};
const many = (value: number | undefined, count = 20): (number | undefined)[] => new Array<number | undefined>(count).fill(value);
const daemon = { daemonSet: "kube-system/multus", pod: "multus-x", container: "kube-multus", ready: true, restarts: 0, oomKills: [] };

describe("backlog", () => {
  it("reads its figures at a column and now, and 'no data' where none was told", () => {
    const backlog = panel(build([wire("pods.waiting", [1, 2, 3, undefined, undefined, undefined, undefined, undefined, undefined, 9, ...many(220, 10)])]).panels, "backlog");
    expect(backlog.series[0]?.textAt(1)).toBe("2");
    expect(backlog.series[0]?.textAt(6)).toBe("no data");
    expect(backlog.series[0]?.now).toBe("220");
    expect(backlog.series[1]?.now).toBe("no data");
  });

  it("says why dead sandboxes are not told, instead of a line at zero", () => {
    const detail = detailOf({ signals: [signal("sandbox.backlog", undefined, { reason: "no agent on this node" })] });
    const backlog = panel(build([wire("pods.waiting", many(0))], detail).panels, "backlog");
    expect(backlog.note).toBe("Dead sandboxes: no agent on this node");
    expect((backlog.series[1] as LineSeries).values.last.every((value) => value === undefined)).toBe(true);
  });
});

describe("latency", () => {
  const p95 = (low: (number | undefined)[], high: (number | undefined)[], calls: (number | undefined)[] = many(31)) => [wire("cri.run_sandbox.p95.low", low), wire("cri.run_sandbox.p95.high", high), wire("cri.run_sandbox.calls", calls)];

  it("shows a percentile as its bucket's range and includes the deadline in the axis", () => {
    const latency = panel(build(p95(many(0.49), many(1.22))).panels, "latency");
    expect(latency.series[1]?.now).toBe("0.49–1.22 s");
    expect(latency.scale.max).toBeGreaterThanOrEqual(240);
    expect(latency.limits[0]?.label).toBe("deadline 4 min");
  });

  it("hatches above the last bucket and reads it as more than its edge", () => {
    const latency = panel(build(p95(many(745.1), many(undefined))).panels, "latency");
    expect(latency.series[1]?.now).toBe("> 745 s");
    expect(latency.ceilings).toHaveLength(1);
    expect(latency.ceilings[0]).toMatchObject({ fromMs: START_MS, from: 745.1 });
    expect(latency.scale.max).toBeGreaterThan(745.1);
  });

  it("draws neither a range nor a gap where no call finished", () => {
    const latency = panel(build([wire("cri.run_sandbox.calls", many(0))]).panels, "latency");
    expect(latency.gaps).toEqual([]);
    expect(latency.note).toBe("No call finished in this range");
    expect(latency.series[1]?.now).toBe("no calls");
  });

  it("does not let an old percentile stand for a time in which no call finished", () => {
    const latency = panel(build(p95([2, 2, 2, ...many(undefined, 17)], [4, 4, 4, ...many(undefined, 17)], [9, 9, 9, ...many(0, 17)])).panels, "latency");
    expect((latency.series[1] as BandSeries).low[5]).toBeUndefined();
    expect(latency.series[1]?.textAt(5)).toBe("no calls");
  });

  it("is a gap where not even the calls were told", () => {
    const latency = panel(build([]).panels, "latency");
    expect(latency.gaps).toHaveLength(1);
    expect(latency.series[1]?.now).toBe("no data");
  });

  it("says that a deadline is assumed", () => {
    const latency = panel(build([], detailOf({ deadline: { seconds: 240, assumed: true } })).panels, "latency");
    expect(latency.limits[0]?.label).toBe("deadline 4 min, assumed");
  });
});

describe("a CNI daemon", () => {
  it("reads 'no limit' where nothing can throttle it, never 0 %", () => {
    const drawing = build([wire("daemon.cpu.psi_share", many(0.4), "multus-x/kube-multus")], detailOf({ daemons: [daemon] }));
    const cpu = panel(drawing.panels, "cpu kube-multus");
    expect(cpu.series[0]?.now).toBe("no limit");
    expect(cpu.series[0]?.textAt(3)).toBe("no limit");
    expect(cpu.series[1]?.now).toBe("40 %");
    expect(cpu.note).toContain("no CPU limit");
  });

  it("does not call a broken reading 'no limit'", () => {
    const drawing = build([], detailOf({ daemons: [{ ...daemon, cpuLimitCores: 0.1 }] }));
    expect(panel(drawing.panels, "cpu kube-multus").series[0]?.now).toBe("no data");
    expect(panel(drawing.panels, "cpu kube-multus").gaps).toHaveLength(1);
  });

  it("keeps its memory limit in the axis and marks its kills", () => {
    const limit = 1_024 ** 3;
    const drawing = build([wire("daemon.memory.working_set", many(80 * 1_024 ** 2), "multus-x/kube-multus")], detailOf({ daemons: [{ ...daemon, memoryLimitBytes: limit, oomKills: [iso(START_MS + STEP_MS)] }] }));
    const memory = panel(drawing.panels, "memory kube-multus");
    expect(memory.scale.max).toBeGreaterThan(limit);
    expect(memory.limits[0]?.text).toBe("1 Gi");
    expect(memory.oomKills).toEqual([START_MS + STEP_MS]);
  });

  it("is one line across the pods that followed each other", () => {
    const old = wire("daemon.memory.working_set", [1, 1, 1, 1, 1], "multus-old/kube-multus");
    const young = wire("daemon.memory.working_set", [...many(undefined, 6), ...many(2, 14)], "multus-new/kube-multus");
    const memory = panel(build([old, young], detailOf({ daemons: [{ ...daemon, pod: "multus-new" }] })).panels, "memory kube-multus");
    const values = (memory.series[0] as LineSeries).values.last;
    expect(values[2]).toBe(1);
    expect(values[10]).toBe(2);
  });
});

describe("sockets", () => {
  const path = "/run/multus/multus.sock";
  it("have a lane each that was ever there, silence as a gap, the worst moment kept", () => {
    const drawing = build([wire("socket.state", [0, 0, 2, 0, ...many(undefined, 8), ...many(1, 8)], path), wire("socket.state", many(3), "/run/other.sock")]);
    expect(drawing.strips.map((lane) => lane.title)).toEqual(["multus.sock"]);
    expect(drawing.strips[0]?.runs.map((run) => run.words)).toEqual(["answers", "refuses", "answers", "no data", "silent"]);
  });

  it("show one that the effective conflist calls even where it is absent throughout", () => {
    const detail = detailOf({ sockets: [{ name: "multus", path, state: "absent", effective: true }] });
    expect(build([wire("socket.state", many(3), path)], detail).strips[0]?.runs[0]).toMatchObject({ tone: "bad", words: "absent" });
  });
});
