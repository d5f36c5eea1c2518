"use client";

import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useRef, useState } from "react";
import type { Timeline } from "@/server/contract/schemas";
import { fetchJson } from "@/components/live/fetch-json";
import { useOnChange, useServerClock } from "@/components/live/live-provider";
import { QUERY_KEYS } from "@/components/live/queries";
import { windowOf, type Range, type Window } from "./geometry/range";
import { rangeKeyOf } from "./range-key";
import { appendTail, TAIL_OVERLAP_MS, TIMELINE_POINTS, TIMELINE_SIGNALS } from "./timeline-data";

/** At most one question for the tail of a timeline in this time. */
const TAIL_EVERY_MS = 1_000;
/** Longest wait for a word about the node before the tail is asked for anyway: a gap must grow on the page, too. */
const TAIL_AT_LEAST_EVERY_MS = 15_000;
/** Coarser timelines are read anew as a whole, once in a step. */
const RAW_STEP_SECONDS = 15;

export interface LiveTimeline {
  readonly timeline: Timeline | undefined;
  readonly window: Window;
  readonly loading: boolean;
  readonly error: Error | null;
}

/** The node's timeline over a range. A live range follows: each word of the stream about this node brings its tail. */
export function useTimeline(name: string, range: Range, initial: { readonly key: string; readonly timeline: Timeline }): LiveTimeline {
  const client = useQueryClient();
  const clock = useServerClock();
  const key = rangeKeyOf(range);
  const queryKey = QUERY_KEYS.timeline(name, key, TIMELINE_POINTS);
  const query = useQuery({
    queryKey,
    queryFn: ({ signal }) => readTimeline(name, windowOf(range, clock.now()), signal),
    placeholderData: keepPreviousData,
    gcTime: 0,
    ...(initial.key === key ? { initialData: initial.timeline } : {}),
  });
  const busy = useRef(false);
  const askedMs = useRef(0);
  const [wanted, setWanted] = useState(0);
  useOnChange((message) => {
    if (message.nodes.some((node) => node.name === name)) setWanted((count) => count + 1);
  });
  const live = range.kind === "live";
  useEffect(() => {
    if (!live) return;
    const timer = setInterval(() => setWanted((count) => count + 1), TAIL_AT_LEAST_EVERY_MS);
    return () => clearInterval(timer);
  }, [live]);
  useEffect(() => {
    if (!live || wanted === 0) return;
    const timer = setTimeout(() => void readTail(), Math.max(0, askedMs.current + TAIL_EVERY_MS - performance.now()));
    const readTail = async (): Promise<void> => {
      const current = client.getQueryData<Timeline>(queryKey);
      if (current === undefined || busy.current) return;
      busy.current = true;
      askedMs.current = performance.now();
      try {
        const toMs = clock.now();
        if (current.stepSeconds > RAW_STEP_SECONDS) {
          if (toMs - Date.parse(current.to) >= current.stepSeconds * 1_000) await client.refetchQueries({ queryKey, exact: true });
          return;
        }
        const tail = await readTimeline(name, { fromMs: Date.parse(current.to) - TAIL_OVERLAP_MS, toMs });
        client.setQueryData<Timeline>(queryKey, (latest) => (latest === undefined ? latest : appendTail(latest, tail)));
      } catch (error) {
        // The bar says that the server is away; the timeline keeps what it has and the next word asks again.
        console.warn("the tail of the timeline could not be read", error);
      } finally {
        busy.current = false;
      }
    };
    return () => clearTimeout(timer);
    // The query key is made of name and range: the array itself is new in each render and must not restart the timer.
  }, [wanted, live, name, key, client, clock]);

  const timeline = query.data;
  const edgeMs = timeline === undefined ? clock.now() : Date.parse(timeline.to);
  const window = useMemo(() => windowOf(range, edgeMs), [range, edgeMs]);
  return { timeline, window, loading: query.isPlaceholderData || query.isPending, error: query.error };
}

export function readTimeline(name: string, window: Window, signal?: AbortSignal, signals: readonly string[] = TIMELINE_SIGNALS, points = TIMELINE_POINTS): Promise<Timeline> {
  const query = new URLSearchParams({ from: String(Math.round(window.fromMs)), to: String(Math.round(window.toMs)), signals: signals.join(","), points: String(points) });
  return fetchJson<Timeline>(`/api/v1/nodes/${encodeURIComponent(name)}/timeline?${query.toString()}`, signal);
}
