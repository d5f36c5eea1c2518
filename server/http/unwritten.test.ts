import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { GET as fleet } from "@/app/api/v1/fleet/route";
import { GET as status } from "@/app/api/v1/status/route";
import { GET as stream } from "@/app/api/v1/stream/route";
import { GET as readyz } from "@/app/readyz/route";
import { clockOf, type Clock } from "../clock";
import { startCollector, type Collector } from "../collector/collector";
import { simulatedCluster, type SimulatedCluster } from "../commands/simulated-cluster";
import { serveConfig } from "../config";
import type { Fleet, Status } from "../contract/schemas";
import { createLog } from "../log";
import { holdWriteLock } from "../store/testing/hold";
import { cannotMount, tinyDisk, type TinyDisk } from "../store/testing/mounts";
import { ROUTES } from "./routes";
import { localRequest, startTestWeb, testView, type TestWeb } from "./testing/web";
import { hearUnwritten } from "./unwritten";

/** The whole collector on a data file that it cannot write for a while, its word as the child's channel brings it, and the routes over the same file. */
const TIMEOUT_MS = 90_000;
/** Several ticks, and the time that a copy is read before the file itself is tried again. */
const PATIENCE = { timeout: 20_000, interval: 100 };
const noMount = cannotMount();
const log = createLog("silent", "test");

let cluster: SimulatedCluster;
let clock: Clock;
let web: TestWeb | undefined;
let collector: Collector | undefined;
let disk: TinyDisk | undefined;

beforeEach(async () => {
  cluster = await simulatedCluster(serveConfig(["--simulate", "--nodes", "2", "--scenario", "idle"], {}), log);
  clock = clockOf(cluster.clockSetting);
}, TIMEOUT_MS);
afterEach(async () => {
  await collector?.stop();
  await cluster.stop();
  hearUnwritten({ type: "unwritten" });
  await web?.close();
  disk?.remove();
  web = collector = disk = undefined;
}, TIMEOUT_MS);

async function start(options: Parameters<typeof startTestWeb>[0] = {}): Promise<TestWeb> {
  const made = startTestWeb(options);
  web = made;
  collector = await startCollector({
    config: { ...cluster.config, agentPort: undefined, metricsPort: undefined },
    connection: cluster.connection,
    identity: cluster.identity,
    ingest: made.ingest,
    clock,
    log,
    pastComing: false,
    onWritten: () => made.hub.notify(),
    onUnwritten: (told) => {
      hearUnwritten(JSON.parse(JSON.stringify({ type: "unwritten", status: told })));
      made.hub.statusChanged();
    },
  });
  return made;
}

const call = async (handler: typeof status, url: string): Promise<unknown> => (await handler(localRequest(url), { params: Promise.resolve({}) })).json();
const statusNow = async (): Promise<Status> => ROUTES.status.answer.strict().parse(await call(status, "/api/v1/status"));
const writable = async (): Promise<Status> =>
  vi.waitFor(async () => {
    const now = await statusNow();
    expect(now).toMatchObject({ store: { writable: true, pendingBatches: 0 }, cluster: { uid: cluster.identity.uid } });
    expect(now.store?.reason).toBeUndefined();
    expect(readyz().status).toBe(200);
    return now;
  }, PATIENCE);
const unwritable = async (reason: RegExp): Promise<Status> =>
  vi.waitFor(async () => {
    const now = await statusNow();
    expect(now.store).toMatchObject({ writable: false, reason: expect.stringMatching(reason) as string });
    expect(readyz().status).toBe(503);
    expect(await readyz().text()).toMatch(reason);
    return now;
  }, PATIENCE);

