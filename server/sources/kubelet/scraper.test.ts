import type { IncomingMessage, ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { scaledClock, type Clock } from "../../clock";
import { parseNodeName, type NodeName } from "../../domain/ids";
import type { KubeletPage, Observation } from "../../domain/observation";
import { createLog } from "../../log";
import type { KeyPair } from "../../pki";
import type { NodeTarget } from "./address";
import { createDirectFetch } from "./direct";
import type { KubeletFetch } from "./fetch";
import { startKubeletSource, type KubeletSource, type KubeletSourceOptions } from "./scraper";
import { recorded, recordedGzip } from "./testing/pages";
import { authority, serving, startKubelet, type Script, type ScriptedKubelet } from "./testing/scripted-kubelet";

const METRICS = "multus/retry-storm/kubelet-metrics-during.txt.gz";
const CADVISOR = "multus/retry-storm/cadvisor-metrics-during.txt.gz";
const CONFIGZ = JSON.stringify({ kubeletconfig: { runtimeRequestTimeout: "15s", syncFrequency: "1m0s" } });

type KubeletObservation = Extract<Observation, { source: "kubelet" }>;

let ca: KeyPair;
beforeAll(async () => {
  ca = await authority();
});
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const named = (text: string): NodeName => {
  const name = parseNodeName(text);
  if (name === undefined) throw new Error(`not a node name: ${text}`);
  return name;
};

/** A clock that stands still until it is moved; what is due then runs in order. */
function steppedClock(startMs = 1_800_000_000_000): Clock & { advance(ms: number): Promise<void> } {
  let now = startMs;
  const timers = new Set<{ atMs: number; run: () => void }>();
  return {
    rate: 1,
    now: () => now,
    after: (ms, run) => {
      const timer = { atMs: now + Math.max(0, ms), run };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    advance: async (ms) => {
      const end = now + ms;
      for (;;) {
        await new Promise((resolve) => setImmediate(resolve)); // what ended meanwhile is noticed first
        const [next] = [...timers].filter((timer) => timer.atMs <= end).sort((a, b) => a.atMs - b.atMs);
        if (next === undefined) break;
        timers.delete(next);
        now = Math.max(now, next.atMs);
        next.run();
      }
      now = end;
    },
  };
}

interface Bench {
  readonly source: KubeletSource;
  readonly seen: KubeletObservation[];
  /** The first observation of that kind, seen or to come. */
  until(fits: (observation: KubeletObservation) => boolean): Promise<KubeletObservation>;
}

function bench(fetch: KubeletFetch, nodes: () => Iterable<NodeTarget>, clock: Clock, extra: Partial<KubeletSourceOptions> = {}): Bench {
  const seen: KubeletObservation[] = [];
  const waiting = new Set<() => void>();
  const source = startKubeletSource({
    nodes,
    fetch,
    clock,
    log: createLog("silent", "test"),
    observe: (observation) => {
      if (observation.source !== "kubelet") throw new Error("not a kubelet's");
      seen.push(observation);
      waiting.forEach((look) => look());
    },
    wanted: (namespace) => namespace === "kube-system",
    cadvisorFast: () => false,
    random: () => 0.5,
    ...extra,
  });
  closers.push(source.stop);
  return {
    source,
    seen,
    until: (fits) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = seen.find(fits);
          if (found === undefined) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
      }),
  };
}

const ok = (response: ServerResponse, body: string | Buffer, headers: Record<string, string> = {}): void => {
  response.writeHead(200, { "content-type": "text/plain; version=0.0.4; charset=utf-8", ...headers }).end(body);
};
const healthy: Script = (request, response) => {
  if (request.url === "/metrics") ok(response, recordedGzip(METRICS), { "content-encoding": "gzip" });
  else if (request.url === "/metrics/cadvisor") ok(response, recorded(CADVISOR));
  else ok(response, CONFIGZ, { "content-type": "application/json" });
};
/** The healthy kubelet, except that one page does something else. */
const except =
  (path: string, other: (response: ServerResponse, request: IncomingMessage) => void): Script =>
  (request, response) =>
    request.url === path ? other(response, request) : healthy(request, response);

