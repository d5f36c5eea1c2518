import { afterEach, describe, expect, it } from "vitest";
import { scaledClock } from "../../clock";
import type { KubeletPage } from "../../domain/observation";
import type { KubeletFetch } from "./fetch";
import { bench, closeAll, direct, except, failedPage, healthy, is, kubelet, named, ok, steppedClock, targetOf } from "./testing/bench";

afterEach(closeAll);

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

  it("tells how late a reading began", async () => {
    const waiting: (() => void)[] = [];
    const clock = steppedClock();
    const fetch: KubeletFetch = {
      mode: "direct",
      tls: "verify",
      get: () => new Promise((_, reject) => waiting.push(() => reject(new Error("enough")))),
      close: () => Promise.resolve(),
    };
    const { source, seen } = bench(fetch, () => ["node-1", "node-2"].map((name) => ({ name: named(name), addresses: [] })), clock, { maxInFlight: 1 });
    await clock.advance(15_000);
    expect(source.status()).toMatchObject({ inFlight: 1, lateMs: 0 });
    await clock.advance(4_000);
    waiting.shift()?.();
    await expect.poll(() => seen.length).toBe(1);
    await expect.poll(() => source.status().lateMs).toBeGreaterThan(4_000);
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

describe("a page that hangs", () => {
  it("is given up after the time-out, said so, and never stands before another page (as when the runtime is dead)", async () => {
    const server = await kubelet(except("/metrics", () => {}));
    const { until, seen, source } = bench(direct(), () => [targetOf(server)], scaledClock(1_800_000_000_000, 15), { cadvisorFast: () => true });
    await until(() => seen.filter(is("cadvisor")).length >= 3);
    expect(await until(failedPage("metrics"))).toMatchObject({ reason: "no answer within 1 s", timedOut: true });
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
      close: () => Promise.resolve(),
    };
    const { seen, source } = bench(fetch, () => [...hanging, ...answering], scaledClock(1_800_000_000_000, 15), { maxInFlight: 20 });
    const readings = (): number[] => answering.map(({ name }) => seen.filter((observation) => observation.node === name && observation.type === "metrics").length);
    // Which ones hang shows at their first reading; from then on the others come each second of this clock.
    await expect.poll(() => Math.min(...readings()), { timeout: 20_000 }).toBeGreaterThanOrEqual(2);
    await expect.poll(() => source.status().inFlight, { timeout: 20_000 }).toBeGreaterThanOrEqual(20);
    const before = Math.min(...readings());
    await expect.poll(() => Math.min(...readings()), { timeout: 20_000 }).toBeGreaterThanOrEqual(before + 5);
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
