import type { QueryClient } from "@tanstack/react-query";
import type { ChangeMessage, Status } from "@/server/contract/schemas";
import { applyChange } from "@/components/fleet/apply-change";
import type { FleetModel } from "@/components/fleet/model";
import type { LiveStore } from "./live-store";
import { QUERY_KEYS } from "./queries";
import { LiveStream, type OpenEventSource } from "./stream";

/** A page without nodes may never say what it shows; the stream is opened for it as well, a little later. */
const OPEN_ANYWAY_MS = 2_000;

/**
 * Opens the tab's one stream once a page is on the screen, from what that page shows, and takes its messages into the
 * query cache. Returns what ends it.
 */
export function startLink(client: QueryClient, store: LiveStore, openSource?: OpenEventSource): () => void {
  let stream: LiveStream | undefined;
  /** How far the stream has come; before its first word, where it was asked to begin. */
  let reached: number | undefined;
  const open = (seq: number | undefined): void => {
    if (stream !== undefined) return;
    reached = seq;
    stream = new LiveStream(
      "/api/v1/stream",
      {
        onHello: (hello) => {
          if (hello === undefined) return;
          // Another number than where we are: another data file, or a page that was made without one.
          if (reached !== hello) refetch(client, reached === undefined ? ["node", "incidents"] : EVERYTHING);
          reached = hello;
        },
        onChange: (message) => {
          reached = message.seq;
          take(client, store, message);
        },
        onStatus: (status) => takeStatus(client, store, status),
        onState: (state) => store.setState(state),
        onUnreadable: () => refetch(client, EVERYTHING),
      },
      seq,
      openSource,
    );
    stream.open();
  };
  const stopListening = store.subscribeShown((seq) => {
    if (stream === undefined) open(seq);
    else if (seq !== undefined && reached !== undefined && seq < reached) refetch(client, ["fleet"]);
  });
  const anyway = setTimeout(() => open(undefined), OPEN_ANYWAY_MS);
  return () => {
    clearTimeout(anyway);
    stopListening();
    stream?.close();
  };
}

function take(client: QueryClient, store: LiveStore, message: ChangeMessage): void {
  if (message.status === undefined) store.clock.set(Date.parse(message.at));
  else takeStatus(client, store, message.status);
  client.setQueryData<FleetModel>(QUERY_KEYS.fleet, (fleet) => (fleet === undefined ? undefined : applyChange(fleet, message)));
  store.changed(message);
}

function takeStatus(client: QueryClient, store: LiveStore, status: Status): void {
  noteBackfill(client, store.status(), status);
  store.heard(status);
  client.setQueryData(QUERY_KEYS.status, status);
}

/** What rests on stored history. */
const HISTORY = ["timeline", "spark", "fleet", "node", "incidents"] as const;
const EVERYTHING = [...HISTORY, "visibility"] as const;

function refetch(client: QueryClient, names: readonly string[]): void {
  void client.invalidateQueries({ predicate: (query) => names.includes(String(query.queryKey[0])) });
}

/** History that is being filled in lies behind what pages show: they read it anew with each so much of it, and at its end. */
const BACKFILL_STEP_SHARE = 0.1;

export function noteBackfill(client: QueryClient, before: Status, after: Status): void {
  const step = (status: Status): number => (status.backfill === undefined ? Infinity : Math.floor(status.backfill.doneShare / BACKFILL_STEP_SHARE));
  if (before.backfill !== undefined && step(before) !== step(after)) refetch(client, HISTORY);
}
