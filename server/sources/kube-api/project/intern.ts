/** Distinct texts that are kept; past it all are let go, which costs memory only until they are met again. */
export const MAX_INTERNED = 50_000;

/** Hands out one copy of equal texts: 150,000 pods have a few thousand namespaces, nodes and owners between them. */
export function interner(max = MAX_INTERNED): <T extends string>(text: T) => T {
  const known = new Map<string, string>();
  return <T extends string>(text: T): T => {
    const found = known.get(text);
    if (found !== undefined) return found as T; // equal text, so of the same brand
    if (known.size >= max) known.clear();
    known.set(text, text);
    return text;
  };
}
