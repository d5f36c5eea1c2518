import { nameFilterOf } from "./name-filter";
import { parseSampleLine, type PromSample } from "./sample-line";

export type { PromSample } from "./sample-line";

/** A longer line is passed over; cAdvisor's are under 1 KiB. */
export const MAX_LINE_BYTES = 64 * 1024;
/** A page longer than this (after decompression) is not read on. */
export const MAX_PAGE_BYTES = 16 * 1024 * 1024;

export interface PageCounts {
  readonly bytes: number;
  /** Lines that are neither empty nor a comment, wanted or not. */
  readonly lines: number;
  readonly samples: number;
  /** Wanted lines that are not wholly a sample. */
  readonly malformed: number;
  /** Lines over `MAX_LINE_BYTES`, whatever they held. */
  readonly tooLong: number;
  /** True where the page went on past the bound and was left. */
  readonly overBound: boolean;
}

export interface PageReader {
  /** Takes the next bytes; `false`: the bound is reached, do not read on. */
  push(chunk: Uint8Array): boolean;
  /** The page is over: a last line without a newline counts. */
  end(): PageCounts;
}

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const TAB = 0x09;
const HASH = 0x23;

/**
 * Reads a Prometheus text page as its bytes come in and hands out the wanted samples. Only lines whose first bytes are
 * a wanted name are decoded at all, which is what makes a page of megabytes cheap. Never throws on any bytes, and what it
 * finds does not depend on where the chunks are cut.
 *
 * @param wanted whole sample names (`x_bucket`, not `x`), the same list for every page of a kind
 */
export function createPageReader(options: {
  readonly wanted: readonly string[];
  readonly onSample: (sample: PromSample) => void;
  readonly maxLineBytes?: number;
  readonly maxBytes?: number;
}): PageReader {
  const isWanted = nameFilterOf(options.wanted);
  const maxLineBytes = options.maxLineBytes ?? MAX_LINE_BYTES;
  const maxBytes = options.maxBytes ?? MAX_PAGE_BYTES;
  let bytes = 0;
  let lines = 0;
  let samples = 0;
  let malformed = 0;
  let tooLong = 0;
  let overBound = false;
  /** The start of a line whose end has not come yet; grows by doubling, so that a dripping peer costs no more than a fast one. */
  let held: Buffer = Buffer.alloc(0);
  let heldBytes = 0;
  /** Inside a line that is too long already. */
  let passing = false;

  const line = (buffer: Buffer, start: number, stop: number): void => {
    let from = start;
    let to = stop;
    if (to - from > maxLineBytes) {
      tooLong += 1;
      return;
    }
    if (to > from && buffer[to - 1] === CARRIAGE_RETURN) to -= 1;
    while (from < to && (buffer[from] === SPACE || buffer[from] === TAB)) from += 1;
    if (from === to || buffer[from] === HASH) return;
    lines += 1;
    if (!isWanted(buffer, from, to)) return;
    const sample = parseSampleLine(buffer.toString("utf8", from, to));
    if (sample === undefined) {
      malformed += 1;
      return;
    }
    samples += 1;
    options.onSample(sample);
  };

  const take = (buffer: Buffer): void => {
    let from = 0;
    if (heldBytes > 0 || passing) {
      const end = buffer.indexOf(NEWLINE);
      hold(end === -1 ? buffer : buffer.subarray(0, end));
      if (end === -1) return;
      if (!passing) line(held, 0, heldBytes);
      heldBytes = 0;
      passing = false;
      from = end + 1;
    }
    for (let end = buffer.indexOf(NEWLINE, from); end !== -1; end = buffer.indexOf(NEWLINE, from)) {
      line(buffer, from, end);
      from = end + 1;
    }
    if (from < buffer.length) hold(buffer.subarray(from));
  };

  /** Copies, because the giver of a chunk may use its memory again. */
  const hold = (part: Buffer): void => {
    if (passing) return;
    const needed = heldBytes + part.length;
    if (needed > maxLineBytes) {
      tooLong += 1;
      passing = true;
      return;
    }
    if (needed > held.length) {
      const larger = Buffer.alloc(Math.min(maxLineBytes, Math.max(needed, 2 * held.length)));
      held.copy(larger, 0, 0, heldBytes);
      held = larger;
    }
    part.copy(held, heldBytes);
    heldBytes = needed;
  };

  return {
    push: (chunk) => {
      if (overBound) return false;
      const room = maxBytes - bytes;
      overBound = chunk.length > room;
      const part = overBound ? chunk.subarray(0, room) : chunk;
      bytes += part.length;
      take(Buffer.from(part.buffer, part.byteOffset, part.length));
      return !overBound;
    },
    end: () => {
      // What is left of a page that was cut at the bound may be half a line, so half a number.
      if (!overBound && !passing && heldBytes > 0) line(held, 0, heldBytes);
      heldBytes = 0;
      return { bytes, lines, samples, malformed, tooLong, overBound };
    },
  };
}