async function kubelet(script: Script, names: readonly string[] = ["node-1"]): Promise<ScriptedKubelet> {
  const started = await startKubelet(await serving(ca, names), script);
  closers.push(started.close);
  return started;
}

const targetOf = (server: ScriptedKubelet, name = "node-1"): NodeTarget => ({ name: named(name), kubeletPort: server.port, addresses: [{ type: "InternalIP", address: "127.0.0.1" }] });
const direct = (): KubeletFetch =>
  createDirectFetch({
    tls: { mode: "verify", authorities: () => ca.certPem, pins: { known: () => undefined, firstSeen: () => {}, changed: () => {} } },
    credentials: () => Promise.resolve({ headers: { authorization: "Bearer token" } }),
    overrides: new Map(),
  });

const is = (type: KubeletObservation["type"]) => (observation: KubeletObservation) => observation.type === type;
const failedPage = (page: KubeletPage) => (observation: KubeletObservation) => observation.type === "failed" && observation.page === page;

describe("the kubelet source", () => {
  it("tells the metrics, the wanted containers and the runtime's time-out of a node", async () => {
    const server = await kubelet(healthy);
    const clock = steppedClock();
    const { until, source } = bench(direct(), () => [targetOf(server)], clock);
    await clock.advance(15_000);
    const [metrics, cadvisor, configz] = await Promise.all([until(is("metrics")), until(is("cadvisor")), until(is("configz"))]);
    expect(metrics).toMatchObject({ node: "node-1", metrics: { operations: { run_podsandbox: { errors: 765 }, stop_podsandbox: { errors: 385 } } } });
    expect(cadvisor).toMatchObject({ metrics: { hasPressure: false, containers: [{ container: "kube-multus", cfsPeriods: 1742, cfsThrottledPeriods: 1724 }] } });
    expect(configz).toMatchObject({ runtimeRequestTimeoutSeconds: 15 });
    expect(source.status()).toMatchObject({ mode: "direct", tls: "verify", nodes: 1, scraped: 1, failing: 0, skipped: 0 });
  });

  it("reads /metrics every 15 s and the cAdvisor page every 60 s", async () => {
    const server = await kubelet(healthy);
    const clock = steppedClock();
    const { seen, until } = bench(direct(), () => [targetOf(server)], clock);
    for (let step = 1; step <= 24; step += 1) {
      await clock.advance(15_000);
      await until(() => seen.filter(is("metrics")).length === step);
    }
    await until(() => seen.filter(is("cadvisor")).length >= 6);
    expect(seen.filter(is("cadvisor")).length).toBeLessThanOrEqual(7);
    expect(seen.filter(is("configz"))).toHaveLength(1);
  });

  it("reads the cAdvisor page every 15 s while the node is one to watch", async () => {
    const server = await kubelet(healthy);
    const clock = steppedClock();
    let fast = true;
    const { seen, until } = bench(direct(), () => [targetOf(server)], clock, { cadvisorFast: () => fast });
    for (let step = 1; step <= 8; step += 1) {
      await clock.advance(15_000);
      await until(() => seen.filter(is("cadvisor")).length === step);
    }
    fast = false;
    for (let step = 1; step <= 8; step += 1) {
      const before = seen.filter(is("metrics")).length;
      await clock.advance(15_000);
      await until(() => seen.filter(is("metrics")).length > before);
    }
    expect(seen.filter(is("cadvisor")).length).toBeLessThanOrEqual(10);
  });

  it("spreads a fleet over the period", async () => {
    const asked: { atMs: number; page: KubeletPage }[] = [];
    const clock = steppedClock();
    const fetch: KubeletFetch = {
      mode: "direct",
      tls: "verify",
      get: (_node, page) => {
        asked.push({ atMs: clock.now(), page });
        return Promise.reject(new Error("not now"));
      },
      forget: () => {},
      close: () => Promise.resolve(),
    };
    const nodes = Array.from({ length: 300 }, (_, index) => ({ name: named(`worker-${index}`), addresses: [] }));
    const { source } = bench(fetch, () => nodes, clock);
    await clock.advance(15_000);
    const metrics = asked.filter(({ page }) => page === "metrics");
    expect(metrics).toHaveLength(300);
    const perSecond = Array.from({ length: 15 }, (_, second) => metrics.filter(({ atMs }) => Math.floor((atMs - 1_800_000_000_000) / 1000) === second).length);
    expect(Math.max(...perSecond)).toBeLessThan(50);
    expect(Math.min(...perSecond)).toBeGreaterThan(3);
    expect(source.status().failing).toBe(300);
  });

  it("follows nodes that appear and vanish", async () => {
    const first = await kubelet(healthy, ["node-1"]);
    const second = await kubelet(healthy, ["node-2"]);
    const clock = steppedClock();
    let nodes = [targetOf(first, "node-1")];
    const { source, until } = bench(direct(), () => nodes, clock);
    await clock.advance(15_000);
    await until(is("metrics"));
    nodes = [targetOf(second, "node-2")];
    source.refresh();
    const asked = first.requests.length;
    await clock.advance(30_000);
    await until((observation) => observation.type === "metrics" && observation.node === "node-2");
    expect(first.requests).toHaveLength(asked);
    expect(source.status().nodes).toBe(1);
  });

  it("tells nothing more once it is stopped, a request under way included", async () => {
    const server = await kubelet(() => {}); // never answers
    const clock = steppedClock();
    const { seen, source } = bench(direct(), () => [targetOf(server)], clock);
    await clock.advance(15_000);
    expect(source.status().inFlight).toBeGreaterThan(0);
    await source.stop();
    await clock.advance(60_000);
    expect(seen).toEqual([]);
  });

  it("reads /configz again when the kubelet's process is another", async () => {
    let started = 1;
    const server = await kubelet(except("/metrics", (response) => ok(response, `process_start_time_seconds ${started}\n`)));
    const clock = steppedClock();
    const { seen, until } = bench(direct(), () => [targetOf(server)], clock);
    await clock.advance(15_000);
    await Promise.all([until(is("metrics")), until(is("configz"))]);
    started = 2;
    await clock.advance(15_000);
    await until(() => seen.filter(is("configz")).length === 2);
  });
});

