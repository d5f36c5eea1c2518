import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { makeAuthority, type KeyPair } from "../../pki";
import { MAX_OBJECTS } from "./limits";
import { barePod, bareNode, podOn } from "./testing/objects";
import { line, NADS, NODES, PODS, ScriptedApiServer, EVENTS, type Fault, type Rule } from "./testing/scripted-api-server";
import { watch, type Watching } from "./testing/watching";

let authority: KeyPair;
let server: ScriptedApiServer;
let watching: Watching | undefined;

beforeAll(async () => {
  const now = Date.now();
  authority = await makeAuthority("tests", { notBeforeMs: now - 3_600_000, notAfterMs: now + 86_400_000 });
});
beforeEach(async () => {
  server = await ScriptedApiServer.start({}, 0, authority);
});
afterEach(async () => {
  await watching?.stop();
  watching = undefined;
  await server.close();
});

const pods = () => server.world.objects(PODS).map((pod) => String(pod.metadata.uid)).sort();
const same = () => JSON.stringify(watching?.mirror.keys("pods")) === JSON.stringify(pods());
const put = (...names: readonly string[]) => names.forEach((name) => server.world.put(PODS, podOn(name, "n1")));
const start = async (options: Parameters<typeof watch>[1] = {}): Promise<Watching> => (watching = await watch(server, options));
const open = (w: Watching) => w.mirror.until(() => server.openStreams > 0 && w.mirror.status("pods")?.state === "watching");
const counts = (w: Watching) => w.source.status().counts.pods;
/** Puts one more pod once the watch is open again, and waits until it was told. */
async function settles(w: Watching, name = "after"): Promise<void> {
  put(name);
  await w.mirror.until(same);
  expect(w.mirror.keys("pods")).toEqual(pods());
}

describe("a watch that goes well", () => {
  it("tells every object of a list of several pages and asks for each page but once", async () => {
    put("a", "b", "c", "d", "e");
    const w = await start({ limits: { pageSize: 2 } });
    await w.mirror.until(same);
    await open(w);
    expect(server.requests.map(({ phase }) => phase)).toEqual(["list", "continue", "continue", "watch"]);
    expect(server.requests[0]?.url).toContain("limit=2");
    expect(w.mirror.seen.filter(({ type }) => type === "listed")).toHaveLength(1);
  });

  it("watches on from the list's version with bookmarks and a time limit", async () => {
    put("a");
    const w = await start();
    await open(w);
    const url = new URL(server.requests.at(-1)?.url ?? "", server.url);
    expect(Object.fromEntries(url.searchParams)).toMatchObject({ watch: "1", allowWatchBookmarks: "true", resourceVersion: String(server.world.version) });
    expect(Number(url.searchParams.get("timeoutSeconds"))).toBeGreaterThanOrEqual(300);
  });

  it("tells what is added, changed and deleted", async () => {
    put("a", "b");
    const w = await start();
    await open(w);
    put("c");
    server.world.put(PODS, podOn("a", "n1", { status: { phase: "Running" } }));
    server.world.remove(PODS, barePod("b"));
    await w.mirror.until(() => same() && (w.mirror.object("pods", "uid-a") as { phase?: string }).phase === "Running");
    expect(w.mirror.keys("pods")).toEqual(["uid-a", "uid-c"]);
  });

  it("resumes after a stream's end where it was, without a new list", async () => {
    put("a");
    const w = await start();
    await open(w);
    put("b");
    await w.mirror.until(same);
    server.endStreams();
    await settles(w);
    expect(counts(w)).toMatchObject({ lists: 1, failures: 0 });
    expect(server.requests.findLast(({ phase }) => phase === "watch")?.url).toContain(`resourceVersion=${server.world.version - 1}`);
  });

  it("resumes from a bookmark where nothing else was told", async () => {
    put("a");
    const w = await start();
    await open(w);
    server.world.version += 50;
    const before = w.mirror.status("pods")?.lastMs ?? 0;
    server.bookmark();
    await w.mirror.until(() => (w.source.status().kinds[0]?.lastMs ?? 0) > before || w.mirror.statuses.length > 3);
    server.world.compact(); // only the bookmark's version is left
    server.endStreams();
    await settles(w);
    expect(counts(w)).toMatchObject({ lists: 1, gone: 0 });
  });

  it("does not tell a version of a node twice, in a stream or in a new list", async () => {
    server.world.put(NODES, bareNode("n1"));
    server.script({ path: NODES, phase: "watch", fault: { do: "stall" } });
    const w = await start({ kinds: ["nodes"], limits: { stallMs: 30_000 } });
    await w.mirror.until(() => w.source.status().counts.nodes?.lists === 2 && server.openStreams > 0);
    server.send(NODES, line("MODIFIED", server.world.objects(NODES)[0]));
    server.world.put(NODES, bareNode("n2"));
    await w.mirror.until(() => w.mirror.keys("nodes").length === 2);
    expect(w.mirror.seen.filter((one) => one.type === "node").map((one) => one.type === "node" && one.object.name)).toEqual(["n1", "n2"]);
  });

  it("ends at once, asks for nothing more and leaves no connection behind", async () => {
    put("a");
    const w = await start({ kinds: ["nodes", "pods", "events", "daemonsets", "nads"] });
    await open(w);
    await w.stop();
    watching = undefined;
    const asked = server.requests.length;
    await expect.poll(() => server.openSockets).toBe(0);
    expect(server.requests).toHaveLength(asked);
  });
});

