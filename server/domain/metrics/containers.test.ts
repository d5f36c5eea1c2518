import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CadvisorMetrics, ContainerMetrics } from "../observation";
import { advanceContainers, createContainersState, MAX_CGROUPS, MAX_DAEMON_CONTAINERS } from "./containers";

const MINUTE_MS = 60_000;
const START_MS = 1_800_000_000_000;
const daemon = (figures: Partial<ContainerMetrics>): ContainerMetrics => ({ namespace: "kube-system", pod: "kube-multus-ds-x", container: "kube-multus", cgroupId: "/one", ...figures });
const page = (...containers: ContainerMetrics[]): CadvisorMetrics => ({ containers, hasPressure: false });
const everyone = (): boolean => true;

/** Pages a minute apart; the values of the last one by signal. */
function told(pages: readonly CadvisorMetrics[], stepMs = MINUTE_MS, isDaemon: (namespace: string, pod: string, container: string) => boolean = everyone): Record<string, number> {
  let state = createContainersState();
  let last: Record<string, number> = {};
  pages.forEach((metrics, index) => {
    const step = advanceContainers(state, metrics, START_MS + index * stepMs, isDaemon);
    state = step.state;
    last = Object.fromEntries(step.samples.map((sample) => [sample.signal, sample.value]));
  });
  return last;
}
const throttled = (...pages: readonly CadvisorMetrics[]): number | undefined => told(pages)["daemon.cpu.throttled_share"];
const pressure = (...pages: readonly CadvisorMetrics[]): number | undefined => told(pages)["daemon.cpu.psi_share"];
const cfs = (cfsPeriods: number, cfsThrottledPeriods: number, more: Partial<ContainerMetrics> = {}): CadvisorMetrics => page(daemon({ cfsPeriods, cfsThrottledPeriods, ...more }));

describe("the share of throttled periods of a CNI daemon", () => {
  it("is not known from the first page, whatever was counted in the container's life", () => {
    expect(throttled(cfs(6041, 6019))).toBeUndefined();
  });
  it("is the share of the periods since", () => {
    expect(throttled(cfs(1742, 1724), cfs(6041, 6019))).toBeCloseTo(4295 / 4299, 10);
  });
  it("is zero where periods passed without throttling", () => {
    expect(throttled(cfs(100, 50), cfs(700, 50))).toBe(0);
  });
  it("is not known where no period passed", () => {
    expect(throttled(cfs(100, 50), cfs(100, 50))).toBeUndefined();
  });
  it("is not known where the page has no CFS series, for there is no limit to be throttled by", () => {
    expect(throttled(cfs(100, 50), cfs(700, 350), page(daemon({ memoryWorkingSetBytes: 1 })))).toBeUndefined();
  });
  it("makes no spike where the series end for a while and come back", () => {
    expect(throttled(cfs(100, 50), cfs(700, 50), page(), cfs(1300, 50))).toBe(0);
  });
  it("looks at the last 5 min only", () => {
    const later = Array.from({ length: 6 }, (_, index) => cfs(1000 + 600 * index, 1000));
    expect(throttled(cfs(0, 0), ...later)).toBe(0);
  });
  it("counts both from zero where one of the two began anew", () => {
    expect(throttled(cfs(1000, 10), cfs(20, 15))).toBe(0.75);
  });
  it("goes on over a restart of the container, whose new cgroup began at zero", () => {
    const restarted = cfs(100, 80, { cgroupId: "/two", startTimeSeconds: START_MS / 1000 + 70, statsAtMs: START_MS + 118_000 });
    expect(throttled(cfs(1000, 0, { startTimeSeconds: START_MS / 1000 - 999, statsAtMs: START_MS - 2000 }), cfs(1100, 0, { statsAtMs: START_MS + 58_000 }), restarted)).toBeCloseTo(80 / 200, 10);
  });
  it("does not take the whole life of a cgroup that was there before for what was counted since", () => {
    const old = cfs(99_999, 99_999, { cgroupId: "/old", startTimeSeconds: START_MS / 1000 - 86_400, statsAtMs: START_MS + 58_000 });
    expect(throttled(page(), old)).toBeUndefined();
  });
  it("tells the life that runs now where the old cgroup is still on the page", () => {
    const both = (periods: number): CadvisorMetrics =>
      page(
        daemon({ cgroupId: "/old", startTimeSeconds: 1, memoryWorkingSetBytes: 5, cfsPeriods: 9, cfsThrottledPeriods: 9 }),
        daemon({ cgroupId: "/new", startTimeSeconds: 2, memoryWorkingSetBytes: 7, cfsPeriods: periods, cfsThrottledPeriods: 0 }),
      );
    expect(told([both(10), both(20)])).toEqual({ "daemon.cpu.throttled_share": 0, "daemon.memory.working_set": 7 });
  });
  it("begins anew where the limit is changed while the container runs, so that a resize shows at once", () => {
    const under = (cpuQuotaMicroseconds: number, periods: number, throttledPeriods: number): CadvisorMetrics => cfs(periods, throttledPeriods, { cpuQuotaMicroseconds });
    const before = [under(3_000, 0, 0), under(3_000, 600, 598)];
    expect(throttled(...before, under(200_000, 1_200, 900))).toBeUndefined();
    expect(throttled(...before, under(200_000, 1_200, 900), under(200_000, 1_800, 900))).toBe(0);
    expect(throttled(...before, under(3_000, 1_200, 1_196))).toBeCloseTo(1_196 / 1_200, 10);
  });
  it("is not told across a gap longer than the window", () => {
    expect(told([cfs(0, 0), cfs(900, 900)], 301_000)["daemon.cpu.throttled_share"]).toBeUndefined();
  });
});

