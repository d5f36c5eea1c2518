import type { Folded } from "./fold";
import type { Operation } from "./rule";
import { ALL_LAYER_MARKS, LAYER_MARKS } from "./layers";
import { type Sightings, createScanner } from "./scanner";

/** One program's sentence around the next. */
export interface Frame {
  readonly who: string;
  readonly op?: Operation;
  readonly at: number;
  readonly mark: string;
}

/** A piece of a text that tells of one operation. */
export interface Branch {
  readonly from: number;
  readonly to: number;
  readonly op?: Operation;
  readonly frames: readonly Frame[];
}

export interface Peeled {
  /** As the folded text, with what only repeats the call (arguments, standard input) blanked: same length, same positions. */
  readonly body: string;
  /** What failed first stands first; a list of errors has one branch for making the sandbox and one for cleaning up. */
  readonly branches: readonly Branch[];
}

/** Most sentences of programs that are kept of one text. */
export const MAX_FRAMES = 16;

const layerByMark = new Map(LAYER_MARKS.flatMap((layer) => layer.marks.map((mark) => [mark, layer] as const)));
const frameScanner = createScanner(ALL_LAYER_MARKS);
/** Where the second half of "[failed to set up …, failed to clean up …]" begins. */
const CLEAN_UP = "failed to clean up sandbox container";

/** Takes a folded text apart: blanks what is only an echo of the call, splits a list of errors, names each frame. */
export function peel(folded: Folded): Peeled {
  const body = withoutEchoes(folded.lower);
  const cut = body.indexOf(CLEAN_UP);
  const ranges: readonly (readonly [from: number, to: number])[] = cut > 0 && addComesFirst(body, cut) ? [[0, cut], [cut, body.length]] : [[0, body.length]];
  return { body, branches: ranges.map(([from, to]) => branchOf(body, from, to)) };
}

/** The kubelet lists what failed while it made the sandbox, then what failed while it cleaned up; the list's own head may be cut away. */
const addComesFirst = (body: string, cut: number): boolean => body.startsWith(", ", cut - 2) || body.lastIndexOf("failed to set up", cut) >= 0;

function branchOf(body: string, from: number, to: number): Branch {
  const seen = frameScanner.scan(body, from, to);
  const frames = framesOf(seen);
  const told = frames.filter(({ op }) => op !== undefined).at(-1)?.op;
  return { from, to, frames, ...(told === undefined ? {} : { op: told }) };
}

function framesOf(seen: Sightings): readonly Frame[] {
  const frames: Frame[] = [];
  for (const mark of seen.marks) {
    const layer = layerByMark.get(mark);
    if (layer !== undefined) frames.push({ who: layer.who, at: seen.last(mark), mark, ...(layer.op === undefined ? {} : { op: layer.op }) });
  }
  return frames.sort((a, b) => a.at - b.at).slice(0, MAX_FRAMES);
}

/** The shim repeats its standard input after an error, and the daemon the call's arguments before it. */
function withoutEchoes(lower: string): string {
  const ranges: [from: number, to: number][] = [];
  for (const at of positions(lower, "stdindata:")) {
    const from = at + "stdindata:".length;
    ranges.push([from, endOfJson(lower, from)]);
  }
  for (const at of positions(lower, "errored:")) {
    const near = Math.max(0, at - MAX_ARGUMENT_CHARS);
    const from = lower.slice(near, at).lastIndexOf("containerid:");
    if (from >= 0) ranges.push([near + from, at]);
  }
  let body = lower;
  for (const [from, to] of ranges) body = body.slice(0, from) + " ".repeat(to - from) + body.slice(to);
  return body;
}

function positions(text: string, mark: string): readonly number[] {
  const found: number[] = [];
  for (let at = text.indexOf(mark); at >= 0 && found.length < MAX_ECHOES; at = text.indexOf(mark, at + mark.length)) found.push(at);
  return found;
}

/** Most echoes that are blanked in one text. */
const MAX_ECHOES = 8;
/** Longest list of a call's arguments. */
const MAX_ARGUMENT_CHARS = 65_536;

/** Behind the object that begins here, or the end of the text where it is cut. */
function endOfJson(text: string, from: number): number {
  const start = text.indexOf("{", from);
  if (start < 0 || start > from + 2) return Math.min(from, text.length);
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === OPEN) depth += 1;
    else if (code === CLOSE && --depth === 0) return at + 1;
  }
  return text.length;
}

const OPEN = 123;
const CLOSE = 125;