describe("410", () => {
  it("at a page begins the list anew and tells nothing as gone in between", async () => {
    put("a", "b", "c", "d", "e");
    server.script({ phase: "continue", fault: { do: "status", code: 410, reason: "Expired" } });
    const w = await start({ limits: { pageSize: 2 } });
    await w.mirror.until(same);
    expect(server.requests.slice(0, 3).map(({ phase }) => phase)).toEqual(["list", "continue", "list"]);
    expect(w.mirror.seen.filter(({ type }) => type === "listed")).toHaveLength(1);
  });

  it("at every page ends in a list without pages", async () => {
    put("a", "b", "c");
    server.script({ phase: "continue", fault: { do: "status", code: 410, reason: "Expired" }, times: 1_000 });
    const w = await start({ limits: { pageSize: 1, pagedTries: 3 } });
    await w.mirror.until(same);
    expect(server.requests.filter(({ phase }) => phase === "continue")).toHaveLength(3);
    expect(server.requests.find(({ url, phase }) => phase === "list" && !url.includes("limit="))).toBeDefined();
  });

  it("at the watch, as HTTP status, makes a new list that forgets what vanished", async () => {
    put("a", "b");
    const w = await start();
    await open(w);
    server.script({ phase: "watch", fault: { do: "status", code: 410, reason: "Expired" } });
    server.endStreams();
    server.world.remove(PODS, barePod("a")); // while no stream is open, so that no watch tells it
    await settles(w);
    expect(counts(w)).toMatchObject({ lists: 2, gone: 1 });
  });

  it("inside the stream, as an ERROR event after compaction, makes a new list", async () => {
    put("a");
    const w = await start();
    await open(w);
    put("b");
    await w.mirror.until(same);
    server.world.version += 10;
    server.world.compact();
    server.endStreams();
    await settles(w);
    expect(counts(w)).toMatchObject({ lists: 2, gone: 1 });
  });

  it("again and again is answered ever more slowly", async () => {
    put("a");
    server.script({ phase: "watch", fault: { do: "status", code: 410, reason: "Expired" }, times: 6 });
    const w = await start({ random: () => 1 });
    await w.mirror.until(() => server.faultsLeft === 0 && server.openStreams > 0);
    await settles(w);
    // 1 + 2 + 4 + 8 + 16 + 30 s on the test's clock.
    const listed = w.mirror.seen.filter(({ type }) => type === "listed").map(({ atMs }) => atMs);
    expect((listed.at(-1) ?? 0) - (listed[0] ?? 0)).toBeGreaterThanOrEqual(59_000);
  });
});

