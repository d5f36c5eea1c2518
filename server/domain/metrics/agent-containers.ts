import type { LaterParts } from "../agent-readings";
import type { CadvisorMetrics, ContainerMetrics } from "../observation";

/** The period that the kubelet sets unless it is told another. */
const CFS_PERIOD_MICROSECONDS = 100_000;

/**
 * The cgroups of an agent's report in the form of a cAdvisor page, so that shares are made of both in one way: increments
 * of 5 min, resets without spikes. `undefined` where the agent could not look at cgroups, or is older than this part.
 */
export function agentContainers(cgroups: LaterParts["cgroups"]): CadvisorMetrics | undefined {
  if (cgroups?.looked !== true) return undefined;
  const containers = cgroups.items.map((item): ContainerMetrics => {
    const { cpuQuotaCores, cpuPeriods, cpuThrottledPeriods, cpuPressureSeconds, cpuUsageSeconds, memoryWorkingSetBytes, memoryPeakBytes, oomKills, startedMs } = item;
    return {
      namespace: item.namespace,
      pod: item.pod,
      container: item.container,
      cgroupId: item.containerId ?? `${item.podUid}/${item.container}`,
      ...(cpuPeriods === undefined ? {} : { cfsPeriods: cpuPeriods }),
      ...(cpuThrottledPeriods === undefined ? {} : { cfsThrottledPeriods: cpuThrottledPeriods }),
      ...(cpuQuotaCores === undefined ? {} : { cpuQuotaMicroseconds: Math.round(cpuQuotaCores * CFS_PERIOD_MICROSECONDS) }),
      ...(cpuPressureSeconds === undefined ? {} : { cpuPressureWaitingSeconds: cpuPressureSeconds }),
      ...(cpuUsageSeconds === undefined ? {} : { cpuUsageSeconds }),
      ...(memoryWorkingSetBytes === undefined ? {} : { memoryWorkingSetBytes }),
      ...(memoryPeakBytes === undefined ? {} : { memoryMaxUsageBytes: memoryPeakBytes }),
      ...(oomKills === undefined ? {} : { oomEvents: oomKills }),
      ...(startedMs === undefined ? {} : { startTimeSeconds: startedMs / 1_000 }),
      ...(cgroups.readMs === undefined ? {} : { statsAtMs: cgroups.readMs }),
    };
  });
  return { containers, hasPressure: cgroups.items.some(({ cpuPressureSeconds }) => cpuPressureSeconds !== undefined) };
}
