import { describe, expect, it } from "vitest";
import { advanceContainers, createContainersState } from "../../domain/metrics/containers";
import { advanceOperations, callsFromBucketOf, createOperationsState } from "../../domain/metrics/operations";
import type { Sample } from "../../domain/signals";
import { CADVISOR_NAMES, createCadvisorCollector } from "./cadvisor-page";
import { createKubeletCollector, KUBELET_NAMES } from "./kubelet-page";
import { readInChunks, recorded } from "./testing/pages";

/**
 * Recorded pages of one node as the windows see them. The differences were taken by hand from the pages' lines; the
 * pages are handed in as if they were a minute apart.
 */
const MINUTE_MS = 60_000;
const kubelet = (name: string) => {
  const collector = createKubeletCollector();
  readInChunks(recorded(`${name}.txt.gz`), KUBELET_NAMES).samples.forEach(collector.add);
  return collector.finish();
};
const cadvisor = (name: string) => {
  const collector = createCadvisorCollector(() => true);
  readInChunks(recorded(`${name}.txt.gz`), CADVISOR_NAMES).samples.forEach(collector.add);
  return collector.finish();
};
const values = (samples: readonly Sample[]): Record<string, number> => Object.fromEntries(samples.map(({ signal, value }) => [signal, value]));

function operations(...names: readonly string[]) {
  let state = createOperationsState();
  let told: Record<string, number> = {};
  names.forEach((name, index) => {
    const step = advanceOperations(state, kubelet(name), (index + 1) * MINUTE_MS);
    state = step.state;
    told = values(step.samples);
  });
  return { state, told };
}

describe("recorded kubelets", () => {
  it("tell a retry storm's first phase: every call failed, half of them at once because the name was reserved, the others after the deadline", () => {
    const { state, told } = operations("multus/retry-storm/kubelet-metrics-before", "multus/retry-storm/kubelet-metrics-during");
    expect(told).toEqual({
      "cri.run_sandbox.calls": 541,
      "cri.run_sandbox.errors": 541,
      "cri.stop_sandbox.errors": 374,
      "cri.run_sandbox.p50.low": 0.005,
      "cri.run_sandbox.p50.high": 0.0125,
      "cri.run_sandbox.p95.low": 19.073486328125,
      "cri.run_sandbox.p95.high": 47.6837158203125,
      "cri.run_sandbox.p99.low": 19.073486328125,
      "cri.run_sandbox.p99.high": 47.6837158203125,
    });
    expect(callsFromBucketOf(state, 30)).toBe(107);
    expect(callsFromBucketOf(state, 240)).toBe(0);
  });

  it("tell its second, almost silent phase: a few calls, thousands of failed stops", () => {
    const { told } = operations("multus/retry-storm/kubelet-metrics-during", "multus/retry-storm/kubelet-metrics-before-lift");
    expect(told).toMatchObject({ "cri.run_sandbox.calls": 16, "cri.run_sandbox.errors": 16, "cri.stop_sandbox.errors": 2060 });
  });

  it("tell no call while a daemon hangs, until the deadline ends the first ones", () => {
    const { state, told } = operations("cluster/faults/daemon-slow/kubelet-metrics-before", "cluster/faults/daemon-slow/kubelet-metrics-during");
    expect(told).toMatchObject({ "cri.run_sandbox.calls": 4, "cri.run_sandbox.errors": 4, "cri.run_sandbox.p95.low": 119.20928955078125, "cri.run_sandbox.p95.high": 298.0232238769531 });
    expect(callsFromBucketOf(state, 240)).toBe(2);
  });

  it("tell a missing binary as failed stops, hardly as failed runs", () => {
    const { told } = operations("cluster/faults/missing-binary/kubelet-metrics-before", "cluster/faults/missing-binary/kubelet-metrics-during");
    expect(told).toMatchObject({ "cri.run_sandbox.errors": 2, "cri.stop_sandbox.errors": 30 });
  });

  it("tell the first calls of a kubelet that had none", () => {
    const { told } = operations("cluster/faults/none/kubelet-metrics-before", "cluster/faults/none/kubelet-metrics-during");
    expect(told).toMatchObject({ "cri.run_sandbox.calls": 2, "cri.run_sandbox.errors": 0 });
  });

  it("tell nothing at all for 1.10", () => {
    const old = "metrics/khulnasoft__integrations-core__kubelet_metrics_1_10";
    expect(operations(old, old, old).told).toEqual({});
  });
});

describe("recorded cAdvisor pages", () => {
  const shares = (...names: readonly string[]): Record<string, number> => {
    let state = createContainersState();
    let told: Record<string, number> = {};
    names.forEach((name, index) => {
      const step = advanceContainers(state, cadvisor(name), (index + 1) * MINUTE_MS, (_namespace, pod) => pod.startsWith("kube-multus-ds"));
      state = step.state;
      told = values(step.samples);
    });
    return told;
  };

  it("tell a daemon at 30m CPU throttled in 4295 of 4299 periods, and no pressure on cgroup v1", () => {
    expect(shares("multus/retry-storm/cadvisor-metrics-during", "multus/retry-storm/cadvisor-metrics-before-lift")).toEqual({
      "daemon.cpu.throttled_share": 4295 / 4299,
      "daemon.memory.working_set": 111_632_384,
      "daemon.memory.peak": 121_032_704,
    });
  });

  it("tell no throttled share of a daemon that has no limit", () => {
    expect(shares("multus/healthy/cadvisor-metrics-before", "multus/healthy/cadvisor-metrics-during")).not.toHaveProperty(["daemon.cpu.throttled_share"]);
  });
});
