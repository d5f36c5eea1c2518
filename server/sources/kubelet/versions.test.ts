import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { KUBELET_MINORS, OPERATIONS_FAMILY } from "../../domain/kubelet-versions";
import { CADVISOR_NAMES, createCadvisorCollector } from "./cadvisor-page";
import { createKubeletCollector, KUBELET_NAMES } from "./kubelet-page";
import { readInChunks, recorded } from "./testing/pages";

/** Made by testing/derive-metric-names.sh from the sources of each minor version. */
const ROWS = readFileSync(path.join(import.meta.dirname, "testing/metric-names.tsv"), "utf8").trim().split("\n").slice(1).map((line) => {
  const [minor = "", kubernetes = "", cadvisor = "", family = "", reported = ""] = line.split("\t");
  return { minor: Number(minor), kubernetes, cadvisor, family, reported: reported === "yes" };
});
/** As they are read; the client library that every Go program has tells the start of the process. */
const FAMILIES = [...KUBELET_NAMES, ...CADVISOR_NAMES].map((name) => name.replace(/_bucket$/, "")).filter((name) => name !== "process_start_time_seconds").sort();
const isPressure = (family: string): boolean => family.startsWith("container_pressure_");

describe.each(KUBELET_MINORS.map((one) => [one.minor, one] as const))("kubelets of 1.%i", (minor, { pressure }) => {
  const own = ROWS.filter((row) => row.minor === minor);

  it("were looked up for every family that is read, and none else", () => {
    expect(own.map(({ family }) => family).sort()).toEqual(FAMILIES);
    for (const { kubernetes, cadvisor } of own) expect([kubernetes, cadvisor]).toEqual([expect.stringMatching(new RegExp(`^v1\\.${minor}\\.\\d+$`)), expect.stringMatching(/^v0\.\d+\.\d+$/)]);
  });

  it("report every one of them under its name, but for pressure where the table says that there is none", () => {
    expect(own.filter(({ reported }) => !reported).map(({ family }) => family).sort()).toEqual(pressure === "none" ? FAMILIES.filter(isPressure) : []);
  });
});

describe("recorded pages", () => {
  it.each([31, 32, 33, 34, 35])("of cAdvisor of 1.%i give the figures that are read, and pressure where the table says that it is on", (minor) => {
    const collector = createCadvisorCollector(() => true);
    readInChunks(recorded(`metrics/newrelic__nri-kubernetes__cadvisor_1_${minor}.txt.gz`), CADVISOR_NAMES).samples.forEach(collector.add);
    const { containers, hasPressure } = collector.finish();
    expect(hasPressure).toBe(KUBELET_MINORS.find((one) => one.minor === minor)?.pressure === "on");
    expect(containers.some(({ cfsPeriods, cfsThrottledPeriods }) => cfsPeriods !== undefined && cfsThrottledPeriods !== undefined)).toBe(true);
    for (const figure of ["cpuUsageSeconds", "memoryWorkingSetBytes", "startTimeSeconds"] as const) expect(containers.filter((one) => one[figure] === undefined), figure).toEqual([]);
  });

  it.each([
    ["1.37", "multus/healthy/kubelet-metrics-during.txt.gz", true],
    ["1.10, before the family had this name", "metrics/khulnasoft__integrations-core__kubelet_metrics_1_10.txt.gz", false],
  ])("of a kubelet of %s give its operations, or none at all, which is told as a metric that is not there", (_, page, has) => {
    const collector = createKubeletCollector();
    readInChunks(recorded(page), KUBELET_NAMES).samples.forEach(collector.add);
    expect(Object.keys(collector.finish().operations).length > 0).toBe(has);
    expect(KUBELET_NAMES).toContain(`${OPERATIONS_FAMILY}_bucket`);
  });
});
