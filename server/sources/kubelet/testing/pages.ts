import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { createPageReader, type PageCounts, type PromSample } from "../prometheus-text";

const FOLDER = path.join(import.meta.dirname, "fixtures");

/** Every recorded page by its path, `multus/retry-storm/cadvisor-metrics-during.txt.gz`. */
export const recordedPages = (): string[] =>
  readdirSync(FOLDER, { recursive: true, encoding: "utf8" })
    .map((name) => name.replaceAll(path.sep, "/"))
    .filter((name) => name.endsWith(".txt.gz"))
    .sort();

export const recordedGzip = (name: string): Buffer => readFileSync(path.join(FOLDER, name));
export const recorded = (name: string): Buffer => gunzipSync(recordedGzip(name));

export interface ReadPage {
  readonly samples: readonly PromSample[];
  readonly counts: PageCounts;
}

/** Reads a page in chunks of the given sizes, the last of which is used again and again. */
export function readInChunks(page: Uint8Array, wanted: readonly string[], sizes: readonly number[] = [16_384], bounds: { maxLineBytes?: number; maxBytes?: number } = {}): ReadPage {
  const samples: PromSample[] = [];
  const reader = createPageReader({ wanted, onSample: (sample) => samples.push(sample), ...bounds });
  let at = 0;
  for (let index = 0; at < page.length; index += 1) {
    const size = Math.max(1, sizes[Math.min(index, sizes.length - 1)] ?? 1);
    // A copy of its own, wiped afterwards: a reader that held on to it would be found out.
    const chunk = Uint8Array.from(page.subarray(at, at + size));
    const goOn = reader.push(chunk);
    chunk.fill(0);
    if (!goOn) break;
    at += size;
  }
  return { samples, counts: reader.end() };
}
