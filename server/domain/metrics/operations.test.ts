import { describe, expect, it } from "vitest";
import type { KubeletMetrics } from "../observation";
import type { Sample } from "../signals";
import { advanceOperations, createOperationsState, type OperationsState } from "./operations";

const STEP_MS = 15_000;
const list = { buckets: [{ upTo: 0.005, count: 9 }, { upTo: Infinity, count: 9 }] };
const histogram = (counts: readonly [number, number, number, number]): { upTo: number; count: number }[] =>
  [119, 298, 745, Infinity].map((upTo, index) => ({ upTo, count: counts.slice(0, index + 1).reduce((a, b) => a + b, 0) }));
const page = (run?: readonly [number, number, number, number], errors?: number, stopErrors?: number, processStartSeconds = 1000): KubeletMetrics => ({
  processStartSeconds,
  operations: {
    list_podsandbox: list,
    ...(run === undefined ? {} : { run_podsandbox: { buckets: histogram(run), ...(errors === undefined ? {} : { errors }) } }),
    ...(stopErrors === undefined ? {} : { stop_podsandbox: { buckets: [], errors: stopErrors } }),
  },
});
const run = (pages: readonly (KubeletMetrics | "missed")[], from: OperationsState = createOperationsState()): { state: OperationsState; last: Record<string, number>; all: Sample[][] } => {
  let state = from;
  const all: Sample[][] = [];
  pages.forEach((metrics, index) => {
    if (metrics === "missed") return;
    const step = advanceOperations(state, metrics, (index + 1) * STEP_MS);
    state = step.state;
    all.push([...step.samples]);
  });
  return { state, all, last: Object.fromEntries((all.at(-1) ?? []).map((sample) => [sample.signal, sample.value])) };
};

describe("runtime operations of a kubelet", () => {
  it("tells nothing from the first page, whatever it has counted in its life", () => {
    expect(run([page([5, 600, 3, 1], 600, 40)]).last).toEqual({});
  });

  it("tells calls and errors as zero, and no percentile, where no call finished", () => {
    expect(run([page([5, 6, 3, 1], 3), page([5, 6, 3, 1], 3)]).last).toEqual({ "cri.run_sandbox.calls": 0, "cri.run_sandbox.errors": 0, "cri.stop_sandbox.errors": 0 });
  });

  it("tells a percentile as the bucket that holds it", () => {
    expect(run([page([5, 6, 3, 1]), page([5, 106, 3, 1])]).last).toMatchObject({ "cri.run_sandbox.calls": 100, "cri.run_sandbox.p50.low": 119, "cri.run_sandbox.p50.high": 298 });
  });

  it("tells only a lower edge above the last bucket", () => {
    const { last } = run([page([5, 6, 3, 1]), page([5, 6, 3, 8])]);
    expect(last).toMatchObject({ "cri.run_sandbox.p99.low": 745 });
    expect(last).not.toHaveProperty(["cri.run_sandbox.p99.high"]);
  });

  it("counts the first error of a kubelet, whose series did not exist before", () => {
    expect(run([page([5, 0, 0, 0]), page([5, 2, 0, 0], 2, 1)]).last).toMatchObject({ "cri.run_sandbox.errors": 2, "cri.stop_sandbox.errors": 1 });
  });

  it("counts the first call of a kubelet, whose series did not exist before", () => {
    expect(run([page(), page([3, 0, 0, 0])]).last).toMatchObject({ "cri.run_sandbox.calls": 3, "cri.run_sandbox.p95.high": 119 });
  });

  it("counts from zero after a restart, even where the new process has counted more than the old", () => {
    expect(run([page([5, 0, 0, 0], 5), page([7, 0, 0, 0], 7, undefined, 2000)]).last).toMatchObject({ "cri.run_sandbox.calls": 7, "cri.run_sandbox.errors": 7 });
  });

  it("makes no spike where a series is missing on one page and comes back", () => {
    const { all } = run([page([500, 0, 0, 0], 400), page(), page([501, 0, 0, 0], 401)]);
    expect(all.at(-1)).toContainEqual(expect.objectContaining({ signal: "cri.run_sandbox.calls", value: 1 }));
    expect(all.at(-1)).toContainEqual(expect.objectContaining({ signal: "cri.run_sandbox.errors", value: 1 }));
  });

  it("forgets what was counted in a gap longer than the window", () => {
    const pages = [page([5, 0, 0, 0]), ...Array.from({ length: 25 }, () => "missed" as const), page([900, 0, 0, 0]), page([902, 0, 0, 0])];
    const { all } = run(pages);
    expect(all.at(-2)).toEqual([]);
    expect(all.at(-1)).toContainEqual(expect.objectContaining({ signal: "cri.run_sandbox.calls", value: 2 }));
  });

  it("tells what left the window no longer", () => {
    const quiet = Array.from({ length: 25 }, () => page([105, 0, 0, 0], 9));
    expect(run([page([5, 0, 0, 0], 0), page([105, 0, 0, 0], 9), ...quiet]).last).toEqual({ "cri.run_sandbox.calls": 0, "cri.run_sandbox.errors": 0, "cri.stop_sandbox.errors": 0 });
  });

  it("keeps a bounded number of increments however fast pages come", () => {
    let state = createOperationsState();
    for (let index = 1; index <= 500; index += 1) state = advanceOperations(state, page([index, 0, 0, 0]), index * 100).state;
    expect(state.spans.length).toBeLessThanOrEqual(64);
  });

  it("tells nothing from a page that has no histogram of the runtime's operations", () => {
    const bare: KubeletMetrics = { operations: {}, processStartSeconds: 1 };
    expect(run([bare, bare, bare]).all.flat()).toEqual([]);
  });

  it("tells nothing from a histogram whose cumulative counts fall, and goes on with the next page", () => {
    const broken: KubeletMetrics = { operations: { list_podsandbox: list, run_podsandbox: { buckets: [{ upTo: 1, count: 9 }, { upTo: Infinity, count: 3 }] } }, processStartSeconds: 1000 };
    const { all } = run([page([5, 0, 0, 0]), broken, page([6, 0, 0, 0])]);
    expect(all.map((samples) => samples.find((sample) => sample.signal === "cri.run_sandbox.calls")?.value)).toEqual([undefined, undefined, 1]);
  });
});
