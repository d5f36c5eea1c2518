import type { ClusterIdentity, Observation } from "../../domain/observation";
import type { Thresholds } from "../../domain/thresholds";

/**
 * A recording: one line of JSON after the other. The first says what it is, each of the others what was seen, that all of it was judged,
 * or how the recording ended. Lines are written whole, so that whatever is there can be read, however the recording ended.
 */
export const RECORDING_FORMAT = "sandglass/recording";
/** Raised when an older version would misread what is written. */
export const RECORDING_VERSION = 1;

export interface RecordingHeader {
  readonly format: typeof RECORDING_FORMAT;
  readonly version: number;
  /** Version of Sandglass that wrote it. */
  readonly by: string;
  readonly cluster: ClusterIdentity;
  /** When it began on the recorded clock, and how many seconds of that clock passed in one real second. */
  readonly clock: { readonly startedMs: number; readonly rate: number };
  /** What judging needs beside observations. */
  readonly settings: { readonly thresholds: Thresholds; readonly cniDaemons: readonly string[]; readonly expects: { readonly kubelet: boolean; readonly agents: boolean } };
}

/** Why a recording ended; one without such a line broke off. */
export const ENDS = ["time", "size", "stopped"] as const;
export type RecordingEnd = (typeof ENDS)[number];

export type RecordingLine =
  /** `atMs`: when it was received, by the recorded clock. */
  | { readonly kind: "seen"; readonly atMs: number; readonly observation: Observation }
  /** Everything so far was judged at this time. */
  | { readonly kind: "judged"; readonly atMs: number }
  | { readonly kind: "end"; readonly atMs: number; readonly because: RecordingEnd };

/** Longest line that is written or read: the list of all pods of a large cluster takes some megabytes. */
export const MAX_LINE_BYTES = 16 * 1024 * 1024;
