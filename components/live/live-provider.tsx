"use client";

import { QueryClient, QueryClientProvider, useQuery } from "@tanstack/react-query";
import { createContext, useContext, useEffect, useMemo, useRef, useState, useSyncExternalStore, type ReactNode } from "react";
import type { ChangeMessage, Status } from "@/server/contract/schemas";
import type { Connection } from "./connection";
import { fetchJson } from "./fetch-json";
import { noteBackfill, startLink } from "./link";
import { createLiveStore, type LiveStore } from "./live-store";
import { QUERY_KEYS } from "./queries";
import { createServerClock } from "./server-clock";

const STATUS_EVERY_MS = 10_000;

const Context = createContext<LiveStore | undefined>(undefined);

function useLiveStore(): LiveStore {
  const store = useContext(Context);
  if (store === undefined) throw new Error("useLive outside of LiveProvider");
  return store;
}

/**
 * Page data and the one event stream of this tab. Messages go into the query cache, so every panel that shows a node
 * changes with it; nothing polls but the status, which also tells that the server is there at all.
 */
export function LiveProvider({ status, rate, children }: { readonly status: Status; readonly rate: number; readonly children: ReactNode }) {
  const [client] = useState(createQueryClient);
  const [store] = useState(() => createLiveStore(createServerClock(Date.parse(status.at), rate), status));
  return (
    <QueryClientProvider client={client}>
      <Context value={store}>
        <LiveLink client={client} store={store} initial={status} />
        {children}
      </Context>
    </QueryClientProvider>
  );
}

function LiveLink({ client, store, initial }: { readonly client: QueryClient; readonly store: LiveStore; readonly initial: Status }) {
  const status = useQuery({
    queryKey: QUERY_KEYS.status,
    queryFn: async ({ signal }) => {
      const found = await fetchJson<Status>("/api/v1/status", signal);
      noteBackfill(client, store.status(), found);
      store.heard(found);
      return found;
    },
    initialData: initial,
    refetchInterval: STATUS_EVERY_MS,
  });
  const failed = status.isError;
  useEffect(() => {
    if (failed) store.setState("lost");
  }, [failed, store]);

  useEffect(() => {
    const stopLink = startLink(client, store);
    const stopTicking = store.startTicking();
    return () => {
      stopLink();
      stopTicking();
    };
  }, [client, store]);
  return null;
}

function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: { queries: { staleTime: Infinity, refetchOnWindowFocus: false, refetchOnReconnect: true, structuralSharing: false, retry: 1 } },
  });
}

export function useConnection(): Connection {
  const store = useLiveStore();
  return useSyncExternalStore(store.subscribeConnection, store.connection, store.connection);
}

/** Sandglass's own state, as the newest message or poll told it. */
export function useStatus(): Status {
  const store = useLiveStore();
  return useSyncExternalStore(store.subscribeConnection, store.status, store.status);
}

/**
 * The server's time, ticking once in `everyMs`; the first render in the browser shows the time of the server's render.
 */
export function useNow(everyMs = 1_000): number {
  const store = useLiveStore();
  const read = useMemo(() => store.nowEvery(everyMs), [store, everyMs]);
  return useSyncExternalStore(store.subscribeTick, read, () => store.initialNowMs);
}

/** Calls back for every message of the stream; the callback may change between renders. */
export function useOnChange(callback: (message: ChangeMessage) => void): void {
  const store = useLiveStore();
  const latest = useRef(callback);
  useEffect(() => {
    latest.current = callback;
  });
  useEffect(() => store.subscribeChanges((message) => latest.current(message)), [store]);
}

export function useServerClock(): LiveStore["clock"] {
  return useLiveStore().clock;
}

/**
 * A page says what it shows when it is on the screen: the sequence number of its fleet, or nothing where it has none.
 * The stream begins there.
 */
export function useShows(seq: number | undefined): void {
  const store = useLiveStore();
  const first = useRef(seq);
  useEffect(() => store.shows(first.current), [store]);
}
