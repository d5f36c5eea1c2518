/** A call's failure in words that name call, socket and what happened. `silent`: no answer within the deadline. */
export class CriError extends Error {
  override name = "CriError";
  constructor(
    message: string,
    readonly kind: "silent" | "unsupported" | "too-large" | "denied" | "failed",
  ) {
    super(message);
  }
}

/** A runtime that does not list its sandboxes in this time is a finding by itself. */
export const CRI_DEADLINE_MS = 10_000;