describe("a stream that breaks", () => {
  const mid: readonly (readonly [string, Fault, Partial<NonNullable<ReturnType<typeof counts>>>])[] = [
    ["half a line at its end", { do: "then", bytes: '{"type":"ADDED","object":{"metada' }, { halfLines: 1, lists: 1 }],
    ["a line that is no JSON", { do: "then", bytes: "<html>502</html>\n", end: false }, { garbage: 1, lists: 1 }],
    ["a line that is JSON but no event", { do: "then", bytes: '{"type":"HELLO"}\n', end: false }, { garbage: 1, lists: 1 }],
    ["an ERROR event of 500", { do: "then", bytes: line("ERROR", { kind: "Status", code: 500, message: "etcd is unwell" }), end: false }, { failures: 1, lists: 1 }],
    ["its end at once", { do: "end" }, { failures: 1, lists: 1 }],
    ["a reset at its opening", { do: "reset" }, { failures: 1, lists: 1 }],
    ["an answer of 503", { do: "status", code: 503 }, { failures: 1, lists: 1 }],
  ];
  it.each(mid)("%s costs no object and no list", async (_, fault, expected) => {
    put("a");
    const w = await start();
    await open(w);
    put("b");
    await w.mirror.until(same);
    server.script({ phase: "watch", fault });
    server.endStreams();
    await w.mirror.until(() => server.faultsLeft === 0);
    await settles(w);
    await expect.poll(() => counts(w)).toMatchObject(expected);
  });

  it("a reset in its middle is resumed where it was", async () => {
    put("a");
    const w = await start();
    await open(w);
    put("b");
    await w.mirror.until(same);
    server.resetConnections();
    await settles(w);
    expect(counts(w)).toMatchObject({ lists: 1 });
  });

  it("that falls silent after a bookmark is cut and resumed; the same server goes on", async () => {
    put("a");
    const w = await start({ limits: { stallMs: 60_000 } });
    await open(w);
    server.bookmark();
    await expect.poll(() => counts(w)?.stalls, { timeout: 20_000 }).toBe(1);
    await settles(w);
    expect(counts(w)).toMatchObject({ lists: 1, failures: 0 });
  });

  it("that never says a word is not trusted: a new list shows what changed", async () => {
    put("a");
    server.script({ phase: "watch", fault: { do: "stall" } });
    const w = await start({ limits: { stallMs: 60_000 } });
    await w.mirror.until(() => server.faultsLeft === 0);
    put("b");
    await w.mirror.until(same);
    expect(counts(w)).toMatchObject({ lists: 2, stalls: 1 });
  });

  it("with a line past the bound loses that line alone, and counts it", async () => {
    put("a");
    const w = await start({ limits: { maxObjectBytes: 2_000 } });
    await open(w);
    server.world.put(PODS, podOn("huge", "n1", { note: "x".repeat(100_000) }));
    put("b");
    await w.mirror.until(() => w.mirror.keys("pods").includes("uid-b"));
    expect(w.mirror.keys("pods")).toEqual(["uid-a", "uid-b"]);
    server.endStreams();
    await expect.poll(() => counts(w)).toMatchObject({ tooLong: 1, lists: 1 });
  });

  it("that fails five times without progress gives way to a new list", async () => {
    put("a");
    server.script({ phase: "watch", fault: { do: "status", code: 500 }, times: 5 });
    const w = await start();
    await w.mirror.until(() => server.faultsLeft === 0);
    await settles(w);
    expect(counts(w)).toMatchObject({ lists: 2, failures: 5 });
  });
});

