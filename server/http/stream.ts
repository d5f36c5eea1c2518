import type { Clock } from "../clock";
import type { Log } from "../log";
import { statusNow } from "../services/read-status";
import { summaryOut } from "../services/view-out";
import type { Reader } from "../store/types";
import { ServiceError } from "../errors";

/** Most open streams; one per tab. */
export const MAX_STREAMS = 2_000;
/** Changes closer together than this go out as one message. */
const COALESCE_MS = 250;
const HEARTBEAT_MS = 15_000;
/** Where the collector's word does not arrive (it is another container), the file is asked. */
const POLL_MS = 1_000;

export interface StreamHub {
  open(lastSeq: number | undefined, signal: AbortSignal): Response;
  /** The collector wrote something. */
  notify(): void;
  /** The collector told what it could not write, or that it can again: that comes with no number. */
  statusChanged(): void;
  close(): void;
  readonly size: () => number;
}

interface Client {
  sentSeq: number;
  /** What it was told last of the store, which has no number. */
  toldStore: string;
  readonly controller: ReadableStreamDefaultController<Uint8Array>;
}

const encoder = new TextEncoder();

/**
 * One message is made per change and written to all; a client that does not keep up gets no queue, only, once it
 * reads again, everything since what it has: its intermediate states are dropped, never its last.
 */
export function createStreamHub(deps: { readonly reader: Reader; readonly clock: Clock; readonly log: Log; readonly version: string; readonly actionsAllowed: boolean }): StreamHub {
  const clients = new Set<Client>();
  let seq = 0;
  let pending: NodeJS.Timeout | undefined;
  let closed = false;

  const message = (since: number): { readonly seq: number; readonly bytes: Uint8Array } | undefined => {
    const fleet = deps.reader.fleet(since);
    if (fleet.seq <= since) return undefined;
    const data = {
      seq: fleet.seq,
      at: new Date(deps.clock.now()).toISOString(),
      nodes: fleet.rows.map((row) => summaryOut(row.view)),
      gone: fleet.gone,
      status: statusNow(deps),
      incidents: deps.reader.changedIncidents(since),
    };
    return { seq: fleet.seq, bytes: encoder.encode(`event: change\nid: ${fleet.seq}\ndata: ${JSON.stringify(data)}\n\n`) };
  };

  const drop = (client: Client): void => {
    clients.delete(client);
  };
  const send = (client: Client, bytes: Uint8Array): boolean => {
    try {
      client.controller.enqueue(bytes);
      return true;
    } catch (err) {
      deps.log.debug({ err }, "stream ended while writing");
      drop(client);
      return false;
    }
  };

  const flush = (): void => {
    pending = undefined;
    if (clients.size === 0) return;
    try {
      const made = new Map<number, ReturnType<typeof message>>();
      for (const client of clients) {
        if ((client.controller.desiredSize ?? 0) <= 0) continue;
        if (!made.has(client.sentSeq)) made.set(client.sentSeq, message(client.sentSeq));
        const next = made.get(client.sentSeq);
        if (next !== undefined && send(client, next.bytes)) client.sentSeq = next.seq;
        if (next !== undefined) seq = Math.max(seq, next.seq);
      }
    } catch (err) {
      deps.log.error({ err }, "cannot read changes for the event stream");
    }
  };
  const notify = (): void => {
    if (!closed) pending ??= setTimeout(flush, COALESCE_MS);
  };

  /** What is told of the store; empty until there was something to tell. */
  let store = "";
  const statusBytes = (status: ReturnType<typeof statusNow>): Uint8Array => encoder.encode(`event: status\ndata: ${JSON.stringify(status)}\n\n`);
  /** One that has no room now is told once it reads again. */
  const tellStore = (client: Client, bytes: () => Uint8Array): void => {
    if (client.toldStore !== store && (client.controller.desiredSize ?? 0) > 0 && send(client, bytes())) client.toldStore = store;
  };
  const catchUp = (client: Client): void => {
    if (client.sentSeq < seq) notify();
    try {
      tellStore(client, () => statusBytes(statusNow(deps)));
    } catch (err) {
      deps.log.error({ err }, "cannot read the status for the event stream");
    }
  };
  const statusChanged = (): void => {
    try {
      const status = statusNow(deps);
      const now = JSON.stringify([status.store?.writable, status.store?.reason, status.copyReason]);
      if (now === store) return;
      store = now;
      const bytes = statusBytes(status);
      for (const client of clients) tellStore(client, () => bytes);
    } catch (err) {
      deps.log.error({ err }, "cannot read the status for the event stream");
    }
  };

  const heartbeat = setInterval(() => {
    for (const client of clients) if ((client.controller.desiredSize ?? 0) > 0) send(client, encoder.encode(": alive\n\n"));
  }, HEARTBEAT_MS);
  const poll = setInterval(() => {
    if (clients.size > 0) notify();
  }, POLL_MS);
  heartbeat.unref();
  poll.unref();

  return {
    notify,
    statusChanged,
    size: () => clients.size,
    open(lastSeq, signal) {
      if (closed) throw new ServiceError("unavailable", "Sandglass is stopping.", { retryAfterSeconds: 2 });
      if (clients.size >= MAX_STREAMS) throw new ServiceError("too-many", `${MAX_STREAMS} streams are open already.`, { retryAfterSeconds: 10 });
      if (signal.aborted) throw new ServiceError("gone", "The page that asked is gone.");
      let client: Client | undefined;
      const body = new ReadableStream<Uint8Array>(
        {
          start(controller) {
            const now = deps.reader.seq();
            // A number from another file (the data was moved away) would wait for ever.
            client = { controller, sentSeq: lastSeq !== undefined && lastSeq <= now ? lastSeq : now, toldStore: "" };
            clients.add(client);
            controller.enqueue(encoder.encode(`retry: 2000\nevent: hello\nid: ${client.sentSeq}\ndata: {"seq":${client.sentSeq}}\n\n`));
            notify();
          },
          pull() {
            if (client !== undefined) catchUp(client);
          },
          cancel() {
            if (client !== undefined) drop(client);
          },
        },
        { highWaterMark: 4 },
      );
      signal.addEventListener("abort", () => {
        if (client !== undefined) drop(client);
      });
      return new Response(body, {
        headers: { "content-type": "text/event-stream", "cache-control": "no-store, no-transform", "x-content-type-options": "nosniff", "x-accel-buffering": "no" },
      });
    },
    close() {
      closed = true;
      clearInterval(heartbeat);
      clearInterval(poll);
      if (pending !== undefined) clearTimeout(pending);
      for (const client of clients) {
        try {
          client.controller.close();
        } catch (err) {
          deps.log.debug({ err }, "stream had ended");
        }
      }
      clients.clear();
    },
  };
}
