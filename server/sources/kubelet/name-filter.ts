/**
 * Tells from the first bytes of a line whether it is a sample of a wanted name, before anything is decoded. A small
 * tree of bytes: a line is left at the first byte that no wanted name has.
 */
export type NameFilter = (bytes: Uint8Array, from: number, to: number) => boolean;

interface ByteNode {
  readonly next: (ByteNode | undefined)[];
  complete: boolean;
}

const SPACE = 0x20;
const TAB = 0x09;
const OPENING_BRACE = 0x7b;

const KNOWN = new WeakMap<readonly string[], NameFilter>();

/** The filter of a list that is asked for again and again: made once, since a tree for each page would be most of the memory that its reading takes. */
export function nameFilterOf(names: readonly string[]): NameFilter {
  const known = KNOWN.get(names) ?? createNameFilter(names);
  KNOWN.set(names, known);
  return known;
}

/** @param names whole names as they stand on the line: a histogram's are `x_bucket`, `x_count`, `x_sum` */
function createNameFilter(names: readonly string[]): NameFilter {
  const root: ByteNode = { next: [], complete: false };
  for (const name of names) {
    let node = root;
    for (const byte of new TextEncoder().encode(name)) node = node.next[byte] ??= { next: [], complete: false };
    node.complete = true;
  }
  return (bytes, from, to) => {
    let node = root;
    for (let at = from; at < to; at += 1) {
      const byte = bytes[at] ?? 0;
      const next = node.next[byte];
      if (next === undefined) return node.complete && (byte === OPENING_BRACE || byte === SPACE || byte === TAB);
      node = next;
    }
    return false; // a name without a value is no sample
  };
}
