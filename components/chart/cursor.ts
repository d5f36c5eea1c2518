"use client";

import { createContext, useContext, useSyncExternalStore } from "react";

/** The one cursor of all lanes and charts; outside React's tree, so that moving it renders the legends and nothing else. */
export interface Cursor {
  /** UTC ms; `undefined` while nobody points at anything. */
  readonly get: () => number | undefined;
  set(atMs: number | undefined): void;
  readonly subscribe: (listener: () => void) => () => void;
}

export function createCursor(): Cursor {
  let at: number | undefined;
  const listeners = new Set<() => void>();
  return {
    get: () => at,
    set(next) {
      if (next === at) return;
      at = next;
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export const CursorContext = createContext<Cursor | undefined>(undefined);

function useCursor(): Cursor {
  const cursor = useContext(CursorContext);
  if (cursor === undefined) throw new Error("a chart outside of its workbench");
  return cursor;
}

export function useCursorMs(): number | undefined {
  const cursor = useCursor();
  return useSyncExternalStore(cursor.subscribe, cursor.get, () => undefined);
}
