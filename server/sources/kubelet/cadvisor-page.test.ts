import { describe, expect, it } from "vitest";
import { CADVISOR_NAMES, createCadvisorCollector } from "./cadvisor-page";
import { readInChunks } from "./testing/pages";

const read = (lines: readonly string[]) => {
  const collector = createCadvisorCollector(() => true);
  readInChunks(new TextEncoder().encode(lines.join("\n")), CADVISOR_NAMES).samples.forEach(collector.add);
  return collector.finish();
};

/** Lines written for these tests, after the label shapes that the runtimes are known for. */
describe("a cAdvisor page", () => {
  it("of CRI-O (systemd scopes) gives the container, and not the scope below it that has no name", () => {
    const scope = "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod1.slice/crio-aa.scope";
    const labels = (container: string, id: string) => `container="${container}",id="${id}",image="quay.io/x",name="k8s_kube-multus_multus-1_openshift-multus_1_0",namespace="openshift-multus",pod="multus-1"`;
    const { containers } = read([
      `container_cpu_cfs_periods_total{${labels("kube-multus", scope)}} 100 1600000000000`,
      `container_cpu_cfs_periods_total{${labels("", `${scope}/container`)}} 99`,
      `container_cpu_cfs_periods_total{${labels("POD", "/kubepods.slice/crio-bb.scope")}} 98`,
    ]);
    expect(containers).toEqual([{ namespace: "openshift-multus", pod: "multus-1", container: "kube-multus", cgroupId: scope, cfsPeriods: 100, statsAtMs: 1_600_000_000_000 }]);
  });

  it("of the years in between, with old and new labels on one line, gives each container once", () => {
    const { containers } = read(['container_memory_working_set_bytes{container="a",container_name="a",id="/a",namespace="n",pod="p",pod_name="p"} 5']);
    expect(containers).toEqual([{ namespace: "n", pod: "p", container: "a", cgroupId: "/a", memoryWorkingSetBytes: 5 }]);
  });

  it("keeps two cgroups of one container apart", () => {
    const { containers } = read(['container_memory_working_set_bytes{container="a",id="/1",namespace="n",pod="p"} 5', 'container_memory_working_set_bytes{container="a",id="/2",namespace="n",pod="p"} 6']);
    expect(containers.map(({ cgroupId }) => cgroupId)).toEqual(["/1", "/2"]);
  });

  it("adds the CPU series of single cores, and takes a total as it is", () => {
    const { containers } = read([
      'container_cpu_usage_seconds_total{container="a",cpu="cpu00",id="/1",namespace="n",pod="p"} 5',
      'container_cpu_usage_seconds_total{container="a",cpu="cpu01",id="/1",namespace="n",pod="p"} 6',
      'container_cpu_usage_seconds_total{container="b",cpu="total",id="/2",namespace="n",pod="p"} 7',
    ]);
    expect(containers.map(({ cpuUsageSeconds }) => cpuUsageSeconds)).toEqual([11, 7]);
  });

  it("leaves a figure out that is no number, rather than take it for zero", () => {
    const { containers } = read(['container_memory_working_set_bytes{container="a",id="/1",namespace="n",pod="p"} NaN']);
    expect(containers).toEqual([]);
  });

  it("keeps no name or path of a length that no real one has", () => {
    const long = "x".repeat(2_000);
    expect(read([`container_memory_working_set_bytes{container="a",id="${long}",namespace="n",pod="p"} 5`, `container_memory_working_set_bytes{container="${long}",id="/1",namespace="n",pod="p"} 5`]).containers).toEqual([]);
  });

  it("knows whether the node reports pressure even where no wanted container does", () => {
    expect(read(['container_pressure_io_waiting_seconds_total{container="",id="/",namespace="",pod=""} 0'])).toEqual({ containers: [], hasPressure: true });
  });
});