describe("a list that breaks", () => {
  const faults: readonly (readonly [string, Fault])[] = [
    ["500", { do: "status", code: 500 }],
    ["cut in the middle", { do: "cut" }],
    ["reset", { do: "reset" }],
    ["HTML with 200", { do: "text", body: "<html>login</html>", type: "text/html" }],
    ["JSON that is no list", { do: "text", body: "[1,2]", type: "application/json" }],
    ["nothing with 200", { do: "text", body: "", type: "application/json" }],
    ["broken JSON inside", { do: "text", body: '{"items":[{"metadata":{]}', type: "application/json" }],
  ];
  it.each(faults)("by %s is tried again and says so meanwhile", async (_, fault) => {
    put("a");
    server.script({ phase: "list", fault });
    const w = await start();
    await w.mirror.until(same);
    expect(w.mirror.states("pods")).toContain("failing");
    const failing = w.mirror.statuses.find(({ state }) => state === "failing");
    expect(failing?.reason).toMatch(/\S/);
    expect(failing?.failingSinceMs).toBeDefined();
    await open(w);
    expect(w.mirror.status("pods")).not.toHaveProperty("failingSinceMs");
  });

  it("by silence is cut after its time-out", async () => {
    put("a");
    server.script({ phase: "list", fault: { do: "stall" } });
    const w = await start({ limits: { answerTimeoutMs: 300, pageTimeoutMs: 2_000 } });
    await w.mirror.until(same);
    expect(w.mirror.states("pods")).toContain("failing");
  });

  it("is read to its end although the server is slow", async () => {
    put("a");
    server.script({ phase: "list", fault: { do: "slow", ms: 700 } });
    const w = await start();
    await w.mirror.until(same);
    expect(counts(w)).toMatchObject({ lists: 1, failures: 0 });
  });

  it("by more pods than the bound fails honestly instead of showing a part", async () => {
    put("a", "b", "c");
    const w = await start({ limits: { maxObjects: { ...MAX_OBJECTS, pods: 2 } } });
    await w.mirror.until(() => w.mirror.status("pods")?.state === "failing");
    expect(w.mirror.status("pods")?.reason).toBe("There are more than 2 pods, the most that are kept");
    expect(w.mirror.seen.filter(({ type }) => type === "listed")).toHaveLength(0);
    server.world.remove(PODS, barePod("a"));
    await w.mirror.until(() => w.mirror.status("pods")?.state === "watching");
    expect(w.mirror.keys("pods")).toEqual(pods());
  });

  it("that grows past the bound while it is watched fails too", async () => {
    put("a", "b");
    const w = await start({ limits: { maxObjects: { ...MAX_OBJECTS, pods: 2 } } });
    await open(w);
    put("c");
    await w.mirror.until(() => w.mirror.status("pods")?.state === "failing");
    expect(w.mirror.status("pods")?.reason).toBe("There are more than 2 pods, the most that are kept");
  });

  it("by more events than the bound keeps the first ones, says so, and watches on", async () => {
    const event = (name: string) => ({ metadata: { name, namespace: "default", uid: name, creationTimestamp: "2026-11-30T09:00:00Z" }, involvedObject: { kind: "Pod", name: "a", namespace: "default" }, reason: "BackOff", message: "" });
    for (const name of ["a", "b", "c", "d"]) server.world.put(EVENTS, event(name));
    const w = await start({ kinds: ["events"], limits: { maxObjects: { ...MAX_OBJECTS, events: 2 } } });
    await w.mirror.until(() => server.openStreams > 0);
    expect(w.mirror.status("events")).toMatchObject({ state: "watching", reason: "Only the first 2 events of the list are kept" });
    server.world.put(EVENTS, event("e"));
    await w.mirror.until(() => w.mirror.keys("events").includes("e"));
  });
});

describe("the age of what is known", () => {
  it("is that of the last event, bookmark or list: a stream that only opens makes nothing fresh", async () => {
    put("a");
    const w = await start();
    await open(w);
    const last = () => w.source.status().kinds[0]?.lastMs;
    const listedMs = last();
    const streams = () => server.requests.filter(({ phase }) => phase === "watch").length;
    for (let count = 1; count <= 3; count++) {
      await w.mirror.until(() => server.openStreams > 0);
      server.resetConnections();
      await w.mirror.until(() => streams() > count && server.openStreams > 0);
    }
    expect(last()).toBe(listedMs);
    server.bookmark();
    await w.mirror.until(() => (last() ?? 0) > (listedMs ?? 0));
  });
});

