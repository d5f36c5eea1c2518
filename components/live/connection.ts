import type { Status } from "@/server/contract/schemas";

/** What the page knows of its own link to the server; ages are real seconds. */
export interface Connection {
  readonly state: "connecting" | "open" | "lost";
  /** When the newest data that this page shows was written, on the browser's monotonic clock. */
  readonly dataAtMs: number;
}

/** Three periods of the slowest regular source: older data is marked stale. */
export const STALE_AFTER_SECONDS = 45;

export type Freshness = "live" | "connecting" | "lost" | "stale";

export function ageSeconds(connection: Connection, monotonicMs: number): number {
  return Math.max(0, (monotonicMs - connection.dataAtMs) / 1_000);
}

export function freshness(connection: Connection, age: number): Freshness {
  if (connection.state === "lost") return "lost";
  if (age > STALE_AFTER_SECONDS) return "stale";
  return connection.state === "open" ? "live" : "connecting";
}

/** When the collector wrote what this status tells of, on the browser's monotonic clock. */
export function dataWrittenMs(status: Pick<Status, "collectorAgeSeconds">, receivedMs: number, rate: number): number | undefined {
  return status.collectorAgeSeconds === undefined ? undefined : receivedMs - (status.collectorAgeSeconds / rate) * 1_000;
}