describe("a page that fails", () => {
  const failing: [string, KubeletPage, (response: ServerResponse, request: IncomingMessage) => void, RegExp, RegExp?][] = [
    ["401", "metrics", (response) => response.writeHead(401).end("Unauthorized"), /^401/, /token/],
    ["403", "metrics", (response) => response.writeHead(403).end("Forbidden (user=x, verb=get, resource=nodes, subresource=[metrics])"), /^403: get nodes\/metrics is missing$/, /grant get on nodes\/metrics/],
    ["403 for cAdvisor's page", "cadvisor", (response) => response.writeHead(403).end(), /^403: get nodes\/metrics is missing$/],
    ["403 for /configz", "configz", (response) => response.writeHead(403).end(), /1\.28–1\.32 without nodes\/proxy.*assumed to be 4 min/],
    ["404", "cadvisor", (response) => response.writeHead(404).end(), /^404/],
    ["500", "metrics", (response) => response.writeHead(500).end("collecting failed"), /status 500/],
    ["a page of something else", "metrics", (response) => response.writeHead(200, { "content-type": "text/html" }).end("<h1>Hello</h1>"), /wrong content: text\/html/, /something else/],
    ["an empty page", "metrics", (response) => ok(response, ""), /wrong content: an empty page/],
    ["a page of comments", "metrics", (response) => ok(response, "# HELP nothing\n"), /wrong content: an empty page/],
    ["a connection that is reset in the middle", "metrics", (response) => void response.writeHead(200, { "content-type": "text/plain" }).write("a 1\n", () => response.destroy()), /closed by the kubelet before|reset by the kubelet|connection closed/],
    ["a body shorter than it said", "metrics", (response) => void response.writeHead(200, { "content-type": "text/plain", "content-length": "1000" }).write("a 1\n", () => response.destroy()), /closed by the kubelet before|connection closed/],
    ["a body that is called gzip and is none", "metrics", (response) => ok(response, "a 1\n", { "content-encoding": "gzip" }), /wrong content: the compressed page is damaged/],
    ["a gzip body that is cut short", "metrics", (response) => ok(response, recordedGzip(METRICS).subarray(0, 9_000), { "content-encoding": "gzip" }), /ended in the middle/],
    ["a /configz that is no JSON", "configz", (response) => ok(response, "hello"), /\/configz is not JSON/],
    ["a /configz without the setting", "configz", (response) => ok(response, "{}"), /no kubeletconfig\.runtimeRequestTimeout/],
    ["a /configz with a setting that is no duration", "configz", (response) => ok(response, '{"kubeletconfig":{"runtimeRequestTimeout":"soon"}}'), /runtimeRequestTimeout is "soon"/],
  ];

  it.each(failing)("says so in words, and the other pages are read: %s", async (_what, page, answer, reason, hint) => {
    const path = page === "cadvisor" ? "/metrics/cadvisor" : `/${page}`;
    const server = await kubelet(except(path, answer));
    const clock = steppedClock();
    const { until, seen, source } = bench(direct(), () => [targetOf(server)], clock);
    await clock.advance(15_000);
    const failed = await until(failedPage(page));
    expect(failed).toMatchObject({ node: "node-1", reason: expect.stringMatching(reason) });
    if (hint !== undefined) expect(failed).toMatchObject({ hint: expect.stringMatching(hint) });
    await Promise.all((["metrics", "cadvisor", "configz"] as const).filter((other) => other !== page).map((other) => until(is(other))));
    expect(seen.filter(is(page))).toEqual([]);
    expect(source.status().failing).toBe(page === "configz" ? 0 : 1);
  });

  it("says that nothing listens there", async () => {
    const server = await kubelet(healthy);
    await server.close();
    const clock = steppedClock();
    const { until } = bench(direct(), () => [targetOf(server)], clock);
    await clock.advance(15_000);
    expect(await until(failedPage("metrics"))).toMatchObject({ reason: "connection refused" });
  });

  it("says that the node tells no address", async () => {
    const clock = steppedClock();
    const { until } = bench(direct(), () => [{ name: named("node-1"), addresses: [{ type: "ExternalIP", address: "203.0.113.1" }] }], clock);
    await clock.advance(15_000);
    expect(await until(failedPage("metrics"))).toMatchObject({ reason: expect.stringContaining("no address"), hint: "--kubelet-address node-1=https://HOST:PORT" });
  });

  it("is told again each time, and no longer once the page is back", async () => {
    let broken = true;
    const server = await kubelet(except("/metrics", (response, request) => (broken ? void response.writeHead(500).end() : healthy(request, response))));
    const clock = steppedClock();
    const { until, seen, source } = bench(direct(), () => [targetOf(server)], clock);
    for (const times of [1, 2]) {
      await clock.advance(15_000);
      await until(() => seen.filter(failedPage("metrics")).length === times);
    }
    broken = false;
    await clock.advance(15_000);
    await until(is("metrics"));
    expect(source.status()).toMatchObject({ scraped: 1, failing: 0 });
  });
});

