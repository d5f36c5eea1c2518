"use client";

import { useEffect, useState, type RefObject } from "react";
import { visibleLines, type VisibleLines } from "./visible-lines";

/** A window's height before the first scroll is known; also what the server renders. */
const ASSUMED_HEIGHT = 900;

/**
 * The part of a table of equally high lines that is in view while the page scrolls. Every line has the same height, so
 * this needs no measuring, and no library that measures.
 */
export function useVisibleLines(body: RefObject<HTMLElement | null>, count: number, linePx: number, all: boolean): VisibleLines {
  const [lines, setLines] = useState<VisibleLines>(() => visibleLines(count, linePx, 0, ASSUMED_HEIGHT));
  useEffect(() => {
    if (all) return;
    const read = (): void => {
      const box = body.current?.getBoundingClientRect();
      if (box === undefined) return;
      const next = visibleLines(count, linePx, -box.top, window.innerHeight);
      setLines((before) => (before.start === next.start && before.end === next.end ? before : next));
    };
    read();
    window.addEventListener("scroll", read, { passive: true });
    window.addEventListener("resize", read);
    return () => {
      window.removeEventListener("scroll", read);
      window.removeEventListener("resize", read);
    };
  }, [body, count, linePx, all]);
  return all ? { start: 0, end: count } : { start: Math.min(lines.start, count), end: Math.min(lines.end, count) };
}
