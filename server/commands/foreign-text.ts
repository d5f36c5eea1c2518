import type { Readable } from "node:stream";
import type { Clock } from "../clock";
import type { Log } from "../log";
import { cleanText, MAX_TEXT_CHARS } from "../sources/kube-api/text";

/** What is printed within this of its first character is one record: a message and its stack come in several pieces. */
const GATHER_MS = 200;
const WINDOW_MS = 60_000;
/** Further ones within the window are only counted. */
export const MAX_RECORDS_PER_WINDOW = 10;

/**
 * Makes records of what a process prints that writes no records itself, so that the log stays one line a record, whoever made it print. Each is
 * cut to MAX_TEXT_CHARS. Resolves once the stream has closed and everything is told, and never rejects.
 */
export function recordForeignText(stream: Readable, clock: Clock, log: Log): Promise<void> {
  let text = "";
  let cancel: (() => void) | undefined;
  let windowStartMs = -Infinity;
  let told = 0;
  let untold = 0;
  const tell = (): void => {
    cancel?.();
    cancel = undefined;
    const printed = text.trim();
    text = "";
    if (printed === "") return;
    const nowMs = clock.now();
    if (nowMs - windowStartMs >= WINDOW_MS || nowMs < windowStartMs) {
      windowStartMs = nowMs;
      told = 0;
    }
    if (told === MAX_RECORDS_PER_WINDOW) {
      untold += 1;
      return;
    }
    told += 1;
    log.error({ text: cleanText(printed), ...(untold === 0 ? {} : { untold }) }, "web process printed");
    untold = 0;
  };
  stream.setEncoding("utf8");
  stream.on("data", (chunk: string) => {
    text = (text + chunk).slice(0, MAX_TEXT_CHARS + 1); // one more, so that the cut shows
    cancel ??= clock.after(GATHER_MS, tell);
  });
  return new Promise((resolve) => {
    stream.on("error", (err) => log.error({ err }, "what the web process prints cannot be read"));
    stream.on("close", () => {
      tell();
      resolve();
    });
  });
}
