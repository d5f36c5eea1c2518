import type { DaemonOut } from "@/server/contract/schemas";
import { formatBytes, formatCores, formatShare } from "@/components/format/numbers";
import { newest, toGrid, type GridSeries } from "../geometry/grid";
import { axisFor } from "../geometry/scale";
import { highest, joined, type TimelineSource } from "./source";
import type { ChartPanel, LineSeries, Limit, Stroke } from "./types";

const HEIGHT_PX = 92;
const HEADROOM = 1.25;

/** Charts of one CNI daemon: its CPU and its memory. Pods that followed each other are one line. */
export function daemonPanels(source: TimelineSource, container: string): readonly ChartPanel[] {
  const daemon = source.detail.daemons.find((one) => one.container === container);
  return [cpuPanel(source, container, daemon), memoryPanel(source, container, daemon)];
}

/** Containers of CNI daemons that the node has, or had in the range. */
export function daemonContainers(source: TimelineSource): readonly string[] {
  const now = source.detail.daemons.map((daemon) => daemon.container);
  const then = ["daemon.cpu.throttled_share", "daemon.cpu.psi_share", "daemon.memory.working_set"].flatMap((signal) => source.all(signal).map((series) => containerOf(series.instance)));
  return [...new Set([...now, ...then])];
}

/** "kube-multus-x7k2p/kube-multus" is the container of a pod. */
const containerOf = (instance: string): string => instance.slice(instance.lastIndexOf("/") + 1);

function ofContainer(source: TimelineSource, signal: string, container: string): GridSeries {
  return toGrid(joined(source.all(signal).filter((series) => containerOf(series.instance) === container)), source.grid);
}

const instanceOf = (daemon: DaemonOut | undefined): string | undefined => (daemon === undefined ? undefined : `${daemon.pod}/${daemon.container}`);

function cpuPanel(source: TimelineSource, container: string, daemon: DaemonOut | undefined): ChartPanel {
  const throttled = ofContainer(source, "daemon.cpu.throttled_share", container);
  const pressure = ofContainer(source, "daemon.cpu.psi_share", container);
  const limit = ofContainer(source, "daemon.cpu.limit", container).last;
  const noLimitNow = daemon !== undefined && daemon.cpuLimitCores === undefined;
  const throttledAt = (column: number): string => shareText(throttled.last[column], limit[column] === undefined && noLimitNow ? "no limit" : "no data");
  const psiReason = source.reason("daemon.cpu.psi_share", instanceOf(daemon));
  const hasPressure = pressure.last.some((value) => value !== undefined);
  const note = noLimitNow ? `no CPU limit: nothing throttles it${hasPressure ? ", pressure tells instead" : psiReason === undefined ? "" : `; ${psiReason}`}` : undefined;
  const series: LineSeries[] = [
    {
      ...line("throttled", "Throttled", throttled, { token: "s-throttle", width: 1.75, area: true }, (value) => shareText(value, "no data")),
      textAt: throttledAt,
      now: noLimitNow ? "no limit" : shareText(newest(throttled.last), "no data"),
    },
    line("pressure", "Pressure (PSI)", pressure, { token: "s-psi", width: 1.25, dash: "4 3" }, (value) => shareText(value, psiReason?.startsWith("no PSI") === true ? "no PSI" : "no data")),
  ];
  return {
    id: `cpu ${container}`,
    title: `${container} CPU`,
    unit: "ratio",
    heightPx: HEIGHT_PX,
    scale: axisFor("ratio", 1),
    series,
    limits: [],
    gaps: source.gaps("kubelet", [throttled, pressure]),
    ceilings: [],
    oomKills: [],
    ...(note !== undefined ? { note } : daemon?.cpuLimitCores === undefined ? {} : { note: `limit ${formatCores(daemon.cpuLimitCores)}` }),
  };
}

function memoryPanel(source: TimelineSource, container: string, daemon: DaemonOut | undefined): ChartPanel {
  const used = ofContainer(source, "daemon.memory.working_set", container);
  const limits = ofContainer(source, "daemon.memory.limit", container);
  const limit = daemon?.memoryLimitBytes ?? newest(limits.last);
  const limitLine: readonly Limit[] = limit === undefined ? [] : [{ value: limit, label: `limit ${formatBytes(limit)}`, text: formatBytes(limit) }];
  const top = Math.max(highest(used.max) ?? 0, limit === undefined ? 0 : limit * HEADROOM);
  return {
    id: `memory ${container}`,
    title: `${container} memory`,
    unit: "bytes",
    heightPx: HEIGHT_PX,
    scale: axisFor("bytes", top),
    series: [line("used", "Working set", used, { token: "s-memory", width: 1.75, area: true }, (value) => (value === undefined ? "no data" : formatBytes(value)))],
    limits: limitLine,
    gaps: source.gaps("kubelet", [used]),
    ceilings: [],
    oomKills: (daemon?.oomKills ?? []).map((at) => Date.parse(at)),
    ...(daemon !== undefined && limit === undefined ? { note: "no memory limit" } : {}),
  };
}

const shareText = (value: number | undefined, none: string): string => (value === undefined ? none : formatShare(value));

function line(id: string, label: string, values: GridSeries, stroke: Stroke, text: (value: number | undefined) => string): LineSeries {
  return { kind: "line", id, label, stroke, values, textAt: (column) => text(values.last[column]), now: text(newest(values.last)) };
}
