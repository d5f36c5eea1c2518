import { QueryClient } from "@tanstack/react-query";
import { afterEach, describe, expect, it } from "vitest";
import { answered, change, row } from "@/components/testing/summaries";
import { say, stream, StreamServer, type StreamScript } from "@/components/testing/stream-server";
import type { FleetModel } from "@/components/fleet/model";
import { newerOf } from "@/components/fleet/read-fleet";
import { startLink } from "./link";
import { createLiveStore } from "./live-store";
import { QUERY_KEYS } from "./queries";
import { createServerClock } from "./server-clock";

const AT = "2026-03-17T03:12:40.000Z";
const fleet = (seq: number): FleetModel => ({ atMs: Date.parse(AT), seq, rows: [row("node-1")], history: [], changes: [] });

describe("the link between stream and pages", () => {
  let server: StreamServer | undefined;
  let stop: (() => void) | undefined;
  afterEach(async () => {
    stop?.();
    await server?.stop();
  });

  async function link(...scripts: readonly StreamScript[]) {
    const made = await StreamServer.start(scripts);
    server = made;
    const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } });
    const store = createLiveStore(createServerClock(Date.parse(AT), 1), { version: "1", at: AT, actionsAllowed: false });
    client.setQueryData(QUERY_KEYS.fleet, fleet(5));
    client.setQueryData(QUERY_KEYS.node("node-1"), {});
    client.getQueryCache().subscribe(made.look);
    store.subscribeConnection(made.look);
    stop = startLink(client, store, made.open);
    const invalid = (key: readonly unknown[]): boolean => client.getQueryState(key)?.isInvalidated === true;
    return { server: made, client, store, invalid };
  }

  it("begins at what the page shows, and reads nothing again that it shows already", async () => {
    const { server: made, store, invalid } = await link(stream(say("hello", { seq: 5 })));
    store.shows(5);
    await made.until(() => store.connection().state === "open");
    expect(made.urls).toEqual(["/api/v1/stream?since=5"]);
    expect(invalid(QUERY_KEYS.fleet)).toBe(false);
  });

  it("takes a message into the fleet that the page shows", async () => {
    const { server: made, client, store } = await link(stream(say("hello", { seq: 5 }), say("change", change(6, [answered("node-1", "no")]), 6)));
    store.shows(5);
    await made.until(() => client.getQueryData<FleetModel>(QUERY_KEYS.fleet)?.seq === 6);
    expect(client.getQueryData<FleetModel>(QUERY_KEYS.fleet)?.rows[0]?.state).toBe("no");
  });

  it("takes Sandglass's own state at once where it comes alone, and passes over one that is none", async () => {
    const unwritable = { version: "1", at: AT, actionsAllowed: false, store: { writable: false, reason: "The disk under /data is full.", pendingBatches: 1, droppedSamples: 0 } };
    const { server: made, client, store, invalid } = await link(stream(say("hello", { seq: 5 }), say("status", { store: "none" }), say("status", unwritable)));
    store.shows(5);
    await made.until(() => store.status().store?.writable === false);
    expect(client.getQueryData(QUERY_KEYS.status)).toEqual(unwritable);
    expect(invalid(QUERY_KEYS.fleet)).toBe(true); // of the one that could not be read
  });

  it("reads everything anew where the server is at another number: the data is another", async () => {
    const { server: made, store, invalid } = await link(stream(say("hello", { seq: 2 })));
    store.shows(5);
    await made.until(() => invalid(QUERY_KEYS.fleet));
    expect(invalid(QUERY_KEYS.node("node-1"))).toBe(true);
  });

  it("reads the fleet anew for a page that comes later and shows less than the stream has told", async () => {
    const { server: made, client, store, invalid } = await link(stream(say("hello", { seq: 5 }), say("change", change(9, []), 9)));
    store.shows(5);
    await made.until(() => client.getQueryData<FleetModel>(QUERY_KEYS.fleet)?.seq === 9);
    store.shows(9);
    expect(invalid(QUERY_KEYS.fleet)).toBe(false);
    store.shows(8);
    expect(invalid(QUERY_KEYS.fleet)).toBe(true);
  });

  it("reads a node anew whose page was made before the stream was open", async () => {
    const { server: made, store, invalid } = await link(stream(say("hello", { seq: 7 })));
    store.shows(undefined);
    await made.until(() => invalid(QUERY_KEYS.node("node-1")));
    expect(made.urls).toEqual(["/api/v1/stream"]);
    expect(invalid(QUERY_KEYS.fleet)).toBe(false);
  });

  it("reads history anew as it is filled in, and once more at its end", async () => {
    const status = (doneShare?: number) => ({ version: "1", at: AT, actionsAllowed: false, ...(doneShare === undefined ? {} : { backfill: { doneShare } }) });
    const { server: made, client, store, invalid } = await link(stream(say("hello", { seq: 5 }), say("change", change(6, [], { status: status(0.42) }), 6), say("change", change(7, [], { status: status() }), 7)));
    client.setQueryData(QUERY_KEYS.timeline("node-1", "default", 720), {});
    store.shows(5);
    await made.until(() => invalid(QUERY_KEYS.timeline("node-1", "default", 720)));
    expect(store.status().backfill).toBeUndefined();
  });
});

describe("a fleet that was fetched while the stream went on", () => {
  it("brings its past and leaves the nodes as the stream told them last", () => {
    const held: FleetModel = { ...fleet(9), rows: [row("node-1", { state: "no" })] };
    const fetched: FleetModel = { ...fleet(7), history: [{ atMs: 1, no: 3, unknown: 0 }] };
    expect(newerOf(held, fetched)).toMatchObject({ seq: 9, history: [{ no: 3 }], rows: [{ state: "no" }] });
    expect(newerOf(held, fleet(9))).toMatchObject({ rows: [{ state: "yes" }] });
  });
});
