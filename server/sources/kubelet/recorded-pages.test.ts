import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { createCadvisorCollector, CADVISOR_NAMES } from "./cadvisor-page";
import { createKubeletCollector, KUBELET_NAMES } from "./kubelet-page";
import type { PromSample } from "./prometheus-text";
import { readInChunks, recorded, recordedPages } from "./testing/pages";
import { referenceParse, type ReferenceSample } from "./testing/reference-parser";

/** `expected.tsv` was made by grep and awk (testing/derive-expected.sh), without this parser. */
const EXPECTED = readFileSync(path.join(import.meta.dirname, "testing/expected.tsv"), "utf8")
  .trim()
  .split("\n")
  .slice(1)
  .map((line) => line.split("\t"));

const plain = (sample: PromSample): ReferenceSample => ({ name: sample.name, labels: Object.fromEntries(sample.labels), value: sample.value, timestampMs: sample.timestampMs });
const count = (text: string | undefined): number | undefined => (text === undefined || text === "-" ? undefined : Number(text));
const kubeletMetrics = (page: Uint8Array) => {
  const collector = createKubeletCollector();
  readInChunks(page, KUBELET_NAMES).samples.forEach(collector.add);
  return collector.finish();
};
const cadvisorMetrics = (page: Uint8Array, wanted: (namespace: string, pod: string) => boolean = () => true) => {
  const collector = createCadvisorCollector(wanted);
  readInChunks(page, CADVISOR_NAMES).samples.forEach(collector.add);
  return collector.finish();
};

describe("every recorded page", () => {
  const pages = recordedPages();

  it("is in the table of independently derived values", () => {
    expect(EXPECTED.map(([page]) => page).sort()).toEqual(pages);
    expect(pages.length).toBeGreaterThan(100);
  });

  it.each(pages)("%s reads as the reference parser reads it, wanted or not", (name) => {
    const page = recorded(name);
    const reference = referenceParse(page);
    const everything = readInChunks(page, [...new Set(reference.map((sample) => sample.name))], [7, 65_536, 1021]);
    expect(everything.samples.map(plain)).toEqual(reference);
    expect(everything.counts).toMatchObject({ bytes: page.length, lines: reference.length, samples: reference.length, malformed: 0, tooLong: 0, overBound: false });
    for (const names of [KUBELET_NAMES, CADVISOR_NAMES])
      expect(readInChunks(page, names).samples.map(plain)).toEqual(reference.filter((sample) => names.includes(sample.name)));
  });

  it.each(EXPECTED)("%s gives the operations and containers that grep and awk find", (...row) => {
    const [name = "", samples, runCalls, runUpTo, runErrors, stopErrors, listCalls, containers, periods, throttled, workingSet, pressure] = row;
    const page = recorded(name);
    expect(readInChunks(page, []).counts.lines).toBe(Number(samples));

    const { operations } = kubeletMetrics(page);
    const run = operations["run_podsandbox"];
    expect(run?.buckets.at(-1)).toEqual(count(runCalls) === undefined ? undefined : { upTo: Infinity, count: count(runCalls) });
    expect(run?.buckets.findLast((bucket) => bucket.upTo < 20)?.count).toBe(count(runUpTo));
    expect(run?.errors).toBe(count(runErrors));
    expect(operations["stop_podsandbox"]?.errors).toBe(count(stopErrors));
    expect(operations["list_podsandbox"]?.buckets.at(-1)?.count).toBe(count(listCalls));

    const cadvisor = cadvisorMetrics(page);
    const total = (figure: "cfsPeriods" | "cfsThrottledPeriods" | "memoryWorkingSetBytes"): number => cadvisor.containers.reduce((sum, container) => sum + (container[figure] ?? 0), 0);
    expect(cadvisor.containers).toHaveLength(Number(containers));
    expect([total("cfsPeriods"), total("cfsThrottledPeriods"), total("memoryWorkingSetBytes")]).toEqual([Number(periods), Number(throttled), Number(workingSet)]);
    expect(cadvisor.hasPressure).toBe(pressure === "1");
  });
});

