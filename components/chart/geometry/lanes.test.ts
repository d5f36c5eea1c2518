import { describe, expect, it } from "vitest";
import { eventLines, groupEvents, type LaneEvent } from "./events";
import { marksOf, placeMarks } from "./marks";
import { clipSpans, mergeSame, unspanned } from "./strips";

const MINUTE = 60_000;
const event = (atMs: number, change: Partial<LaneEvent> = {}): LaneEvent => ({ atMs, reason: "FailedCreatePodSandBox", type: "Warning", count: 1, about: "shop/a", message: "refused", ...change });
const window = { fromMs: 0, toMs: 60 * MINUTE };

describe("the lane of events", () => {
  it("loses no event of the window and takes none from outside", () => {
    const events = [event(-1), event(0), event(7 * MINUTE), event(8 * MINUTE, { type: "Normal", reason: "SandboxChanged" }), event(60 * MINUTE), event(61 * MINUTE)];
    const groups = groupEvents(events, window);
    expect(groups.reduce((sum, group) => sum + group.total, 0)).toBe(4);
    expect(groups.reduce((sum, group) => sum + group.warnings, 0)).toBe(3);
  });

  it("does not add up running totals: an event that was told 40 times is one event", () => {
    expect(groupEvents([event(MINUTE, { count: 40 })], window)[0]?.total).toBe(1);
  });

  it("names the most frequent reason of a group first", () => {
    const groups = groupEvents([event(MINUTE), event(MINUTE + 1, { reason: "Killing" }), event(MINUTE + 2)], window);
    expect(groups[0]?.reasons).toEqual([{ reason: "FailedCreatePodSandBox", count: 2 }, { reason: "Killing", count: 1 }]);
  });
});

describe("events in words", () => {
  it("tell the same thing said again as one line with its last time and its own total", () => {
    const lines = eventLines([event(1, { count: 3 }), event(9, { count: 5 }), event(5, { about: "shop/b" })]);
    expect(lines.map((line) => [line.about, line.count, line.firstMs, line.lastMs])).toEqual([["shop/a", 5, 1, 9], ["shop/b", 1, 5, 5]]);
  });
});

describe("restarts and kills", () => {
  const restarts = (last: readonly number[]) => [{ pod: "multus-x", series: { at: last.map((_, index) => index * MINUTE), min: last, max: last, last } }];

  it("show a restart where the count grew, and none where a new pod began again at zero", () => {
    const marks = marksOf({ oomKills: [], restarts: restarts([2, 2, 3, 0, 0, 2]), events: [] });
    expect(marks.map((mark) => [mark.atMs / MINUTE, mark.label])).toEqual([[2, "multus-x restarted"], [5, "multus-x restarted ×2"]]);
  });

  it("tell a kill and the restart that follows it as one", () => {
    const marks = marksOf({ oomKills: [{ atMs: 2 * MINUTE - 10_000, container: "kube-multus", pod: "multus-x" }], restarts: restarts([2, 2, 3]), events: [] });
    expect(marks).toEqual([{ atMs: 2 * MINUTE - 10_000, kind: "oom", label: "OOM kube-multus", pod: "multus-x" }]);
  });

  it("take reboots and kubelet starts from the node's own events", () => {
    expect(marksOf({ oomKills: [], restarts: [], events: [event(5, { reason: "Rebooted" }), event(6, { reason: "Pulled" })] }).map((mark) => mark.label)).toEqual(["node reboot"]);
  });

  it.each(["__proto__", "constructor", "toString"])("take nothing from an event whose reason is %s, which anybody may write", (reason) => {
    expect(marksOf({ oomKills: [], restarts: [], events: [event(5, { reason })] })).toEqual([]);
  });

  it("draw every mark of the window, and never let two labels cover each other", () => {
    const marks = [1, 2, 3, 30, 59].map((minute) => ({ atMs: minute * MINUTE, kind: "restart" as const, label: "kubelet restart" }));
    const placed = placeMarks(marks, window, 700);
    expect(placed).toHaveLength(5);
    expect(placed.at(-1)?.side).toBe("left");
    const boxes = placed.flatMap((mark) => {
      const wide = mark.label.length * 6;
      const x = mark.share * 700;
      return mark.side === undefined ? [] : mark.side === "right" ? [[x, x + wide] as const] : [[x - wide, x] as const];
    });
    boxes.slice(1).forEach(([start], index) => expect(start).toBeGreaterThanOrEqual(boxes[index]?.[1] ?? 0));
  });
});

describe("spans of answers", () => {
  it("that say the same and touch are one, and others stay apart", () => {
    const spans = [{ fromMs: 0, toMs: 10, state: "no" }, { fromMs: 11, toMs: 20, state: "no" }, { fromMs: 20, toMs: 30, state: "yes" }, { fromMs: 9_000, toMs: 9_500, state: "yes" }];
    expect(mergeSame(spans, (a, b) => a.state === b.state).map((span) => [span.fromMs, span.toMs])).toEqual([[0, 20], [20, 30], [9_000, 9_500]]);
  });

  it("are cut to the window, and what nobody judged lies between them", () => {
    const spans = clipSpans([{ fromMs: 50, toMs: 400 }, { fromMs: -20, toMs: 10 }, { fromMs: 500, toMs: 600 }], { fromMs: 0, toMs: 300 });
    expect(spans).toEqual([{ fromMs: 0, toMs: 10 }, { fromMs: 50, toMs: 300 }]);
    expect(unspanned(spans, { fromMs: 0, toMs: 300 })).toEqual([{ fromMs: 10, toMs: 50 }]);
  });
});
