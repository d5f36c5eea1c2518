import type { LaterParts } from "./agent-readings";
import type { AgentReport } from "./agent-report";

/** The report with every time on it moved by `byMs`: a node's clock corrected to the server's. */
export function shiftTimes(report: AgentReport, byMs: number): AgentReport {
  if (byMs === 0) return report;
  const { sandboxes, lostReports } = report;
  return {
    ...report,
    ...shiftLater(report, byMs),
    atMs: report.atMs + byMs,
    ...(lostReports === undefined ? {} : { lostReports: move(move(lostReports, byMs, "fromMs"), byMs, "toMs") }),
    sandboxes: sandboxes.looked ? { ...sandboxes, items: moved(sandboxes.items, byMs, "createdMs") } : sandboxes,
  };
}

function shiftLater({ cgroups, processes, binaries, configFiles, configChanges }: LaterParts, byMs: number): LaterParts {
  return {
    ...(cgroups?.looked === true ? { cgroups: { ...move(cgroups, byMs, "readMs"), items: moved(cgroups.items, byMs, "startedMs") } } : {}),
    ...(processes?.looked === true ? { processes: { ...processes, items: moved(processes.items, byMs, "startedMs") } } : {}),
    ...(binaries?.looked === true ? { binaries: { ...binaries, items: moved(binaries.items, byMs, "modifiedMs") } } : {}),
    ...(configFiles?.looked === true ? { configFiles: { looked: true, reading: shiftConfigFiles(configFiles.reading, byMs) } } : {}),
    ...(configChanges === undefined ? {} : { configChanges: moved(configChanges, byMs, "atMs") }),
  };
}

function shiftConfigFiles(reading: Extract<NonNullable<LaterParts["configFiles"]>, { looked: true }>["reading"], byMs: number) {
  const { multus } = reading;
  return {
    ...move(reading, byMs, "usableSinceMs"),
    files: moved(reading.files, byMs, "modifiedMs"),
    ...(multus === undefined ? {} : { multus: move(multus, byMs, "daemonConfigModifiedMs") }),
  };
}

/** The object with one of its times moved; the same object where that time is not told. */
function move<K extends string, T extends { readonly [key in K]?: number }>(item: T, byMs: number, key: K): T {
  const time = item[key];
  return time === undefined ? item : { ...item, [key]: time + byMs };
}

const moved = <K extends string, T extends { readonly [key in K]?: number }>(items: readonly T[], byMs: number, key: K): readonly T[] => items.map((item) => move(item, byMs, key));
