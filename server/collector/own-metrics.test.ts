import { request } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildView } from "../domain/build-view";
import { node, nodeName, nodeWindow, NOW_MS, watching } from "../domain/testing/builders";
import { DEFAULT_THRESHOLDS } from "../domain/thresholds";
import { createLog } from "../log";
import type { CollectorStatus } from "../store/types";
import { createOwnMetrics } from "./own-metrics";

let port: number;
let close: () => Promise<void>;
const metrics = createOwnMetrics(createLog("silent", "test"));
beforeAll(async () => ({ port, close } = await metrics.serve(0, "127.0.0.1")));
afterAll(() => close());

const STATUS: CollectorStatus = {
  cluster: { uid: "u", name: "test", server: "https://127.0.0.1:6443", user: "admin", simulated: false },
  startedMs: 0, atMs: 0, kinds: [],
  api: { reachable: true, sinceMs: 0 },
  kubelet: { mode: "direct", tls: "verify", scraped: 0, failing: 0, skipped: 0, lateMs: 0 },
  agents: { listening: false, reporting: 0, dropped: {} },
  store: { writable: true, pendingBatches: 0, droppedSamples: 0 },
  actionsAllowed: false,
};

function ask(path: string, host: string): Promise<{ readonly status: number | undefined; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: "127.0.0.1", port, path, headers: { host } }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      response.on("end", () => resolve({ status: response.statusCode, text }));
    });
    asked.on("error", reject).end();
  });
}

test("before the first look nothing is told: a gauge of it would say 0", async () => {
  expect(await ask("/metrics", "localhost")).toEqual({ status: 503, text: "Nothing was looked at yet.\n" });
  metrics.update([], STATUS);
});

test("a node whose pods cannot be seen has no count of those that wait, which is not 0", async () => {
  const view = (name: string, pods: "watching" | "forbidden") => buildView(nodeWindow({ node: node({ name: nodeName(name) }), kinds: watching().map((one) => (one.kind === "pods" ? { ...one, state: pods } : one)) }), NOW_MS, DEFAULT_THRESHOLDS);
  metrics.update([view("seen", "watching"), view("blind", "forbidden")], STATUS);
  const { text } = await ask("/metrics", "localhost");
  expect(text.split("\n").filter((line) => line.startsWith("sandglass_node_pods_waiting{"))).toEqual(['sandglass_node_pods_waiting{node="seen"} 0']);
});

test.each(["localhost", "127.0.0.1:9400", "[::1]:9400"])("own metrics are told to %s", async (host) => {
  const { status, text } = await ask("/metrics", host);
  expect(status).toBe(200);
  expect(text).toContain("sandglass_store_writable");
});

test.each(["sandglass.example", "127.0.0.1.example:9400", "10.0.0.1"])("a page that calls this machine %s gets none of them", async (host) => {
  const { status, text } = await ask("/metrics", host);
  expect(status).toBe(421);
  expect(text).not.toContain("sandglass_store_writable");
});

test("nothing else is served there", async () => {
  expect((await ask("/", "localhost")).status).toBe(404);
});