describe("the share of time in which a CNI daemon waited for a CPU", () => {
  const psi = (cpuPressureWaitingSeconds: number, statsAtMs?: number): CadvisorMetrics => page(daemon({ cpuPressureWaitingSeconds, ...(statsAtMs === undefined ? {} : { statsAtMs }) }));
  it("is the growth of the waiting time by the time in which it grew", () => {
    expect(pressure(psi(10), psi(25))).toBe(0.25);
  });
  it("goes by the times at which cAdvisor read it, not by those of the page", () => {
    expect(pressure(psi(10, 1_000_000), psi(25, 1_030_000))).toBe(0.5);
  });
  it("is not known where cAdvisor has not read it again since", () => {
    expect(pressure(psi(10, 1_000_000), psi(10, 1_000_000))).toBeUndefined();
  });
  it("is at most 1", () => {
    expect(pressure(psi(0), psi(90))).toBe(1);
  });
  it("is not known where the node has no PSI (cgroup v1)", () => {
    expect(pressure(cfs(1, 1), cfs(2, 2))).toBeUndefined();
  });
});

describe("the containers of a node", () => {
  it("are told by pod and container, and only those of a CNI daemon", () => {
    const other: ContainerMetrics = { namespace: "kube-system", pod: "coredns-1", container: "coredns", cgroupId: "/dns", memoryWorkingSetBytes: 9 };
    const { samples } = advanceContainers(createContainersState(), page(daemon({ memoryWorkingSetBytes: 72_511_488 }), other), START_MS, (_namespace, pod) => pod.startsWith("kube-multus"));
    expect(samples).toEqual([{ signal: "daemon.memory.working_set", instance: "kube-multus-ds-x/kube-multus", atMs: START_MS, value: 72_511_488 }]);
  });
  it("are forgotten once they are gone, and bounded in number", () => {
    let state = createContainersState();
    const crowd = page(...Array.from({ length: MAX_DAEMON_CONTAINERS + 20 }, (_, index) => daemon({ pod: `pod-${index}` })));
    state = advanceContainers(state, crowd, START_MS, everyone).state;
    expect(state.windows.size).toBe(MAX_DAEMON_CONTAINERS);
    state = advanceContainers(state, page(), START_MS + 600_000, everyone).state;
    expect(state.windows.size).toBe(0);
  });
  it("keep a bounded number of past lives", () => {
    let state = createContainersState();
    for (let life = 0; life < 30; life += 1) state = advanceContainers(state, page(daemon({ cgroupId: `/life-${life}` })), START_MS + life * 5000, everyone).state;
    expect([...state.windows.values()].map((window) => window.cgroups.size)).toEqual([MAX_CGROUPS]);
  });

  it("give a share between 0 and 1 or none, whatever a page holds", () => {
    const number = fc.oneof(fc.double(), fc.nat(), fc.constantFrom(NaN, Infinity, -1, 0));
    const optional = fc.option(number, { nil: undefined });
    const figures = fc
      .record({ cgroupId: fc.constantFrom("/a", "/b"), cfsPeriods: optional, cfsThrottledPeriods: optional, cpuPressureWaitingSeconds: optional, startTimeSeconds: optional, statsAtMs: optional })
      .map((record) => daemon(Object.fromEntries(Object.entries(record).filter(([, figure]) => figure !== undefined))));
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.array(figures, { maxLength: 3 }), fc.integer({ min: -1000, max: 120_000 })), { maxLength: 8 }), (steps) => {
        let state = createContainersState();
        let atMs = START_MS;
        for (const [containers, waitMs] of steps) {
          const step = advanceContainers(state, page(...containers), (atMs += waitMs), everyone);
          state = step.state;
          for (const sample of step.samples) if (sample.signal !== "daemon.memory.working_set") expect(sample.value >= 0 && sample.value <= 1).toBe(true);
        }
      }),
      { numRuns: 400 },
    );
  });
});
