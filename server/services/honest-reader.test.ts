import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestWeb, nodeName, testStatus, testView, type TestWeb } from "../http/testing/web";
import { fleetIncident, incidentBatch, nodeIncident } from "../store/testing/incidents";
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

test("once the collector is silent, an incident that is not over is unknown with that reason, in lists, by number and under its fleet incident; a closed one stays", () => {
  web.write({
    incidents: incidentBatch({ saved: [nodeIncident(1, "node-1"), nodeIncident(2, "node-2", { state: "closed", closedMs: web.nowMs }), fleetIncident(3), nodeIncident(4, "node-4", { fleet: 3, state: "recovering" })] }),
  });
  const reader = readAt(web.nowMs + MAX_COLLECTOR_SILENCE_MS + 60_000);
  const rows = reader.incidents({ states: ["open", "unknown", "recovering", "closed"], limit: 10 }).rows;
  expect(rows.map(({ incident, silent }) => [incident.id, incident.state, silent])).toEqual([[3, "unknown", "Unknown: Sandglass has written nothing for 2 min."], [2, "closed", undefined], [1, "unknown", "Unknown: Sandglass has written nothing for 2 min."]]);
  expect(reader.incident(3)?.members.map(({ incident }) => incident.state)).toEqual(["unknown"]);
  expect(readAt(web.nowMs + 1_000).incident(1)?.incident.state).toBe("open");
});

test("a clock that runs fast makes no silence of a second's pause", () => {
  expect(readAt(web.nowMs + 2 * MAX_COLLECTOR_SILENCE_MS, 10).node(nodeName("node-1"))?.view.answer.state).toBe("yes");
});
