"use client";

import { useSearchParams } from "next/navigation";
import { useCallback, useMemo, useRef } from "react";
import { formatRange, parseRange, type Range } from "./geometry/range";

/** Zooms that Esc can take back. */
const MAX_BACK = 20;

export interface RangeControl {
  readonly range: Range;
  setRange(range: Range): void;
  /** To the range before the last zoom, if there was one. */
  back(): void;
}

/** The range as the URL says it; each change is a step in the browser's history. */
export function useRange(): RangeControl {
  const params = useSearchParams();
  const from = params.get("from");
  const to = params.get("to");
  const range = useMemo(() => parseRange(from, to), [from, to]);
  const earlier = useRef<Range[]>([]);
  const setRange = useCallback(
    (next: Range) => {
      earlier.current = [...earlier.current, range].slice(-MAX_BACK);
      write(next);
    },
    [range],
  );
  const back = useCallback(() => {
    const before = earlier.current.pop();
    if (before !== undefined) write(before);
  }, []);
  return { range, setRange, back };
}

function write(range: Range): void {
  window.history.pushState(null, "", `${window.location.pathname}${queryOf(range)}`);
}

export function queryOf(range: Range): string {
  const text = new URLSearchParams(formatRange(range)).toString().replaceAll("%3A", ":");
  return text === "" ? "" : `?${text}`;
}