describe("a page that hangs", () => {
  it("is given up after the time-out, said so, and never stands before another page (as when the runtime is dead)", async () => {
    const server = await kubelet(except("/metrics", () => {}));
    const { until, seen, source } = bench(direct(), () => [targetOf(server)], scaledClock(1_800_000_000_000, 15), { cadvisorFast: () => true });
    await until(() => seen.filter(is("cadvisor")).length >= 3);
    expect(await until(failedPage("metrics"))).toMatchObject({ reason: "no answer within 1 s" });
    expect(seen.filter(is("metrics"))).toEqual([]);
    expect(source.status()).toMatchObject({ scraped: 0, failing: 1 });
  });

  it("is never asked for twice at once; the turns left out are counted", async () => {
    const server = await kubelet(except("/metrics", () => {}));
    const clock = steppedClock();
    const { source, until } = bench(direct(), () => [targetOf(server)], clock);
    await clock.advance(15_000);
    await until(is("cadvisor"));
    for (let step = 0; step < 3; step += 1) await clock.advance(15_000);
    await expect.poll(() => server.requests.filter(({ path }) => path === "/metrics").length).toBe(1);
    expect(source.status().skipped).toBe(3);
  });

  it("leaves room for those that answer, however many nodes hang", async () => {
    const hanging = Array.from({ length: 40 }, (_, index) => ({ name: named(`hung-${index}`), addresses: [] }));
    const answering = Array.from({ length: 5 }, (_, index) => ({ name: named(`well-${index}`), addresses: [] }));
    const fetch: KubeletFetch = {
      mode: "direct",
      tls: "verify",
      get: (node, page) =>
        node.name.startsWith("hung") && page !== "configz" // which has a longer time-out at this speed
          ? new Promise(() => {})
          : Promise.resolve({ status: 200, contentType: "text/plain", gzip: false, body: (async function* () { yield Buffer.from("process_start_time_seconds 1\n"); })() }),
      forget: () => {},
      close: () => Promise.resolve(),
    };
    const { seen, source } = bench(fetch, () => [...hanging, ...answering], scaledClock(1_800_000_000_000, 15), { maxInFlight: 20 });
    const readings = (): number[] => answering.map(({ name }) => seen.filter((observation) => observation.node === name && observation.type === "metrics").length);
    await expect.poll(() => Math.min(...readings()), { timeout: 20_000 }).toBeGreaterThanOrEqual(4);
    expect(source.status().inFlight).toBeGreaterThanOrEqual(20);
  });

  it("is given up when its bytes only drip", async () => {
    const server = await kubelet(
      except("/metrics", (response) => {
        response.writeHead(200, { "content-type": "text/plain" });
        const timer = setInterval(() => response.write("a"), 20);
        response.on("close", () => clearInterval(timer));
      }),
    );
    const { until } = bench(direct(), () => [targetOf(server)], scaledClock(1_800_000_000_000, 15));
    expect(await until(failedPage("metrics"))).toMatchObject({ reason: "the page was not whole within 1 s" });
  });
});