describe("a list that is old", () => {
  it("is made anew once its stream ends, so that nothing stays wrong for longer", async () => {
    put("a");
    const w = await start({ limits: { relistMs: 20_000 } });
    await open(w);
    const listedMs = w.clock.now();
    await expect.poll(() => w.clock.now() - listedMs).toBeGreaterThan(20_000);
    server.endStreams();
    await w.mirror.until(() => counts(w)?.lists === 2);
    await settles(w);
  });
});

describe("429", () => {
  it("is not followed by a request before Retry-After has passed", async () => {
    put("a");
    server.script({ phase: "list", fault: { do: "status", code: 429, retryAfter: "20", reason: "TooManyRequests" } });
    const w = await start({ random: () => 0 });
    await w.mirror.until(same);
    const failed = w.mirror.statuses.find(({ state }) => state === "failing");
    const listed = w.mirror.seen.find(({ type }) => type === "listed");
    expect((listed?.atMs ?? 0) - (failed?.failingSinceMs ?? 0)).toBeGreaterThanOrEqual(20_000);
  });
});

describe("another history", () => {
  it("seen at a bookmark that goes back makes a new list that tells everything", async () => {
    put("a");
    const past = server.world.snapshot();
    put("b", "c");
    const w = await start();
    await open(w);
    put("d");
    await w.mirror.until(same);
    server.world.restore(past);
    put("e");
    server.bookmark();
    await w.mirror.until(same);
    expect(w.mirror.keys("pods")).toEqual(["uid-a", "uid-e"]);
    expect(counts(w)?.wentBack).toBeGreaterThan(0);
  });

  it("seen at an object makes a new list, also where a version stands for another state of the same object", async () => {
    put("a");
    const past = server.world.snapshot();
    server.world.put(PODS, podOn("a", "n1", { status: { phase: "Running" } }));
    put("b", "c");
    const w = await start();
    await open(w);
    server.world.restore(past);
    server.world.put(PODS, podOn("a", "n1", { status: { phase: "Failed" } })); // the version that Running had before
    await w.mirror.until(() => same() && (w.mirror.object("pods", "uid-a") as { phase?: string }).phase === "Failed");
    expect(w.mirror.keys("pods")).toEqual(["uid-a"]);
  });

  it("told by the server itself (version too large) makes a new list", async () => {
    put("a");
    const w = await start();
    await open(w);
    server.script({ phase: "watch", fault: { do: "status", code: 504, reason: "Timeout", message: "Too large resource version: 300, current: 100" } });
    server.endStreams();
    await w.mirror.until(() => server.faultsLeft === 0);
    await settles(w);
    expect(counts(w)?.wentBack).toBe(1);
  });
});

describe("what may not be seen", () => {
  it("is forbidden with the missing right named, while the rest works, and is seen once granted", async () => {
    put("a");
    server.world.put(NODES, bareNode("n1"));
    server.forbidden.add(PODS);
    const w = await start({ kinds: ["nodes", "pods"] });
    await w.mirror.until(() => w.mirror.status("pods")?.state === "forbidden" && w.mirror.keys("nodes").length === 1);
    expect(w.mirror.status("pods")?.reason).toContain("right to list and watch pods in all namespaces is missing");
    expect(w.mirror.status("nodes")?.state).toBe("watching");
    server.forbidden.clear();
    await w.mirror.until(same);
    expect(w.mirror.status("pods")?.state).toBe("watching");
  });

  it("that was taken away while watching is forbidden from then on", async () => {
    put("a");
    const w = await start();
    await open(w);
    server.forbidden.add(PODS);
    server.endStreams();
    await w.mirror.until(() => w.mirror.status("pods")?.state === "forbidden");
    expect(w.mirror.keys("pods")).toEqual(["uid-a"]);
  });

  it("because the CRD does not exist is absent, not failing, and is seen once installed", async () => {
    server.absent.add(NADS);
    const w = await start({ kinds: ["nads"] });
    await w.mirror.until(() => w.mirror.status("nads")?.state === "absent");
    expect(w.mirror.states("nads")).not.toContain("failing");
    server.world.put(NADS, { metadata: { name: "vlan", namespace: "default" }, spec: { config: '{"type":"macvlan","ipam":{"type":"whereabouts"}}' } });
    server.absent.clear();
    await w.mirror.until(() => w.mirror.keys("nads").length === 1);
    expect(w.mirror.object("nads", "default/vlan")).toMatchObject({ pluginTypes: ["macvlan", "whereabouts"] });
  });

  it("is asked for slowly: forbidden kinds make a few requests an hour, not a storm", async () => {
    server.forbidden.add(PODS);
    const w = await start({ rate: 2_000 });
    await w.mirror.until(() => w.mirror.status("pods")?.state === "forbidden");
    const from = w.clock.now();
    const asked = server.requests.length;
    await expect.poll(() => w.clock.now() - from, { timeout: 20_000 }).toBeGreaterThan(3_600_000);
    expect(server.requests.length - asked).toBeLessThan((2 * (w.clock.now() - from)) / 60_000);
    expect(server.requests.length - asked).toBeGreaterThan(0);
  });
});

