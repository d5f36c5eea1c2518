import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestWeb, nodeName, testStatus, testView, type TestWeb } from "../http/testing/web";
import { webRuntime } from "../http/runtime";
import { honestReader, MAX_COLLECTOR_SILENCE_MS } from "./honest-reader";

let web: TestWeb;
beforeAll(() => {
  web = startTestWeb();
  web.write({ views: [testView("node-1", web.nowMs, { state: "yes", row: 5, summary: "Last fresh sandbox." })], status: testStatus(web.nowMs) });
});
afterAll(() => web.close());

const readAt = (nowMs: number, rate = 1) => honestReader(webRuntime().reader, { now: () => nowMs, after: () => () => {}, rate });

test("while the collector writes, a node is what it wrote", () => {
  expect(readAt(web.nowMs + MAX_COLLECTOR_SILENCE_MS - 1_000).node(nodeName("node-1"))?.view.answer.state).toBe("yes");
});

test("once the collector is silent, every node is unknown with that reason, in lists as by name, and nothing is fresh", () => {
  const reader = readAt(web.nowMs + MAX_COLLECTOR_SILENCE_MS + 60_000);
  for (const view of [reader.node(nodeName("node-1"))?.view, reader.fleet().rows[0]?.view]) {
    expect(view?.answer).toMatchObject({ state: "unknown", row: 1, sinceMs: web.nowMs });
    expect(view?.answer.summary).toBe("Sandglass has written nothing for 2 min.");
    expect(view?.sources.some((source) => source.freshness === "fresh")).toBe(false);
    expect(view?.signals.some((signal) => signal.state === "fresh")).toBe(false);
  }
});

test("a clock that runs fast makes no silence of a second's pause", () => {
  expect(readAt(web.nowMs + 2 * MAX_COLLECTOR_SILENCE_MS, 10).node(nodeName("node-1"))?.view.answer.state).toBe("yes");
});
