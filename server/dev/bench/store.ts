import { statSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { MAX_TIMELINE_POINTS } from "../../domain/timeline";
import { prepareFile } from "../../store/file";
import { openIngest } from "../../store/ingest";
import { openReader } from "../../store/reader";
import type { Figure } from "./figures";
import { batchOf, nodeNames, PERIOD_MS, PERIODS_PER_BATCH, randomFrom, samplesAt, TWELVE_SIGNALS, upkeep } from "./fill";
import type { BenchOptions } from "./run-options";
import { MIB, percentile } from "./statistics";

const HOUR_MS = 3_600_000;
/** So many periods at the end are written one by one, as the collector does it. */
const SINGLE_PERIODS = 40;
const QUERIES = 200;
const QUERIED_MS = 6 * HOUR_MS;

/** What the store takes to be written and to be asked, in a file that holds the history of the whole fleet. */
export async function benchStore({ root, scratch, nodes, hours }: BenchOptions, say: (line: string) => void): Promise<readonly Figure[]> {
  const dataDir = path.join(scratch, "store");
  await mkdir(dataDir);
  const endMs = Math.floor(Date.now() / PERIOD_MS) * PERIOD_MS;
  const { file } = prepareFile({ dataDir, clusterUid: "bench", simulated: false, nowMs: endMs, migrationsDir: path.join(root, "prisma/migrations") });
  const names = nodeNames(Array.from({ length: nodes }, (_, index) => `node-${String(index + 1).padStart(4, "0")}`));
  const periods = Math.max(PERIODS_PER_BATCH, Math.round((hours * HOUR_MS) / PERIOD_MS));
  const singles = Math.min(SINGLE_PERIODS, Math.floor(periods / 2));
  say(`writing ${hours} h of ${nodes} nodes: ${(periods * nodes * TWELVE_SIGNALS.length).toLocaleString("en")} samples`);
  const written = write(file, { names, endMs, periods, singles });
  const bytes = statSync(file).size;

  say(`asking ${QUERIES} times for 6 h of one node`);
  const reader = openReader({ file });
  const random = randomFrom(2);
  const tookMs: number[] = [];
  let points = 0;
  const cpuBefore = process.cpuUsage();
  try {
    for (let query = 0; query < QUERIES; query++) {
      const node = names[Math.floor(random() * names.length)];
      if (node === undefined) throw new Error("there is no node to ask for");
      const startedMs = performance.now();
      const timeline = reader.timeline({ node, fromMs: endMs - QUERIED_MS, toMs: endMs, signals: TWELVE_SIGNALS, points: MAX_TIMELINE_POINTS });
      tookMs.push(performance.now() - startedMs);
      if (timeline.series.length !== TWELVE_SIGNALS.length) throw new Error(`the timeline of ${node} has ${timeline.series.length} of ${TWELVE_SIGNALS.length} series`);
      points += timeline.series.reduce((sum, series) => sum + series.atMs.length, 0);
    }
  } finally {
    reader.close();
  }
  const cpu = process.cpuUsage(cpuBefore);
  const part = "store";
  const length = `${hours} h of ${nodes} nodes × ${TWELVE_SIGNALS.length} signals`;
  return [
    { part, nodes, what: `6 h of one node, ${TWELVE_SIGNALS.length} signals, file with ${length}: p99 of ${QUERIES}`, value: percentile(tookMs, 0.99), unit: "ms", ...(hours * HOUR_MS < QUERIED_MS ? { note: "less than 6 h stored" } : { target: { most: 10, words: "≤ 10 ms p99" } }) },
    { part, what: "the same: p50", value: percentile(tookMs, 0.5), unit: "ms" },
    { part, what: "the same: CPU time of a query, mean", value: (cpu.user + cpu.system) / 1_000 / QUERIES, unit: "ms" },
    { part, what: "the same: points of an answer, mean", value: points / QUERIES, unit: "count" },
    { part, what: "samples written in batches of two minutes, writing alone", value: written.samples / (written.writeMs / 1_000), unit: "per second" },
    { part, what: "the same, with rolling up and upkeep", value: written.samples / ((written.writeMs + written.upkeepMs) / 1_000), unit: "per second" },
    { part, what: `one period of the fleet (${(nodes * TWELVE_SIGNALS.length).toLocaleString("en")} samples) in its transaction: p50`, value: percentile(written.singleMs, 0.5), unit: "ms" },
    { part, what: "the same: p99", value: percentile(written.singleMs, 0.99), unit: "ms" },
    { part, what: "bytes of the file for a raw sample, its rolled-up tiers with it", value: bytes / written.samples, unit: "bytes" },
    { part, what: `data file with ${length}`, value: bytes / MIB, unit: "MiB" },
  ];
}

function write(file: string, { names, endMs, periods, singles }: { readonly names: ReturnType<typeof nodeNames>; readonly endMs: number; readonly periods: number; readonly singles: number }) {
  const random = randomFrom(1);
  const ingest = openIngest({ file, nowMs: endMs });
  const result = { samples: 0, writeMs: 0, upkeepMs: 0, singleMs: [] as number[] };
  const put = (atMs: number, samples: ReturnType<typeof samplesAt>): number => {
    const startedMs = performance.now();
    const { skippedSamples } = ingest.write(batchOf(atMs, samples));
    const tookMs = performance.now() - startedMs;
    if (skippedSamples > 0) throw new Error(`${skippedSamples} samples at ${new Date(atMs).toISOString()} were not taken`);
    result.samples += samples.length;
    result.writeMs += tookMs;
    result.upkeepMs += upkeep(ingest, atMs);
    return tookMs;
  };
  try {
    const atMs = (period: number): number => endMs - (periods - 1 - period) * PERIOD_MS;
    let period = 0;
    while (period < periods - singles) {
      const until = Math.min(period + PERIODS_PER_BATCH, periods - singles);
      const samples: ReturnType<typeof samplesAt> = [];
      for (; period < until; period++) for (const sample of samplesAt(names, atMs(period), random)) samples.push(sample);
      put(atMs(period - 1), samples);
    }
    for (; period < periods; period++) result.singleMs.push(put(atMs(period), samplesAt(names, atMs(period), random)));
  } finally {
    ingest.close();
  }
  // Opened anew a pass is due at once, at the very end of the history; closing carries the log over into the file.
  const last = openIngest({ file, nowMs: endMs });
  try {
    result.upkeepMs += upkeep(last, endMs);
  } finally {
    last.close();
  }
  return result;
}
