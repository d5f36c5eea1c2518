import type { CollectorStatus } from "../store/types";

/**
 * The collector's status as long as the store does not take it, told over the child's channel: only what is written can be read, and that it
 * cannot be written is what has to be said. The listener is there before Next's server is, and each of Next's copies of this module reads
 * the same word, so it hangs on globalThis.
 */
export interface UnwrittenMessage {
  readonly type: "unwritten";
  /** Absent: the store takes everything again. */
  readonly status?: CollectorStatus;
}

const KEY = Symbol.for("sandglass.unwritten-status");
const holder = globalThis as { [KEY]?: CollectorStatus | undefined };

/** Takes one message of the channel; true where it was the collector's word on the store. */
export function hearUnwritten(message: unknown): boolean {
  if (typeof message !== "object" || message === null || !("type" in message) || message.type !== "unwritten") return false;
  holder[KEY] = (message as UnwrittenMessage).status; // the other end of the channel is of the same build
  return true;
}

export const unwrittenStatus = (): CollectorStatus | undefined => holder[KEY];
