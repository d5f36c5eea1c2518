import { causeDocs } from "../causes/types";
import type { Explanation } from "./types";

/** What a text says. */
export function explain(_text: string): Explanation {
  return { cause: "unknown", plugin: "generic", confidence: "low", because: [], lookAt: [], fix: [], docs: causeDocs("unknown"), facts: {} };
}
