import { openReadable } from "../../store/sqlite/connection";
import type { Figure } from "./figures";
import { startFleet, wait, type Fleet } from "./fleet";
import { readOwnMetrics, type OwnMetrics } from "./own-metrics";
import { childrenOf, cpuSeconds, hasProc, rssMib } from "./process-stat";
import type { BenchOptions } from "./run-options";
import { largest, MIB, smallest } from "./statistics";

/** The longest period of a page, so that everything that was late while the fleet was found is out of sight, and some more. */
const WARM_UP_MS = 75_000;
/** The collector renews its own metrics as often; each reading costs it a little, which counts as its own. */
const READ_EVERY_MS = 5_000;

interface Reading {
  readonly atMs: number;
  readonly metrics: OwnMetrics;
  readonly cpu: { readonly collector: number; readonly web: number; readonly simulator: number };
  readonly rssMib: { readonly collector: number; readonly web: number; readonly simulator: number };
  readonly dataBytes: number;
}

/** What it costs to watch the whole fleet at the product's own periods, and how late its readings begin. */
export async function benchCollector(options: BenchOptions, say: (line: string) => void): Promise<readonly Figure[] | string> {
  if (!hasProc) return "CPU and memory of a process are read from /proc, which this system does not have";
  const fleet = await startFleet({ ...options, say });
  try {
    const web = webOf(fleet);
    say(`warming up for ${WARM_UP_MS / 1_000} s, then measuring for ${options.minutes} min`);
    await wait(WARM_UP_MS);
    const before = await fleet.status();
    const readings = [await read(fleet, web)];
    const endMs = Date.now() + options.minutes * 60_000;
    while (Date.now() < endMs) {
      await wait(Math.min(READ_EVERY_MS, Math.max(0, endMs - Date.now())));
      readings.push(await read(fleet, web));
    }
    return figures(options.nodes, readings, before, await fleet.status());
  } finally {
    await fleet.stop();
  }
}

function webOf(fleet: Fleet): number {
  const [web, ...more] = childrenOf(fleet.collector.pid);
  if (web === undefined || more.length > 0) throw new Error(`the collector has ${1 + more.length} children, not the one that serves the pages`);
  return web;
}

async function read(fleet: Fleet, web: number): Promise<Reading> {
  fleet.collector.check();
  fleet.simulator.check();
  const pids = { collector: fleet.collector.pid, web, simulator: fleet.simulator.pid };
  const each = (measure: (pid: number) => number) => ({ collector: measure(pids.collector), web: measure(pids.web), simulator: measure(pids.simulator) });
  return { atMs: performance.now(), cpu: each(cpuSeconds), rssMib: each(rssMib), metrics: await readOwnMetrics(fleet.metricsUrl), dataBytes: dataBytes(fleet.file) };
}

/** Pages that hold something, those that are in the log alone included: the files themselves grow in leaps. */
function dataBytes(file: string): number {
  const db = openReadable(file);
  try {
    const pragma = (name: string): number => Number(db.pragma(name, { simple: true }));
    return (pragma("page_count") - pragma("freelist_count")) * pragma("page_size");
  } finally {
    db.close();
  }
}

