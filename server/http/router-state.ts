/** Deeper than any tree of pages; a page's address has a few segments. */
const MAX_STATE_DEPTH = 64;
const REFETCHES: ReadonlySet<unknown> = new Set(["refetch", "inside-shared-layout", "metadata-only"]);
const PARAM_KINDS: ReadonlySet<unknown> = new Set(["c", "ci(..)(..)", "ci(.)", "ci(..)", "ci(...)", "oc", "d", "di(..)(..)", "di(.)", "di(..)", "di(...)"]);

/**
 * Whether the header `Next-Router-State-Tree` holds what Next's own client sends: which page a tab shows, as nested lists
 * `[segment, {slot: …}, url?, refetch?, hint?, text?]`, JSON and percent-encoded. Next answers anything else with 500 and prints a stack.
 */
export function isRouterState(header: string): boolean {
  try {
    return isTree(JSON.parse(decodeURIComponent(header)), MAX_STATE_DEPTH);
  } catch {
    return false; // no percent-encoding or no JSON: told to the sender by the caller
  }
}

function isTree(value: unknown, depth: number): boolean {
  if (depth === 0 || !Array.isArray(value) || value.length < 2 || value.length > 6) return false;
  const [segment, slots, url, refetch, hint, text] = value as readonly unknown[];
  return (
    isSegment(segment) &&
    typeof slots === "object" && slots !== null && !Array.isArray(slots) &&
    Object.values(slots).every((slot) => isTree(slot, depth - 1)) &&
    (url == null || (Array.isArray(url) && url.length === 2 && areTexts(url))) &&
    (refetch == null || REFETCHES.has(refetch)) &&
    (hint == null || typeof hint === "number") &&
    (text === undefined || typeof text === "string")
  );
}

function isSegment(value: unknown): boolean {
  if (typeof value === "string") return true;
  if (!Array.isArray(value) || value.length !== 4) return false;
  const [name, key, kind, siblings] = value as readonly unknown[];
  return areTexts([name, key]) && PARAM_KINDS.has(kind) && (siblings === null || (Array.isArray(siblings) && areTexts(siblings)));
}

const areTexts = (values: readonly unknown[]): boolean => values.every((value) => typeof value === "string");