describe.skipIf(noMount !== undefined)(`a disk of its own${noMount === undefined ? "" : ` (skipped: ${noMount})`}`, () => {
  test("that fills up: status, readiness and open pages say so with the folder long before the collector counts as silent, and that it is over", { timeout: TIMEOUT_MS }, async () => {
    disk = tinyDisk(16);
    await start({ under: disk.dir });
    await writable();
    const body = (await stream(localRequest("/api/v1/stream"), { params: Promise.resolve({}) })).body as ReadableStream<Uint8Array>;
    const told = statusesOf(body);
    disk.fillUp();
    const full = await unwritable(new RegExp(`The disk under ${disk.dir}.* is full: make room`));
    expect(full.collectorAgeSeconds).toBeLessThan(45);
    expect(full.store?.pendingBatches).toBeGreaterThan(0);
    await vi.waitFor(() => expect(told.statuses.at(-1)?.store).toMatchObject({ writable: false, reason: full.store?.reason }), PATIENCE);
    disk.makeRoom();
    await writable();
    await vi.waitFor(() => expect(told.statuses.at(-1)?.store?.writable).toBe(true), PATIENCE);
    await told.cancel();
  });

  test("that is read-only from the start: status and readiness say so with the file and that a copy is read, and that it is over", { timeout: TIMEOUT_MS }, async () => {
    const mounted = tinyDisk(16);
    disk = mounted;
    await start({ under: mounted.dir, closed: () => mounted.readOnly(true) });
    try {
      const now = await unwritable(new RegExp(`The data file ${mounted.dir}.* is read-only`));
      expect(now.copyReason).toMatch(new RegExp(`Nothing can be written beside ${mounted.dir}.*so a copy of it is read`));
      expect(now.cluster?.uid).toBe(cluster.identity.uid); // of this collector, not of the one that wrote last
    } finally {
      mounted.readOnly(false);
    }
    await writable();
    await vi.waitFor(async () => expect((await statusNow()).copyReason).toBeUndefined(), PATIENCE);
  });
});

test("a file that another process holds: status and readiness say so, and the age of what is stored goes on", { timeout: TIMEOUT_MS }, async () => {
  const made = await start();
  await writable();
  const letGo = holdWriteLock(made.file);
  try {
    const first = await unwritable(/is held by another process/);
    await vi.waitFor(async () => expect((await statusNow()).collectorAgeSeconds ?? 0).toBeGreaterThan(first.collectorAgeSeconds ?? Infinity), PATIENCE);
  } finally {
    letGo();
  }
  await writable();
});

test("what the collector could not write makes no stored answer younger: nodes are unknown once nothing was written for a minute", async () => {
  const made = startTestWeb();
  web = made;
  const writtenMs = made.nowMs - 61_000;
  const stored = { cluster: cluster.identity, startedMs: writtenMs, atMs: writtenMs, kinds: [], api: { reachable: true, sinceMs: writtenMs }, kubelet: { mode: "direct", tls: "verify", scraped: 0, failing: 0, skipped: 0, lateMs: 0 }, agents: { listening: false, reporting: 0, dropped: {} }, actionsAllowed: false };
  made.write({ status: { ...stored, store: { writable: true, pendingBatches: 0, droppedSamples: 0 } }, views: [testView("node-1", writtenMs, { state: "yes" })] });
  hearUnwritten({ type: "unwritten", status: { ...stored, atMs: made.nowMs, store: { writable: false, reason: "The disk under /data is full.", pendingBatches: 61, droppedSamples: 0 } } });
  expect((await statusNow()).collectorAgeSeconds).toBeGreaterThanOrEqual(61);
  expect(((await call(fleet, "/api/v1/fleet")) as Fleet).nodes.map(({ answer }) => answer.state)).toEqual(["unknown"]);
  made.write({ status: { ...stored, atMs: made.nowMs + 1, store: { writable: true, pendingBatches: 0, droppedSamples: 0 } } });
  expect((await statusNow()).store).toEqual({ writable: true, pendingBatches: 0, droppedSamples: 0 }); // what is stored is newer than that word
});

/** What comes as `status` on a stream. */
function statusesOf(body: ReadableStream<Uint8Array>): { readonly statuses: Status[]; readonly cancel: () => Promise<void> } {
  const reader = body.getReader();
  const statuses: Status[] = [];
  const decoder = new TextDecoder();
  let text = "";
  const read = async (): Promise<void> => {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      text += decoder.decode(value, { stream: true });
      const messages = text.split("\n\n");
      text = messages.pop() ?? "";
      for (const message of messages) {
        const found = /^event: status\ndata: (.*)$/.exec(message);
        if (found !== null) statuses.push(ROUTES.status.answer.strict().parse(JSON.parse(found[1] ?? "null")));
      }
    }
  };
  const reading = read();
  return {
    statuses,
    cancel: async () => {
      await reader.cancel();
      await reading;
    },
  };
}