describe("figures read off recorded pages by eye", () => {
  const RETRY_STORM = "multus/retry-storm/cadvisor-metrics-during.txt.gz";
  const find = (name: string, pod: string, container: string) => cadvisorMetrics(recorded(name)).containers.find((found) => found.pod === pod && found.container === container);

  it("hold for a throttled daemon (cgroup v1, containerd)", () => {
    expect(find(RETRY_STORM, "kube-multus-ds-djxrl", "kube-multus")).toEqual({
      namespace: "kube-system",
      pod: "kube-multus-ds-djxrl",
      container: "kube-multus",
      cgroupId: "/kubepods/burstable/pod72aa6d3c-4c39-438a-8b2c-97ba066ceae2/f481d9f412c803415248eb4f7c1b614284ce242ebaba549667b3751e4ff2cf19",
      cfsPeriods: 1742,
      cfsThrottledPeriods: 1724,
      cpuQuotaMicroseconds: 3_000,
      cpuUsageSeconds: 5.207846805,
      memoryWorkingSetBytes: 72_511_488,
      memoryMaxUsageBytes: 101_367_808,
      oomEvents: 0,
      startTimeSeconds: 1_796_036_434,
      statsAtMs: 1_796_036_609_122,
    });
  });
  it("hold for the same daemon ten minutes later", () => {
    expect(find("multus/retry-storm/cadvisor-metrics-before-lift.txt.gz", "kube-multus-ds-djxrl", "kube-multus")).toMatchObject({ cfsPeriods: 6041, cfsThrottledPeriods: 6019, memoryWorkingSetBytes: 111_632_384 });
  });
  it("hold for docker's shape with pod_name and container_name (1.11), whose pause containers are left out", () => {
    const { containers } = cadvisorMetrics(recorded("metrics/splunk__fluent-plugin-kubernetes-metrics__metrics_cadvisor.txt.gz"));
    expect(containers.map(({ container }) => container).sort()).toEqual(["etcd-container", "etcd-container", "kube-apiserver", "kube-controller-manager", "kube-proxy", "kube-scheduler", "dns-controller"].sort());
  });
  it("hold for kindnet on cgroup v2 with pressure (1.35)", () => {
    expect(find("metrics/newrelic__nri-kubernetes__cadvisor_1_35.txt.gz", "kindnet-zkpn8", "kindnet-cni")).toMatchObject({ cfsPeriods: 63, statsAtMs: 1_782_468_880_155 });
  });
  it("hold for kindnet of 1.16, whose pod level is not counted again", () => {
    expect(find("metrics/khulnasoft__integrations-core__cadvisor_metrics_post_1_16.txt.gz", "kindnet-2dv6p", "kindnet-cni")).toMatchObject({ cfsPeriods: 6201 });
  });
  it("hold for the operations of 1.14, whose buckets end at 10 s", () => {
    const { operations } = kubeletMetrics(recorded("metrics/khulnasoft__integrations-core__kubelet_metrics_1_14.txt.gz"));
    expect(operations["list_podsandbox"]?.buckets).toEqual(
      [59_356, 76_831, 79_014, 79_243, 79_311, 79_360, 79_378, 79_392, 79_458, 79_586, 79_667, 79_691].map((value, index) => ({
        upTo: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, Infinity][index],
        count: value,
      })),
    );
  });
  it("hold for a storm's errors", () => {
    const { operations } = kubeletMetrics(recorded("multus/retry-storm/kubelet-metrics-before-lift.txt.gz"));
    expect([operations["run_podsandbox"]?.errors, operations["stop_podsandbox"]?.errors]).toEqual([781, 2445]);
  });
  it("hold for a missing binary: two errors of run, thirty of stop", () => {
    const { operations } = kubeletMetrics(recorded("cluster/faults/missing-binary/kubelet-metrics-during.txt.gz"));
    expect([operations["run_podsandbox"]?.errors, operations["stop_podsandbox"]?.errors]).toEqual([2, 30]);
  });
  it("hold for a healthy kubelet, which has no series of errors at all", () => {
    const { operations, processStartSeconds } = kubeletMetrics(recorded("cluster/faults/none/kubelet-metrics-during.txt.gz"));
    expect(operations["run_podsandbox"]).not.toHaveProperty("errors");
    expect(operations["run_podsandbox"]?.buckets.map((bucket) => bucket.upTo).slice(-3)).toEqual([298.0232238769531, 745.0580596923828, Infinity]);
    expect(processStartSeconds).toBe(1_796_033_209.62);
  });
  it("give nothing for 1.10, whose latencies are microseconds in a summary", () => {
    expect(kubeletMetrics(recorded("metrics/khulnasoft__integrations-core__kubelet_metrics_1_10.txt.gz")).operations).toEqual({});
  });
  it("keep only the pods that are wanted", () => {
    const { containers } = cadvisorMetrics(recorded("metrics/newrelic__nri-kubernetes__cadvisor_1_35.txt.gz"), (namespace, pod) => namespace === "kube-system" && pod.startsWith("kindnet-"));
    expect(containers.map(({ container }) => container)).toEqual(["kindnet-cni"]);
  });
});
