import type { ContainerCgroup } from "../../domain/agent-readings";
import { count, told } from "../bounds";
import { oneNumber, readCgroupFile, someSeconds, valueOf } from "./files";
import type { Hierarchy } from "./hierarchy";

/** What a container's cgroup says; a limit that is not set, and what this kernel does not tell, are absent. */
export type CgroupFigures = Pick<
  ContainerCgroup,
  "cpuQuotaCores" | "cpuPeriods" | "cpuThrottledPeriods" | "cpuUsageSeconds" | "cpuPressureSeconds" | "memoryBytes" | "memoryWorkingSetBytes" | "memoryLimitBytes" | "memoryPeakBytes" | "oomEvents" | "oomKills"
>;

/** Version 1 writes "no limit" as the largest number of whole pages, whatever the page is. */
const UNLIMITED_BYTES = 2 ** 62;
const NANOSECONDS = 1e9;
const MICROSECONDS = 1e6;

/** Undefined where the cgroup is gone: its container has ended. */
export const readContainer = (hierarchy: Hierarchy, path: string): Promise<CgroupFigures | undefined> => (hierarchy.version === 2 ? readV2(hierarchy.unified + path) : readV1(hierarchy, path));

/** Whether the pod's own cgroup has a memory limit; undefined where that cannot be read. */
export async function hasMemoryLimit(hierarchy: Hierarchy, path: string): Promise<boolean | undefined> {
  if (hierarchy.version === 2) {
    const text = await readCgroupFile(hierarchy.unified + path, "memory.max");
    return text === undefined ? undefined : text.trim() !== "max";
  }
  const limit = oneNumber(await readCgroupFile(hierarchy.memory + path, "memory.limit_in_bytes"));
  return limit === undefined ? undefined : limit < UNLIMITED_BYTES;
}

async function readV2(dir: string): Promise<CgroupFigures | undefined> {
  const [cpuStat, cpuMax, pressure, current, max, peak, events, memoryStat] = await Promise.all(["cpu.stat", "cpu.max", "cpu.pressure", "memory.current", "memory.max", "memory.peak", "memory.events", "memory.stat"].map((name) => readCgroupFile(dir, name)));
  if (cpuStat === undefined && current === undefined) return undefined;
  const [quota, period] = (cpuMax ?? "").trim().split(" ").map(Number);
  const quotaCores = quota !== undefined && period !== undefined && quota > 0 && period > 0 ? quota / period : undefined;
  return figures({
    quotaCores,
    periods: valueOf(cpuStat, "nr_periods"),
    throttled: valueOf(cpuStat, "nr_throttled"),
    usageSeconds: per(valueOf(cpuStat, "usage_usec"), MICROSECONDS),
    pressureSeconds: someSeconds(pressure),
    memory: oneNumber(current),
    inactiveFile: valueOf(memoryStat, "inactive_file"),
    limit: oneNumber(max),
    peak: oneNumber(peak),
    oomEvents: valueOf(events, "oom"),
    oomKills: valueOf(events, "oom_kill"),
  });
}

async function readV1(hierarchy: Extract<Hierarchy, { version: 1 }>, path: string): Promise<CgroupFigures | undefined> {
  const [cpu, memory] = [hierarchy.cpu + path, hierarchy.memory + path];
  const [cpuStat, quota, period, usage, pressure] = await Promise.all([
    readCgroupFile(cpu, "cpu.stat"),
    readCgroupFile(cpu, "cpu.cfs_quota_us"),
    readCgroupFile(cpu, "cpu.cfs_period_us"),
    readCgroupFile(hierarchy.cpuacct + path, "cpuacct.usage"),
    hierarchy.unified === undefined ? undefined : readCgroupFile(hierarchy.unified + path, "cpu.pressure"),
  ]);
  const [current, max, peak, oom, memoryStat] = await Promise.all(["memory.usage_in_bytes", "memory.limit_in_bytes", "memory.max_usage_in_bytes", "memory.oom_control", "memory.stat"].map((name) => readCgroupFile(memory, name)));
  if (cpuStat === undefined && current === undefined) return undefined;
  const [quotaUs, periodUs] = [oneNumber(quota), oneNumber(period)];
  const limit = oneNumber(max);
  return figures({
    quotaCores: quotaUs !== undefined && periodUs !== undefined && quotaUs > 0 && periodUs > 0 ? quotaUs / periodUs : undefined,
    periods: valueOf(cpuStat, "nr_periods"),
    throttled: valueOf(cpuStat, "nr_throttled"),
    usageSeconds: per(oneNumber(usage), NANOSECONDS),
    pressureSeconds: someSeconds(pressure),
    memory: oneNumber(current),
    inactiveFile: valueOf(memoryStat, "total_inactive_file"),
    limit: limit === undefined || limit >= UNLIMITED_BYTES ? undefined : limit,
    peak: oneNumber(peak),
    oomEvents: undefined, // version 1 counts how often the limit was met, which is no event of the OOM killer
    oomKills: valueOf(oom, "oom_kill"),
  });
}

const per = (value: number | undefined, unit: number): number | undefined => (value === undefined || value < 0 ? undefined : value / unit);

interface Raw {
  readonly quotaCores: number | undefined;
  readonly periods: number | undefined;
  readonly throttled: number | undefined;
  readonly usageSeconds: number | undefined;
  readonly pressureSeconds: number | undefined;
  readonly memory: number | undefined;
  readonly inactiveFile: number | undefined;
  readonly limit: number | undefined;
  readonly peak: number | undefined;
  readonly oomEvents: number | undefined;
  readonly oomKills: number | undefined;
}

/** Without a quota there are no periods: the counters that are left from an earlier quota say nothing of now. */
function figures(raw: Raw): CgroupFigures {
  const limited = raw.quotaCores !== undefined;
  return told({
    cpuQuotaCores: raw.quotaCores,
    cpuPeriods: limited ? counted(raw.periods) : undefined,
    cpuThrottledPeriods: limited ? counted(raw.throttled) : undefined,
    cpuUsageSeconds: raw.usageSeconds,
    cpuPressureSeconds: raw.pressureSeconds,
    memoryBytes: counted(raw.memory),
    memoryWorkingSetBytes: raw.memory === undefined || raw.inactiveFile === undefined ? undefined : count(Math.max(0, raw.memory - raw.inactiveFile)),
    memoryLimitBytes: counted(raw.limit),
    memoryPeakBytes: counted(raw.peak),
    oomEvents: counted(raw.oomEvents),
    oomKills: counted(raw.oomKills),
  });
}

const counted = (value: number | undefined): number | undefined => (value === undefined ? undefined : count(value));
