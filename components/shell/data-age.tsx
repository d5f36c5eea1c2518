"use client";

import { useSyncExternalStore } from "react";
import { ageSeconds, freshness, type Freshness } from "@/components/live/connection";
import { useConnection, useNow, useStatus } from "@/components/live/live-provider";
import { formatDuration } from "@/components/format/time";

const WORDS: Readonly<Record<Freshness, string>> = { live: "Live", connecting: "Connecting", lost: "Connection lost", stale: "Stale" };

/** How old the data on this page is, in real seconds, and whether it still moves. */
export function DataAge() {
  const { state, age, hasData } = useDataAge();
  const old = state === "lost" || state === "stale";
  return (
    <span className={`live is-${state}`}>
      <i aria-hidden="true" />
      {/* Announced when the state changes, not with every second. */}
      <span className="sr" role="status">
        {WORDS[state]}
      </span>
      <span aria-hidden="true" className={old ? "warn-t" : undefined}>
        {WORDS[state]}
        {hasData ? (
          <>
            <span className="hide-m"> · data</span> <b>{formatDuration(age)} old</b>
          </>
        ) : (
          " · no data yet"
        )}
      </span>
    </span>
  );
}

/** On the server and in the first render nothing is known of the link: the data is as old as it was sent. */
export function useDataAge(): { readonly state: Freshness; readonly age: number; readonly hasData: boolean } {
  const connection = useConnection();
  const status = useStatus();
  useNow();
  const mounted = useSyncExternalStore(never, () => true, () => false);
  const age = mounted ? ageSeconds(connection, performance.now()) : Math.floor(status.collectorAgeSeconds ?? 0);
  return { state: mounted ? freshness(connection, age) : "connecting", age, hasData: status.collectorAgeSeconds !== undefined };
}

const never = (): (() => void) => () => {};
