"use client";

import { useCallback, useEffect, useRef, useState } from "react";
import type { ExplainedText } from "@/server/contract/explain";
import { ApiError, postJson } from "@/components/live/fetch-json";

export type ExplainState =
  | { readonly step: "empty" }
  | { readonly step: "asking" }
  | { readonly step: "failed"; readonly error: ApiError }
  | { readonly step: "explained"; readonly explained: ExplainedText };

export interface Explaining {
  readonly state: ExplainState;
  ask(text: string): void;
  clear(): void;
}

/** One text at a time: a new question ends the one before. */
export function useExplain(): Explaining {
  const [state, setState] = useState<ExplainState>({ step: "empty" });
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  const ask = useCallback((text: string): void => {
    running.current?.abort();
    const asking = new AbortController();
    running.current = asking;
    setState({ step: "asking" });
    postJson<ExplainedText>("/api/v1/explain", { text }, { signal: asking.signal }).then(
      (explained) => {
        if (!asking.signal.aborted) setState({ step: "explained", explained });
      },
      (error: unknown) => {
        if (asking.signal.aborted) return;
        if (!(error instanceof ApiError)) throw error;
        setState({ step: "failed", error });
      },
    );
  }, []);

  const clear = useCallback((): void => {
    running.current?.abort();
    setState({ step: "empty" });
  }, []);

  return { state, ask, clear };
}