function figures(nodes: number, readings: readonly Reading[], before: { readonly kubelet: { readonly skipped: number } }, after: Awaited<ReturnType<Fleet["status"]>>): readonly Figure[] {
  const first = readings[0];
  const last = readings.at(-1);
  if (first === undefined || last === undefined || first === last) throw new Error("the collector was read once only");
  const seconds = (last.atMs - first.atMs) / 1_000;
  const cores = (who: keyof Reading["cpu"]): number => (last.cpu[who] - first.cpu[who]) / seconds;
  const memory = (who: keyof Reading["rssMib"]): number => largest(readings.map((reading) => reading.rssMib[who]));
  const grown = (name: string, label?: string): number => last.metrics.value(name, label) - first.metrics.value(name, label);
  const samples = grown("sandglass_rows_total", 'kind="samples"');
  const grownBytes = last.dataBytes - first.dataBytes;
  const worst = (name: string): number => largest(readings.slice(1).map((reading) => reading.metrics.value(name)));
  const part = "collector";
  const fleet = { part, nodes } as const;
  return [
    { ...fleet, what: `CPU, ${nodes} nodes, kubelets and agents`, value: cores("collector"), unit: "cores", target: { most: 0.3, words: "≤ 0.3 core at 500 nodes", nodes: 500 } },
    { ...fleet, what: "resident memory, largest seen", value: memory("collector"), unit: "MiB", target: { most: 300, words: "≤ 300 MiB at 500 nodes", nodes: 500 } },
    { part, what: "of it JavaScript heap in use, smallest seen", value: smallest(readings.map((reading) => reading.metrics.value("sandglass_nodejs_heap_size_used_bytes"))) / MIB, unit: "MiB" },
    { part, what: "of it JavaScript heap set aside, largest seen", value: largest(readings.map((reading) => reading.metrics.value("sandglass_nodejs_heap_size_total_bytes"))) / MIB, unit: "MiB" },
    { ...fleet, what: "lateness of a reading, largest seen", value: worst("sandglass_scrape_late_seconds") * 1_000, unit: "ms", target: { most: 1_000, words: "≤ 1 s at 500 nodes", nodes: 500 } },
    { part, what: "readings skipped, the one before was still under way", value: after.kubelet.skipped - before.kubelet.skipped, unit: "count" },
    { part, what: "kubelets failing at the end", value: after.kubelet.failing, unit: "count" },
    { part, what: "agents heard at the end", value: after.agents.reporting, unit: "count", note: `of ${nodes}` },
    { part, what: "agent messages dropped since the start", value: Object.values(after.agents.dropped).reduce((sum, count) => sum + count, 0), unit: "count" },
    { part, what: "samples written", value: samples / seconds, unit: "per second" },
    { part, what: "node views written", value: grown("sandglass_rows_total", 'kind="views"') / seconds, unit: "per second" },
    { part, what: "a tick (judging and writing), mean", value: (grown("sandglass_tick_seconds_sum") / grown("sandglass_tick_seconds_count")) * 1_000, unit: "ms" },
    { part, what: "a tick, 99 of 100", ...tickBound(first.metrics, last.metrics) },
    { part, what: "delay of the event loop, p99 of 5 s, largest seen", value: worst("sandglass_nodejs_eventloop_lag_p99_seconds") * 1_000, unit: "ms" },
    { part, what: "delay of the event loop, largest seen", value: worst("sandglass_nodejs_eventloop_lag_max_seconds") * 1_000, unit: "ms" },
    { part, what: "stored data grew by, an hour", value: (grownBytes / seconds) * 3_600 / MIB, unit: "MiB" },
    { part, what: "the same for a sample, with the events, views and rolled-up tiers of the time", value: grownBytes / samples, unit: "bytes" },
    { part, what: "web process beside it, no page open: CPU", value: cores("web"), unit: "cores" },
    { part, what: "web process: resident memory", value: memory("web"), unit: "MiB" },
    { part, what: "the simulated cluster itself (not the product): CPU", value: cores("simulator"), unit: "cores" },
    { part, what: "the simulated cluster itself: resident memory", value: memory("simulator"), unit: "MiB" },
  ];
}

/** The histogram tells the bucket alone: so many of 100 ticks took at most its upper edge. */
function tickBound(first: OwnMetrics, last: OwnMetrics): Pick<Figure, "value" | "unit" | "note"> {
  const before = new Map(first.buckets("sandglass_tick_seconds").map(({ le, count }) => [le, count]));
  const grown = last.buckets("sandglass_tick_seconds").map(({ le, count }) => ({ le, count: count - (before.get(le) ?? 0) }));
  const all = grown.at(-1)?.count ?? 0;
  if (all === 0) throw new Error("no tick was counted");
  const finite = grown.filter(({ le }) => Number.isFinite(le));
  const edge = finite.find(({ count }) => count >= 0.99 * all);
  return edge === undefined ? { value: (finite.at(-1)?.le ?? 0) * 1_000, unit: "ms", note: "or more" } : { value: edge.le * 1_000, unit: "ms", note: "or less" };
}
