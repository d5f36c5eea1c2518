/** How long is too long. Handed to every judging function, so that a person's setting and a test's are the same thing. */
export interface Thresholds {
  /** A waiting pod is stuck from this dwell on. */
  readonly stuckAfterSeconds: number;
  /** How long a fresh sandbox proves that the node starts pods. */
  readonly windowSeconds: number;
}

export const STUCK_AFTER_SECONDS = 90;
export const WINDOW_SECONDS = 600;
export const DEFAULT_THRESHOLDS: Thresholds = { stuckAfterSeconds: STUCK_AFTER_SECONDS, windowSeconds: WINDOW_SECONDS };

/** A socket of the effective conflist that accepts and stays silent is a blocker from here on. */
export const SILENT_SOCKET_SECONDS = 30;
