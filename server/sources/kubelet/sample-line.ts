/** One sample of a Prometheus text page. */
export interface PromSample {
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
  /** Can be NaN or infinite where the page says so. */
  readonly value: number;
  /** Milliseconds, only where the line has a whole number of them. */
  readonly timestampMs?: number;
}

const NAME = /[a-zA-Z_:][a-zA-Z0-9_:]*/y;
const LABEL_NAME = /[a-zA-Z_][a-zA-Z0-9_]*/y;
const BLANKS = /[ \t]*/y;
const LABEL_VALUE = /"(?:[^"\\]|\\.)*"/sy;
const TOKEN = /[^ \t]+/y;
/** Stands before an exemplar, which goes on to the end of the line. */
const EXEMPLAR = "#";
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const WHOLE = /^-?\d{1,15}$/;
/** Most labels of one sample. */
export const MAX_LABELS = 64;
/** Decoding puts it where bytes are no UTF-8; a name that is not certain must not be taken for one that is. */
const REPLACEMENT = "\uFFFD";

/**
 * Reads one line of the text format (0.0.4, and OpenMetrics as far as it agrees): name, labels, value, time, and an
 * exemplar that is passed over. `undefined` for anything that is not wholly a sample; it never guesses.
 */
export function parseSampleLine(line: string): PromSample | undefined {
  if (line.includes(REPLACEMENT)) return undefined;
  const cursor = new Cursor(line);
  const name = cursor.take(NAME);
  if (name === undefined) return undefined;
  cursor.pass(BLANKS);
  const labels = cursor.skip("{") ? parseLabels(cursor) : NO_LABELS;
  if (labels === undefined) return undefined;
  return parseRest(name, labels, cursor);
}

const NO_LABELS: ReadonlyMap<string, string> = new Map();

function parseLabels(cursor: Cursor): ReadonlyMap<string, string> | undefined {
  const labels = new Map<string, string>();
  for (;;) {
    cursor.pass(BLANKS);
    if (cursor.skip("}")) return labels;
    const name = cursor.take(LABEL_NAME);
    cursor.pass(BLANKS);
    if (name === undefined || labels.has(name) || labels.size >= MAX_LABELS || !cursor.skip("=")) return undefined;
    cursor.pass(BLANKS);
    const value = unescape(cursor.take(LABEL_VALUE)?.slice(1, -1));
    if (value === undefined) return undefined;
    labels.set(name, value);
    cursor.pass(BLANKS);
    if (cursor.skip(",")) continue;
    return cursor.skip("}") ? labels : undefined;
  }
}

function unescape(text: string | undefined): string | undefined {
  if (text === undefined || !text.includes("\\")) return text;
  let known = true;
  const plain = text.replaceAll(/\\(.)/gs, (_whole, letter: string) => {
    if (letter === "n") return "\n";
    known &&= letter === "\\" || letter === '"';
    return letter;
  });
  return known ? plain : undefined;
}

function parseRest(name: string, labels: ReadonlyMap<string, string>, cursor: Cursor): PromSample | undefined {
  const valueText = cursor.token();
  const value = valueText === undefined || valueText === EXEMPLAR ? undefined : parseValue(valueText);
  if (value === undefined) return undefined;
  const timeText = cursor.token();
  if (timeText === undefined || timeText === EXEMPLAR) return { name, labels, value };
  const after = cursor.token();
  if (after !== undefined && after !== EXEMPLAR) return undefined;
  if (WHOLE.test(timeText)) return { name, labels, value, timestampMs: Number(timeText) };
  return NUMBER.test(timeText) ? { name, labels, value } : undefined; // OpenMetrics: seconds with a fraction
}

function parseValue(text: string): number | undefined {
  if (NUMBER.test(text)) return Number(text);
  switch (text.toLowerCase()) {
    case "nan":
      return NaN;
    case "inf":
    case "+inf":
      return Infinity;
    case "-inf":
      return -Infinity;
    default:
      return undefined;
  }
}

class Cursor {
  #at = 0;

  constructor(readonly text: string) {}

  /** What the sticky pattern matches here; moves past it. */
  take(pattern: RegExp): string | undefined {
    const from = this.#at;
    return this.pass(pattern) ? this.text.slice(from, this.#at) : undefined;
  }

  /** The same where nobody wants to know what it is. `test`, since what `exec` tells was a third of all that the collector allocated. */
  pass(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    if (!pattern.test(this.text)) return false;
    this.#at = pattern.lastIndex;
    return true;
  }

  skip(character: string): boolean {
    if (this.text[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  /** What stands between the next blanks; `undefined` at the end of the line. */
  token(): string | undefined {
    this.pass(BLANKS);
    return this.take(TOKEN);
  }
}
