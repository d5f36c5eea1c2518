"use client";

import { QueryClient, QueryClientProvider, useQuery } from "@tanstack/react-query";
import { createContext, useContext, useEffect, useMemo, useRef, useState, useSyncExternalStore, type ReactNode } from "react";
import type { ChangeMessage, Status } from "@/server/http/schemas";
import { applyChange } from "@/components/fleet/apply-change";
import type { FleetModel } from "@/components/fleet/model";
import type { Connection } from "./connection";
import { fetchJson } from "./fetch-json";
import { createLiveStore, type LiveStore } from "./live-store";
import { QUERY_KEYS } from "./queries";
import { createServerClock } from "./server-clock";
import { LiveStream } from "./stream";

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
    const stream = new LiveStream(
      "/api/v1/stream",
      {
        onHello: (seq) => {
          if (seq !== undefined && seq !== knownSeq(client)) refetchData(client);
        },
        onChange: (message) => take(client, store, message),
        onState: (state) => store.setState(state),
        onUnreadable: () => refetchData(client),
      },
      knownSeq(client),
    );
    stream.open();
    const stopTicking = store.startTicking();
    return () => {
      stream.close();
      stopTicking();
    };
  }, [client, store]);
  return null;
}

/** History that is being filled in lies behind what pages show: they read it anew with each so much of it, and at its end. */
const BACKFILL_STEP_SHARE = 0.1;

function noteBackfill(client: QueryClient, before: Status, after: Status): void {
  const step = (status: Status): number => (status.backfill === undefined ? Infinity : Math.floor(status.backfill.doneShare / BACKFILL_STEP_SHARE));
  if (before.backfill === undefined || step(before) === step(after)) return;
  void client.invalidateQueries({ predicate: (query) => ["timeline", "spark", "fleet", "node"].includes(String(query.queryKey[0])) });
}

function take(client: QueryClient, store: LiveStore, message: ChangeMessage): void {
  if (message.status === undefined) store.clock.set(Date.parse(message.at));
  else {
    noteBackfill(client, store.status(), message.status);
    store.heard(message.status);
    client.setQueryData(QUERY_KEYS.status, message.status);
  }
  client.setQueryData<FleetModel>(QUERY_KEYS.fleet, (fleet) => (fleet === undefined ? undefined : applyChange(fleet, message)));
  client.setQueryData(QUERY_KEYS.seq, message.seq);
  store.changed(message);
}

/** The newest sequence number among what this tab shows; the stream goes on from there. */
function knownSeq(client: QueryClient): number | undefined {
  const seqs = [client.getQueryData<FleetModel>(QUERY_KEYS.fleet)?.seq, client.getQueryData<number>(QUERY_KEYS.seq)].filter((seq) => seq !== undefined);
  return seqs.length === 0 ? undefined : Math.max(...seqs);
}

function refetchData(client: QueryClient): void {
  void client.invalidateQueries({ predicate: (query) => query.queryKey[0] !== "status" });
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
