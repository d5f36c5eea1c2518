/**
 * Finds many fixed strings in one pass (Aho and Corasick, 1975): the time grows with the length of the text alone, however
 * many strings are looked for and whatever the text holds.
 */
export interface Scanner {
  /**
   * Where each mark was seen between two positions of a text that is in lower case already. A mark that the end of the text
   * cuts off counts where enough of it is there to tell which one it is.
   */
  readonly scan: (lower: string, from: number, to: number) => Sightings;
}

export interface Sightings {
  readonly has: (mark: string) => boolean;
  /** Position of the first and the last sighting; -1 where the mark was not seen. */
  readonly first: (mark: string) => number;
  readonly last: (mark: string) => number;
  /** Every mark that was seen, each once. */
  readonly marks: readonly string[];
}

const isLetter = (code: number): boolean => code >= 97 && code <= 122;

/** A table of states; it is large, so it takes two bytes a state where they suffice. */
type States = Uint16Array | Int32Array;
const MOST_SHORT_STATES = 2 ** 16;

/** Every character that no mark holds is the same to the automaton. */
const OTHER = 0;

/** A text that ends within a word of a mark was cut there: with this much of it, the mark counts as seen where it is clear which is meant. */
const LEAST_BEGUN_CHARS = 9;
const MOST_BEGUN_MARKS = 1;

/** Marks must be lower-case ASCII and not empty. */
export function createScanner(marks: Iterable<string>): Scanner {
  const index = new Map<string, number>();
  for (const mark of marks) if (!index.has(mark)) index.set(mark, index.size);
  const alphabet = new Int16Array(128);
  let letters = 1;
  for (const mark of index.keys()) {
    for (let at = 0; at < mark.length; at += 1) {
      const code = mark.charCodeAt(at);
      if (code > 127) throw new RangeError(`A mark must be plain ASCII: ${mark}`);
      if (alphabet[code] === OTHER) alphabet[code] = letters++;
    }
  }
  const machine = build(index, alphabet, letters);
  const names = [...index.keys()];
  const lengths = names.map((mark) => mark.length);
  return {
    scan: (lower, from, to) => {
      const found: string[] = [];
      const firsts = new Int32Array(index.size).fill(-1);
      const lasts = new Int32Array(index.size).fill(-1);
      let state = 0;
      for (let at = from; at < to; at += 1) {
        const code = lower.charCodeAt(at);
        const letter = code < 128 ? (alphabet[code] ?? OTHER) : OTHER;
        state = machine.next[state * letters + letter] ?? 0;
        for (let hit = machine.ends[state] === -1 ? (machine.shorter[state] ?? 0) : state; hit > 0; hit = machine.shorter[hit] ?? 0) {
          const mark = machine.ends[hit] ?? 0;
          const start = at + 1 - (lengths[mark] ?? 0);
          if ((firsts[mark] ?? -1) < 0) {
            firsts[mark] = start;
            found.push(names[mark] ?? "");
          }
          lasts[mark] = start;
        }
      }
      const begun = machine.depths[state] ?? 0;
      if (to === lower.length && begun >= LEAST_BEGUN_CHARS) {
        const start = to - begun;
        const head = lower.slice(start);
        const meant = names.filter((name) => name.startsWith(head) && isLetter(name.charCodeAt(begun)) && isLetter(head.charCodeAt(begun - 1)));
        if (meant.length <= MOST_BEGUN_MARKS) {
          for (const name of meant) {
            const mark = index.get(name) ?? 0;
            if (lasts[mark] !== -1) continue;
            firsts[mark] = start;
            lasts[mark] = start;
            found.push(name);
          }
        }
      }
      const at = (positions: Int32Array, mark: string): number => {
        const number = index.get(mark);
        if (number === undefined) throw new RangeError(`Not a mark of this scanner: ${mark}`);
        return positions[number] ?? -1;
      };
      return { marks: found, has: (mark) => at(firsts, mark) >= 0, first: (mark) => at(firsts, mark), last: (mark) => at(lasts, mark) };
    },
  };
}

interface Machine {
  readonly next: States;
  /** The mark that ends in a state, or -1. */
  readonly ends: Int32Array;
  /** The nearest shorter state in which a mark ends, or 0. */
  readonly shorter: Int32Array;
  /** How many characters of a mark a state stands for. */
  readonly depths: Int32Array;
}

function build(marks: ReadonlyMap<string, number>, alphabet: Int16Array, letters: number): Machine {
  let states = 1;
  for (const mark of marks.keys()) states += mark.length;
  const next = new Int32Array(states * letters).fill(-1);
  const ends = new Int32Array(states).fill(-1);
  const shorter = new Int32Array(states);
  const fallback = new Int32Array(states);
  const depths = new Int32Array(states);
  let used = 1;
  for (const [mark, number] of marks) {
    let state = 0;
    for (let at = 0; at < mark.length; at += 1) {
      const cell = state * letters + (alphabet[mark.charCodeAt(at)] ?? OTHER);
      const known = next[cell] ?? -1;
      if (known < 0) next[cell] = used++;
      state = next[cell] ?? 0;
      depths[state] = at + 1;
    }
    ends[state] = number;
  }
  const queue: number[] = [0];
  for (let head = 0; head < queue.length; head += 1) {
    const state = queue[head] ?? 0;
    for (let letter = 0; letter < letters; letter += 1) {
      const cell = state * letters + letter;
      const child = next[cell] ?? -1;
      const other = state === 0 ? 0 : (next[(fallback[state] ?? 0) * letters + letter] ?? 0);
      if (child < 0) {
        next[cell] = other;
        continue;
      }
      fallback[child] = other;
      shorter[child] = ends[other] === -1 ? (shorter[other] ?? 0) : other;
      queue.push(child);
    }
  }
  const table = next.subarray(0, used * letters);
  return { depths, next: used <= MOST_SHORT_STATES ? Uint16Array.from(table) : table.slice(), ends: ends.slice(0, used), shorter: shorter.slice(0, used) };
}
