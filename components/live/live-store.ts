import type { ChangeMessage, Status } from "@/server/contract/schemas";
import { dataWrittenMs, type Connection } from "./connection";
import type { ServerClock } from "./server-clock";

const TICK_MS = 1_000;

/** What every page reads of the live link. It lives outside React, so that a tick renders only those who show time. */
export interface LiveStore {
  readonly clock: ServerClock;
  /** The server's time when the page was made. */
  readonly initialNowMs: number;
  readonly connection: () => Connection;
  readonly status: () => Status;
  /** The server's time, the same value for `everyMs`. */
  readonly nowEvery: (everyMs: number) => () => number;
  heard(status: Status): void;
  setState(state: Connection["state"]): void;
  changed(message: ChangeMessage): void;
  /** A page is on the screen that shows the fleet as of `seq`; `undefined`: it shows none. */
  shows(seq: number | undefined): void;
  startTicking(): () => void;
  readonly subscribeConnection: (listener: () => void) => () => void;
  readonly subscribeTick: (listener: () => void) => () => void;
  readonly subscribeChanges: (listener: (message: ChangeMessage) => void) => () => void;
  /** Told of pages that are on the screen already as well. */
  readonly subscribeShown: (listener: (seq: number | undefined) => void) => () => void;
}

export function createLiveStore(clock: ServerClock, initial: Status, monotonicMs: () => number = () => performance.now()): LiveStore {
  const initialNowMs = Date.parse(initial.at);
  let status = initial;
  let connection: Connection = { state: "connecting", dataAtMs: dataWrittenMs(initial, monotonicMs(), clock.rate) ?? monotonicMs() };
  let tickedMs = initialNowMs;
  const connectionListeners = new Set<() => void>();
  const tickListeners = new Set<() => void>();
  const changeListeners = new Set<(message: ChangeMessage) => void>();
  const shownListeners = new Set<(seq: number | undefined) => void>();
  let shown: { readonly seq: number | undefined } | undefined;
  const subscribe =
    <T>(listeners: Set<T>) =>
    (listener: T): (() => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    };
  const setConnection = (next: Connection): void => {
    connection = next;
    for (const listener of connectionListeners) listener();
  };
  return {
    clock,
    initialNowMs,
    connection: () => connection,
    status: () => status,
    nowEvery: (everyMs) => () => Math.floor(tickedMs / everyMs) * everyMs,
    heard(next) {
      status = next;
      clock.set(Date.parse(next.at));
      setConnection({ ...connection, dataAtMs: dataWrittenMs(next, monotonicMs(), clock.rate) ?? connection.dataAtMs });
    },
    setState(state) {
      if (state !== connection.state) setConnection({ ...connection, state });
    },
    changed(message) {
      for (const listener of changeListeners) listener(message);
    },
    shows(seq) {
      shown = { seq };
      for (const listener of shownListeners) listener(seq);
    },
    startTicking() {
      const timer = setInterval(() => {
        tickedMs = clock.now();
        for (const listener of tickListeners) listener();
      }, TICK_MS);
      return () => clearInterval(timer);
    },
    subscribeConnection: subscribe(connectionListeners),
    subscribeTick: subscribe(tickListeners),
    subscribeChanges: subscribe(changeListeners),
    subscribeShown(listener) {
      shownListeners.add(listener);
      if (shown !== undefined) listener(shown.seq);
      return () => shownListeners.delete(listener);
    },
  };
}
