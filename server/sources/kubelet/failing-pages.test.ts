import type { IncomingMessage, ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import type { KubeletPage } from "../../domain/observation";
import { bench, closeAll, direct, except, failedPage, healthy, is, kubelet, METRICS, named, ok, steppedClock, targetOf } from "./testing/bench";
import { recordedGzip } from "./testing/pages";
import type { Script } from "./testing/scripted-kubelet";

afterEach(closeAll);

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
