import { parseNodeName, type NodeName } from "../../domain/ids";
import type { Sample, SignalId } from "../../domain/signals";
import type { Ingest, IngestBatch } from "../../store/types";

export const PERIOD_MS = 15_000;
/** Batches of two minutes: a gap between two that is longer would count as a stretch in which no collector was at work. */
export const PERIODS_PER_BATCH = 8;

/** The twelve series that a healthy node with a daemon and an agent has at every period. */
export const TWELVE_SIGNALS = [
  "pods.waiting",
  "sandbox.ready",
  "sandbox.dead",
  "sandbox.backlog",
  "cri.list_seconds",
  "cri.run_sandbox.p50.high",
  "cri.run_sandbox.p95.low",
  "cri.run_sandbox.p95.high",
  "cri.run_sandbox.calls",
  "daemon.cpu.throttled_share",
  "daemon.memory.working_set",
  "socket.latency",
] as const satisfies readonly SignalId[];

const INSTANCES: Partial<Record<SignalId, string>> = {
  "daemon.cpu.throttled_share": "kube-system/cni-daemon-xkx2v daemon",
  "daemon.memory.working_set": "daemon",
  "socket.latency": "/run/daemon-shim/daemon.sock",
};

export function nodeNames(texts: readonly string[]): readonly NodeName[] {
  return texts.map((text) => {
    const name = parseNodeName(text);
    if (name === undefined) throw new Error(`"${text}" is no node name`);
    return name;
  });
}

/** The same numbers at each run (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Values of the kind that a node gives: counts that seldom change, edges of histogram buckets, measured times with all their digits. */
const VALUES: Readonly<Record<(typeof TWELVE_SIGNALS)[number], (random: () => number) => number>> = {
  "pods.waiting": (random) => (random() < 0.97 ? 0 : 1),
  "sandbox.ready": (random) => 39 + Math.floor(random() * 3),
  "sandbox.dead": (random) => Math.floor(random() * 4),
  "sandbox.backlog": (random) => (random() < 0.95 ? 0 : 1),
  "cri.list_seconds": (random) => 0.004 + random() * 0.006,
  "cri.run_sandbox.p50.high": (random) => (random() < 0.8 ? 0.48828125 : 1.220703125),
  "cri.run_sandbox.p95.low": (random) => (random() < 0.8 ? 0.48828125 : 1.220703125),
  "cri.run_sandbox.p95.high": (random) => (random() < 0.8 ? 1.220703125 : 3.0517578125),
  "cri.run_sandbox.calls": (random) => Math.floor(random() * 6),
  "daemon.cpu.throttled_share": (random) => (random() < 0.5 ? 0 : random() * 0.08),
  "daemon.memory.working_set": (random) => Math.round((60 + random() * 8) * 256) * 4_096,
  "socket.latency": (random) => 0.000_4 + random() * 0.001,
};

/** One period of the whole fleet. */
export function samplesAt(names: readonly NodeName[], atMs: number, random: () => number): IngestBatch["samples"][number][] {
  return names.flatMap((node) => TWELVE_SIGNALS.map((signal): Sample & { readonly node: NodeName } => ({ node, signal, instance: INSTANCES[signal] ?? "", atMs, value: VALUES[signal](random) })));
}

export const batchOf = (atMs: number, samples: IngestBatch["samples"], more: Partial<IngestBatch> = {}): IngestBatch => ({ atMs, samples, events: [], views: [], gone: [], answers: [], sources: [], kubeletKeys: [], ...more });

/** All upkeep that is due. Returns how many milliseconds it took. */
export function upkeep(ingest: Ingest, nowMs: number): number {
  const startedMs = performance.now();
  while (ingest.maintain(nowMs));
  return performance.now() - startedMs;
}