describe("a page that is too large", () => {
  const endless = (gzip: boolean): Script => {
    const megabyte = Buffer.from(`container_x{pad="${"y".repeat(1000)}"} 1\n`.repeat(1024));
    const bomb = gzip ? gzipSync(Buffer.concat(Array.from({ length: 64 }, () => megabyte))) : undefined;
    return except("/metrics/cadvisor", (response) => {
      if (bomb !== undefined) return ok(response, bomb, { "content-encoding": "gzip" });
      response.writeHead(200, { "content-type": "text/plain" });
      const more = (): void => {
        while (!response.destroyed && response.write(megabyte));
      };
      response.on("drain", more);
      more();
    });
  };

  it.each([
    ["and never ends", false],
    ["once it is inflated, though it came as some KB", true],
  ])("is left at 16 MiB when it is larger %s", async (_what, gzip) => {
    const server = await kubelet(endless(gzip));
    const clock = steppedClock();
    const { until, seen } = bench(direct(), () => [targetOf(server)], clock);
    await clock.advance(15_000);
    expect(await until(failedPage("cadvisor"))).toMatchObject({ reason: "too large: the page goes on after 16 MiB and was not read further" });
    await until(is("metrics"));
    expect(seen.filter(is("cadvisor"))).toEqual([]);
  });

  it("is left where compressed bytes inflate to nothing for ever", async () => {
    const nothing = gzipSync(Buffer.alloc(0)); // members of no content, one after another
    const members = Buffer.concat(Array.from({ length: 50_000 }, () => nothing));
    const server = await kubelet(
      except("/metrics", (response) => {
        response.writeHead(200, { "content-type": "text/plain", "content-encoding": "gzip" });
        const more = (): void => {
          while (!response.destroyed && response.write(members));
        };
        response.on("drain", more);
        more();
      }),
    );
    const clock = steppedClock();
    const { until } = bench(direct(), () => [targetOf(server)], clock, { maxPageBytes: 2 * 1024 * 1024 });
    await clock.advance(15_000);
    expect(await until(failedPage("metrics"))).toMatchObject({ reason: expect.stringMatching(/^too large/) });
  });
});
