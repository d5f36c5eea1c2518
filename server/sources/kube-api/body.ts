import { AnswerError, connectionError } from "./errors";
import type { WireResponse } from "./connection";

/** The whole body as text, never more than `maxBytes`: reading stops there and the connection is closed. */
export async function readText(answer: WireResponse, maxBytes: number, server: string): Promise<string> {
  const told = Number(headerOf(answer, "content-length"));
  if (told > maxBytes) {
    discard(answer);
    throw tooLong(maxBytes, server);
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of answer.body as AsyncIterable<Buffer>) { // undici's body gives Buffers while no encoding is set
      bytes += chunk.length;
      if (bytes > maxBytes) throw tooLong(maxBytes, server);
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof AnswerError || (error instanceof Error && (error.name === "AbortError" || error.name === "TimeoutError"))) throw error;
    throw connectionError(error, server);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Lets go of a body that is not wanted any more, and with it of its connection. */
export function discard(answer: WireResponse): void {
  answer.body.on("error", () => undefined); // undici tells of its own cut as an error
  answer.body.destroy();
}

const tooLong = (maxBytes: number, server: string) => new AnswerError("too-long", `${server} answered more than ${maxBytes} bytes, which is the limit here.`);

export function headerOf(answer: WireResponse, name: string): string | undefined {
  const value = answer.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** No server may make us wait longer than this at once. */
export const MAX_RETRY_AFTER_MS = 5 * 60_000;

/** Retry-After in seconds or as a date; `undefined` where absent or nonsense. */
export function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  const waitMs = /^\d+$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - nowMs;
  return Number.isNaN(waitMs) ? undefined : Math.min(Math.max(0, waitMs), MAX_RETRY_AFTER_MS);
}
