import { StoreUnwritable, type Ingest, type IngestBatch } from "../store/types";

/** One kind of row of a batch, and how some of them make a batch of their own. */
export interface BatchPart<T = unknown> {
  readonly name: string;
  readonly items: readonly T[];
  readonly of: (items: readonly T[]) => Partial<IngestBatch>;
  /** What was gathered of it is done with. */
  readonly clear: () => void;
}

/** A kind of row whose item type nobody outside needs to know. */
export const part = <T>(name: string, items: readonly T[], of: (items: readonly T[]) => Partial<IngestBatch>, clear: () => void): BatchPart => ({
  name,
  items,
  of: (some) => of(some as readonly T[]), // only ever slices of `items`
  clear,
});

export const EMPTY_BATCH: Omit<IngestBatch, "atMs"> = { samples: [], events: [], views: [], gone: [], answers: [], sources: [], kubeletKeys: [] };

/** Most transactions that one batch may cost while the row that breaks it is looked for. A million rows are halved twenty times. */
export const MAX_APART_WRITES = 400;

export interface Refused {
  readonly part: string;
  readonly rows: number;
  readonly error: unknown;
}

/**
 * Writes a batch that the store refused as a whole for a fault of ours: part by part, and what is refused by halves, until the
 * rows that break it stand alone. They are given up and returned; everything else is in the store. Throws where the store takes nothing
 * at all (StoreUnwritable, or the first error where not even an empty batch goes in): then nothing may be given up, and parts that are not done wait.
 */
export function writeApart(ingest: Pick<Ingest, "write">, parts: readonly BatchPart[], atMs: number): readonly Refused[] {
  ingest.write({ ...EMPTY_BATCH, atMs });
  const refused: Refused[] = [];
  let writes = 0;
  const attempt = (one: BatchPart, items: readonly unknown[]): void => {
    if (items.length === 0) return;
    if (writes >= MAX_APART_WRITES) {
      refused.push({ part: one.name, rows: items.length, error: new Error(`not tried: ${MAX_APART_WRITES} transactions had gone into this batch`) });
      return;
    }
    writes += 1;
    try {
      ingest.write({ ...EMPTY_BATCH, atMs, ...one.of(items) });
    } catch (error) {
      if (error instanceof StoreUnwritable) throw error;
      if (items.length === 1) {
        refused.push({ part: one.name, rows: 1, error });
        return;
      }
      const half = Math.ceil(items.length / 2);
      attempt(one, items.slice(0, half));
      attempt(one, items.slice(half));
    }
  };
  for (const one of parts) {
    attempt(one, one.items);
    one.clear();
  }
  return refused;
}
