"use client";

import { useSearchParams } from "next/navigation";
import { useCallback, useMemo } from "react";
import { formatView, parseView, type ViewState } from "./view-state";

/** The view as the URL says it. Changing it writes the URL in place, without a trip to the server. */
export function useView(): readonly [ViewState, (change: Partial<ViewState>) => void] {
  const params = useSearchParams();
  const view = useMemo(() => parseView(params), [params]);
  const change = useCallback((part: Partial<ViewState>) => {
    const next = formatView({ ...parseView(new URLSearchParams(window.location.search)), ...part });
    window.history.replaceState(null, "", `${window.location.pathname}${next}`);
  }, []);
  return [view, change];
}
