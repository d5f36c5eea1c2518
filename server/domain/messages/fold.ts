import { visibleText } from "../clean-text";
import { MAX_EXPLAINED_CHARS } from "./types";

/**
 * A text as it is matched: lower case, escapes and colour codes peeled off, white space one blank wide. Every position leads
 * back into the original, so that what is quoted is what was given.
 */
export interface Folded {
  readonly lower: string;
  readonly original: string;
  /** Position in the original of a position in `lower`. */
  readonly origin: (at: number) => number;
}

const TAB = 9;
const NEWLINE = 10;
const RETURN = 13;
const ESCAPE = 27;
const BLANK = 32;
const BACKSLASH = 92;
const DELETE = 127;
const FIRST_PRINTABLE_C1 = 160;
const BOM = 0xfeff;
/** Longest escape sequence of a terminal that is taken as one. */
const MAX_SEQUENCE_CHARS = 64;

/** What else stands for one character in copied texts. */
const ENTITIES: readonly (readonly [from: string, to: string])[] = [
  ["&quot;", '"'],
  ["&#34;", '"'],
  ["&#39;", "'"],
  ["&apos;", "'"],
  ["&lt;", "<"],
  ["&gt;", ">"],
  ["&amp;", "&"],
];
const UNICODE_ESCAPES: Readonly<Record<string, string>> = { "0022": '"', "0026": "&", "0027": "'", "003c": "<", "003d": "=", "003e": ">", "001b": "" };

const isSpace = (code: number): boolean => code === BLANK || (code >= TAB && code <= RETURN) || code === 0xa0 || code === 0x2028 || code === 0x2029;
const isControl = (code: number): boolean => code < BLANK || (code >= DELETE && code < FIRST_PRINTABLE_C1) || code === 0x200b || code === BOM;

/**
 * Folds a text in one pass; what lies beyond MAX_EXPLAINED_CHARS is not read. `joinLines` drops line breaks instead of making
 * them a blank: for texts that a terminal wrapped in the middle of words.
 */
export function fold(text: string, joinLines = false): Folded {
  const original = text.length > MAX_EXPLAINED_CHARS ? text.slice(0, MAX_EXPLAINED_CHARS) : text;
  const starts: number[] = [];
  const origins: number[] = [];
  let out = "";
  let runStart = 0;
  let blankBefore = true;
  const flush = (end: number): void => {
    if (end > runStart) {
      starts.push(out.length);
      origins.push(runStart);
      out += original.slice(runStart, end);
    }
  };
  const put = (at: number, instead: string): void => {
    if (instead === "" || (instead === " " && blankBefore)) return;
    starts.push(out.length);
    origins.push(at);
    out += instead;
    blankBefore = instead === " ";
  };
  let at = 0;
  while (at < original.length) {
    const code = original.charCodeAt(at);
    const piece = special(original, at, code, blankBefore, joinLines);
    if (piece === undefined) {
      blankBefore = code === BLANK;
      at += 1;
      continue;
    }
    flush(at);
    put(at, piece.instead);
    at += piece.length;
    runStart = at;
  }
  flush(original.length);
  return { lower: lowerOf(out), original, origin: (position) => originOf(starts, origins, position) };
}

interface Piece {
  readonly instead: string;
  readonly length: number;
}

/** What stands at a position for something else; `undefined` where the character stands for itself. */
function special(text: string, at: number, code: number, blankBefore: boolean, joinLines: boolean): Piece | undefined {
  if (code === BLANK) return blankBefore ? { instead: "", length: 1 } : undefined;
  if (code === ESCAPE) return { instead: "", length: sequenceLength(text, at) };
  if (isSpace(code)) return { instead: joinLines && (code === NEWLINE || code === RETURN) ? "" : " ", length: 1 };
  if (isControl(code)) return { instead: "", length: 1 };
  if (code === BACKSLASH) return escaped(text, at);
  if (code === 38) {
    for (const [from, to] of ENTITIES) if (text.startsWith(from, at)) return { instead: to, length: from.length };
    return undefined;
  }
  if (code === 0x201c || code === 0x201d || code === 0x201e) return { instead: '"', length: 1 };
  if (code === 0x2018 || code === 0x2019) return { instead: "'", length: 1 };
  return undefined;
}

/** `\"`, `\\\"`, `\n`, `\u003c`: however often a text was quoted inside another. */
function escaped(text: string, at: number): Piece {
  let end = at;
  while (text.charCodeAt(end) === BACKSLASH) end += 1;
  const next = text.charAt(end);
  if (next === '"' || next === "'") return { instead: next, length: end + 1 - at };
  if (next === "n" || next === "t" || next === "r") return { instead: " ", length: end + 1 - at };
  if (next === "u" || next === "x") {
    const digits = next === "u" ? text.slice(end + 1, end + 5) : `00${text.slice(end + 1, end + 3)}`;
    const stands = UNICODE_ESCAPES[digits.toLowerCase()];
    if (stands !== undefined) return { instead: stands, length: end + 1 + (next === "u" ? 4 : 2) - at };
  }
  return { instead: end - at > 1 ? "\\" : "", length: end - at };
}

/** ESC [ … letter, ESC ] … BEL, or ESC and one character. */
function sequenceLength(text: string, at: number): number {
  const kind = text.charAt(at + 1);
  const limit = Math.min(text.length, at + MAX_SEQUENCE_CHARS);
  if (kind === "[") {
    for (let end = at + 2; end < limit; end += 1) {
      const code = text.charCodeAt(end);
      if (code >= 0x40 && code <= 0x7e) return end + 1 - at;
    }
    return 2;
  }
  if (kind === "]") {
    for (let end = at + 2; end < limit; end += 1) if (text.charCodeAt(end) === 7 || text.charCodeAt(end) === ESCAPE) return end + (text.charCodeAt(end) === 7 ? 1 : 0) - at;
    return 2;
  }
  return kind === "" ? 1 : 2;
}

/** Lower case of the same length: one letter of the whole alphabet grows when it is lowered. */
function lowerOf(text: string): string {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : text.replaceAll("\u0130", "i").toLowerCase();
}

function originOf(starts: readonly number[], origins: readonly number[], position: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= position) low = middle;
    else high = middle - 1;
  }
  return (origins[low] ?? 0) + Math.max(0, position - (starts[low] ?? 0));
}

/** The original between two folded positions, as one line without control characters, cut to `most` characters. */
export function quote(folded: Folded, from: number, to: number, most: number): string {
  const start = folded.origin(from);
  const end = to <= from ? start : folded.origin(to - 1) + 1;
  return shown(folded.original.slice(start, Math.min(end, start + most)));
}

/** A piece of foreign text as it may be shown: control characters and colour codes gone, marks of direction as visible signs, on one line. */
export function shown(text: string): string {
  let out = "";
  let at = 0;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === ESCAPE) {
      at += sequenceLength(text, at);
      continue;
    }
    if (isSpace(code)) out += out.endsWith(" ") ? "" : " ";
    else if (!isControl(code)) out += text.charAt(at);
    at += 1;
  }
  return visibleText(out.trim());
}
