import type { ServerResponse } from "node:http";
import { systemClock, type Clock } from "../../clock";
import type { KubeObject } from "../objects/json";
import type { ResourceInfo } from "./resources";
import { resourceKey } from "./resources";
import type { Selector } from "./selectors";
import { ApiError, badRequest, statusOf } from "./status";
import type { Change, ObjectStore } from "./store";

/** Bookmarks come about once a minute of the cluster's time. */
export const BOOKMARK_MS = 50_000;
/** A client that does not read is cut off here. */
const MAX_UNREAD_BYTES = 32 * 2 ** 20;
const DEFAULT_TIMEOUT_SECONDS = 1_800;
const MAX_TIMEOUT_SECONDS = 86_400;

export interface WatchRequest {
  readonly info: ResourceInfo;
  readonly selector: Selector;
  readonly query: URLSearchParams;
}

/** Serves one watch until its time is up, the client leaves or somebody calls `end`. */
export class WatchStream {
  private readonly ends: (() => void)[] = [];
  private sent: number;

  constructor(
    private readonly store: ObjectStore,
    private readonly response: ServerResponse,
    private readonly request: WatchRequest,
    clock: Clock,
    private readonly closed: () => void,
  ) {
    const { info, query } = request;
    this.sent = store.currentVersion;
    const key = resourceKey(info.group, info.resource);
    const asked = query.get("resourceVersion") ?? "";
    const initial = query.get("sendInitialEvents") === "true";
    const from = asked === "" || asked === "0" ? undefined : readVersion(asked);
    response.writeHead(200, { "content-type": "application/json", "transfer-encoding": "chunked", "cache-control": "no-cache, private" });
    response.flushHeaders();
    try {
      if (from !== undefined && from > store.currentVersion) throw new ApiError(504, "Timeout", `Too large resource version: ${from}, current: ${store.currentVersion}`);
      if (from === undefined || initial) {
        for (const object of store.list(key)) if (request.selector(object)) this.write("ADDED", object);
        if (initial) this.bookmark({ "k8s.io/initial-events-end": "true" });
      } else for (const change of store.since(key, from)) this.tell(change);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      response.end(`${JSON.stringify({ type: "ERROR", object: statusOf(error) })}\n`);
      closed();
      return;
    }
    this.ends.push(store.listen(key, (change) => this.tell(change)));
    if (query.get("allowWatchBookmarks") === "true" && info.bookmarks) this.repeat(clock);
    this.ends.push(systemClock.after(timeoutMs(query.get("timeoutSeconds")), () => this.end()));
    response.on("close", () => this.end());
  }

  end(): void {
    for (const stop of this.ends.splice(0)) stop();
    if (!this.response.writableEnded) this.response.end();
    this.closed();
  }

  /** Cuts the connection in the middle of a line, as a crash does. */
  cut(): void {
    for (const stop of this.ends.splice(0)) stop();
    if (!this.response.destroyed) {
      this.response.write('{"type":"MODIFIED","object":{"kind":');
      this.response.destroy();
    }
    this.closed();
  }

  private tell(change: Change): void {
    this.sent = change.version;
    const now = change.type !== "DELETED" && this.request.selector(change.object);
    const before = change.type === "ADDED" ? false : this.request.selector(change.before ?? change.object);
    if (now) this.write(before ? "MODIFIED" : "ADDED", change.object);
    // It left the selection: the client is told it is gone, with the version at which it left.
    else if (before) this.write("DELETED", change.object);
  }

  private write(type: string, object: KubeObject): void {
    this.send({ type, object });
  }

  private bookmark(annotations?: Readonly<Record<string, string>>): void {
    const { info } = this.request;
    this.send({
      type: "BOOKMARK",
      object: {
        kind: info.kind,
        apiVersion: info.group === "" ? info.version : `${info.group}/${info.version}`,
        metadata: { resourceVersion: String(Math.max(this.sent, this.store.currentVersion)), creationTimestamp: null, ...(annotations === undefined ? {} : { annotations }) },
      },
    });
  }

  private send(event: unknown): void {
    if (this.response.destroyed || this.response.writableEnded) return;
    this.response.write(`${JSON.stringify(event)}\n`);
    if (this.response.writableLength > MAX_UNREAD_BYTES) this.response.destroy();
  }

  private repeat(clock: Clock): void {
    const next = (): (() => void) =>
      clock.after(BOOKMARK_MS, () => {
        this.bookmark();
        cancel = next();
      });
    let cancel = next();
    this.ends.push(() => cancel());
  }
}

function readVersion(text: string): number {
  const version = Number(text);
  if (!Number.isSafeInteger(version) || version < 0) throw badRequest(`resourceVersion: Invalid value: "${text}": strconv.ParseUint: parsing "${text}": invalid syntax`);
  return version;
}

function timeoutMs(text: string | null): number {
  const seconds = Number(text ?? DEFAULT_TIMEOUT_SECONDS);
  return 1_000 * (Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds, MAX_TIMEOUT_SECONDS) : DEFAULT_TIMEOUT_SECONDS);
}
