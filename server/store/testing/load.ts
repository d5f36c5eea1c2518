import type { IngestBatch } from "../types";
import { incidentBatch, nodeIncident } from "./incidents";
import { answer, batch, event, sample, view } from "./batches";
import { T0 } from "./temp-store";

/** Every part of batch `index` carries its number, so that a half of it would show. */
export const SAMPLES_PER_BATCH = 40;
const MS_PER_BATCH = 100;

export const runId = (index: number): string => `request-${index}`;

export function loadBatch(index: number): IngestBatch {
  const atMs = T0 + index * MS_PER_BATCH;
  return batch(atMs, {
    samples: Array.from({ length: SAMPLES_PER_BATCH }, (_, node) => sample(`n${node}`, "pods.waiting", atMs, index)),
    events: [event(`e${index}`, { host: `n${index % SAMPLES_PER_BATCH}`, count: index, firstMs: atMs, lastMs: atMs })],
    views: [view(`n${index % SAMPLES_PER_BATCH}`, "yes", index)],
    answers: [answer(`n${index % SAMPLES_PER_BATCH}`, atMs, "yes", { summary: String(index) })],
    incidents: incidentBatch({ saved: [nodeIncident(index + 1, `n${index % SAMPLES_PER_BATCH}`)], entries: [{ incident: index + 1, atMs, kind: "opened", text: String(index) }] }),
    changes: [{ kind: "config", atMs, node: `n${index % SAMPLES_PER_BATCH}`, subject: "00-multus.conf", text: String(index) }],
  });
}
