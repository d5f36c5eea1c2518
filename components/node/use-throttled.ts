"use client";

import { useCallback, useEffect, useRef } from "react";

/** Runs at once, then at most once in `everyMs`; a call in between is made up for at the end of that time. */
export function useThrottled(run: () => void, everyMs: number): () => void {
  const latest = useRef(run);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const ranMs = useRef(-Infinity);
  useEffect(() => {
    latest.current = run;
  });
  useEffect(() => () => clearTimeout(timer.current), []);
  return useCallback(() => {
    if (timer.current !== undefined) return;
    timer.current = setTimeout(
      () => {
        timer.current = undefined;
        ranMs.current = performance.now();
        latest.current();
      },
      Math.max(0, ranMs.current + everyMs - performance.now()),
    );
  }, [everyMs]);
}