describe("objects", () => {
  it("without any optional field are told, pods that no node has are not, and those without a name or uid are counted and cost nothing else", async () => {
    server.world.put(PODS, { ...barePod("bare"), spec: { nodeName: "node-1" } });
    server.world.put(PODS, barePod("unbound"));
    server.world.put(PODS, { metadata: { name: "nouid", namespace: "default" } });
    server.world.put(PODS, { metadata: { name: "../../etc", namespace: "default", uid: "u" } });
    const w = await start();
    await open(w);
    put("b");
    await w.mirror.until(() => w.mirror.keys("pods").includes("uid-b"));
    expect(w.mirror.keys("pods")).toEqual(["uid-b", "uid-bare"]);
    expect(counts(w)).toMatchObject({ unusable: 2, failures: 0 });
  });

  it("that are events are told once and outlive their deletion", async () => {
    const event = { metadata: { name: "e", namespace: "default", uid: "e1", creationTimestamp: "2026-11-30T09:00:00Z" }, involvedObject: { kind: "Pod", name: "a", namespace: "default" }, reason: "FailedCreatePodSandBox", message: "no" };
    server.world.put(EVENTS, event);
    server.world.put(EVENTS, { ...event, metadata: { ...event.metadata, name: "f", uid: "f1" }, involvedObject: { kind: "Deployment", name: "a" } });
    const w = await start({ kinds: ["events"] });
    await w.mirror.until(() => server.openStreams > 0);
    server.world.remove(EVENTS, event);
    await expect.poll(() => w.source.status().kinds[0]?.objects).toBe(0);
    expect(w.mirror.keys("events")).toEqual(["e1"]);
  });
});

describe("an API server that goes away", () => {
  it("is failing with one sentence since when, and all is right again once it is back on the same port", async () => {
    put("a", "b");
    const w = await start();
    await open(w);
    const { world, port } = server;
    await server.close();
    await w.mirror.until(() => w.mirror.status("pods")?.reason?.includes("ECONNREFUSED") ?? false);
    expect(w.mirror.status("pods")?.state).toBe("failing");
    expect(w.mirror.status("pods")?.reason).toMatch(/No API server answers at https:\/\/127\.0\.0\.1:\d+ \(ECONNREFUSED\)/);
    world.remove(PODS, barePod("a"));
    server = await ScriptedApiServer.start({ world }, port, authority);
    await settles(w);
    expect(w.mirror.status("pods")).not.toHaveProperty("failingSinceMs");
  });

  it("never sees more requests than the backoff allows", async () => {
    server.script({ fault: { do: "reset" }, times: 10_000 } satisfies Rule);
    const w = await start({ random: () => 1 });
    await expect.poll(() => server.requests.length, { timeout: 20_000 }).toBeGreaterThan(6);
    const from = w.clock.now();
    const asked = server.requests.length;
    await expect.poll(() => w.clock.now() - from, { timeout: 20_000 }).toBeGreaterThan(300_000);
    expect(server.requests.length - asked).toBeLessThanOrEqual((w.clock.now() - from) / 30_000 + 1);
  });
});
