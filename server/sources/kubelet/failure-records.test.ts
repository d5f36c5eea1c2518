import pino from "pino";
import { describe, expect, test } from "vitest";
import { createFailureRecords } from "./failure-records";

/** A clock whose timers run when the test says so. */
function manual() {
  const timers = new Set<() => void>();
  return {
    after: (_ms: number, run: () => void) => {
      timers.add(run);
      return () => void timers.delete(run);
    },
    pass: () => {
      const due = [...timers];
      timers.clear();
      for (const run of due) run();
    },
    waiting: () => timers.size,
  };
}

function records(level = "warn") {
  const lines: Record<string, unknown>[] = [];
  const clock = manual();
  const told = createFailureRecords(pino({ level, base: null, timestamp: false }, { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) }), clock);
  return { lines, clock, told };
}

describe("pages of kubelets that cannot be read", () => {
  test("for one reason are one record by name and one with how many more, however many nodes", () => {
    const { lines, clock, told } = records();
    for (let node = 0; node < 500; node += 1) told.tell({ node: `n-${node}`, page: "metrics", reason: "403" });
    expect(lines).toMatchObject([{ node: "n-0", page: "metrics", reason: "403" }]);
    clock.pass();
    expect(lines).toMatchObject([{ node: "n-0" }, { page: "metrics", reason: "403", nodes: 499, msg: "kubelet page not read on more nodes" }]);
    told.tell({ node: "n-7", page: "metrics", reason: "403" });
    expect(lines).toHaveLength(3);
  });

  test("for different reasons, or of different pages, are a record each", () => {
    const { lines, clock, told } = records();
    told.tell({ node: "a", page: "metrics", reason: "403" });
    told.tell({ node: "a", page: "cadvisor", reason: "403" });
    told.tell({ node: "a", page: "metrics", reason: "timed out" });
    clock.pass();
    expect(lines).toHaveLength(3);
  });

  test("keep each node's name where more is asked for", () => {
    const { lines, told } = records("debug");
    for (const node of ["a", "b"]) told.tell({ node, page: "metrics", reason: "403" });
    expect(lines.map(({ node }) => node)).toEqual(["a", "b"]);
  });

  test("for a reason of each one's own are bounded", () => {
    const { lines, clock, told } = records();
    for (let node = 0; node < 1_000; node += 1) told.tell({ node: `n-${node}`, page: "metrics", reason: `port ${node}` });
    expect(lines.length).toBeLessThanOrEqual(65);
    clock.pass();
    expect(lines.at(-1)).toMatchObject({ reason: "various reasons", nodes: 1_000 - lines.length + 1 });
  });

  test("leave no timer behind", () => {
    const { clock, told } = records();
    told.tell({ node: "a", page: "metrics", reason: "403" });
    told.stop();
    expect(clock.waiting()).toBe(0);
  });
});
