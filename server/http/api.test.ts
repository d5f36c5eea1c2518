import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { GET as events } from "@/app/api/v1/nodes/[name]/events/route";
import { GET as exported } from "@/app/api/v1/nodes/[name]/export/route";
import { GET as timeline } from "@/app/api/v1/nodes/[name]/timeline/route";
import { GET as node } from "@/app/api/v1/nodes/[name]/route";
import { GET as offers } from "@/app/api/v1/nodes/[name]/actions/route";
import { GET as audit } from "@/app/api/v1/audit/route";
import { GET as runs } from "@/app/api/v1/actions/route";
import { GET as offeredKeys } from "@/app/api/v1/kubelet-keys/route";
import { POST as acceptKey } from "@/app/api/v1/nodes/[name]/kubelet-key/route";
import { GET as fleet } from "@/app/api/v1/fleet/route";
import { GET as openapi } from "@/app/api/v1/openapi.json/route";
import { GET as status } from "@/app/api/v1/status/route";
import { GET as stream } from "@/app/api/v1/stream/route";
import { GET as causes } from "@/app/api/v1/causes/route";
import { GET as cause } from "@/app/api/v1/causes/[code]/route";
import { GET as visibility } from "@/app/api/v1/visibility/route";
import { GET as readyz } from "@/app/readyz/route";
import { PODS_WORDS } from "../domain/pods-seen";
import type { RouteHandler } from "./handler";
import { ROUTES, type Route } from "./routes";
import { ProblemSchema } from "../contract/schemas";
import { localRequest, nodeName, startTestWeb, testView, type TestWeb } from "./testing/web";

let web: TestWeb;
beforeAll(() => {
  web = startTestWeb();
  const { nowMs } = web;
  web.write({
    views: [testView("node-1", nowMs), testView("node-2", nowMs, { state: "yes", row: 5, summary: "Last fresh sandbox." })],
    answers: [{ node: "node-1", atMs: nowMs - 60_000, state: "no", atRisk: false, idle: false, summary: "0 fresh sandboxes." }],
    samples: [0, 1, 2].map((i) => ({ node: nodeName("node-1"), signal: "pods.waiting" as const, instance: "", atMs: nowMs - 45_000 + i * 15_000, value: i })),
    events: [{ uid: "e1", namespace: "default", reason: "FailedCreatePodSandBox", type: "Warning", message: 'failed to find plugin "bridge"', count: 2, firstMs: nowMs - 50_000, lastMs: nowMs - 20_000, about: { kind: "Pod", namespace: "default", name: "probe-1", uid: "p1" }, host: "node-1", node: "node-1" }],
  });
});
afterAll(() => web.close());

const call = (handler: RouteHandler, url: string, params: Record<string, string> = {}, init: RequestInit = {}) => handler(localRequest(url, init), { params: Promise.resolve(params) });
const everyRoute: readonly (readonly [keyof typeof ROUTES, RouteHandler, string, Record<string, string>])[] = [
  ["fleet", fleet, "/api/v1/fleet", {}],
  ["node", node, "/api/v1/nodes/node-1", { name: "node-1" }],
  ["events", events, "/api/v1/nodes/node-1/events", { name: "node-1" }],
  ["timeline", timeline, "/api/v1/nodes/node-1/timeline?signals=pods.waiting&points=100", { name: "node-1" }],
  ["export", exported, "/api/v1/nodes/node-1/export", { name: "node-1" }],
  ["actionOffers", offers, "/api/v1/nodes/node-1/actions", { name: "node-1" }],
  ["runs", runs, "/api/v1/actions", {}],
  ["audit", audit, "/api/v1/audit", {}],
  ["offeredKeys", offeredKeys, "/api/v1/kubelet-keys", {}],
  ["causes", causes, "/api/v1/causes", {}],
  ["cause", cause, "/api/v1/causes/plugin-binary-missing", { code: "plugin-binary-missing" }],
  ["visibility", visibility, "/api/v1/visibility", {}],
  ["status", status, "/api/v1/status", {}],
  ["openapi", openapi, "/api/v1/openapi.json", {}],
];

/** As far as an answer's schema is looked for in it. */
const OpenApi = z.object({ paths: z.record(z.string(), z.object({ get: z.object({ responses: z.object({ 200: z.object({ content: z.record(z.string(), z.object({ schema: z.record(z.string(), z.json()) }).partial()) }) }) }).optional() })) });

describe("answers of the API", () => {
  test.each(everyRoute)("%s answers what its schema says, and nothing that the schema does not know", async (name, handler, url, params) => {
    const answer = await call(handler, url, params);
    expect(answer.status).toBe(200);
    const { answer: schema } = ROUTES[name] as Route;
    const body: unknown = await answer.json();
    expect(schema).toBeInstanceOf(z.ZodObject);
    const strict = name === "openapi" ? (schema as z.ZodObject) : (schema as z.ZodObject).strict();
    expect(strict.safeParse(body).error?.issues ?? []).toEqual([]);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
  });

  test.each(everyRoute.filter(([name]) => name !== "openapi"))("%s answers what the OpenAPI document says of it, to the innermost field, and nothing that it does not know", async (name, handler, url, params) => {
    const document = OpenApi.parse(await (await call(openapi, "/api/v1/openapi.json")).json());
    const schema = document.paths[ROUTES[name].path]?.get?.responses["200"].content["application/json"]?.schema;
    expect(schema).toMatchObject({ type: "object", additionalProperties: false });
    const body: unknown = await (await call(handler, url, params)).json();
    expect(z.fromJSONSchema(schema ?? {}).safeParse(body).error?.issues ?? []).toEqual([]);
  });

  test("a list of routes is complete: each has a case here, is the stream, or is held by actions.test.ts, exceptions.test.ts, explain.test.ts or incidents.test.ts", () => {
    const acting = ["actionPlan", "actionDryRun", "actionRun", "run", "acceptKey", "explain", "exceptions", "acceptException", "withdrawException", "incidents", "incident", "incidentExport", "acknowledgeIncident", "noteIncident", "titleIncident"];
    expect([...everyRoute.map(([name]) => name), "stream", ...acting].sort()).toEqual(Object.keys(ROUTES).sort());
  });

  test("the fleet counts unknown apart and carries each node's answer", async () => {
    web.write({ views: [testView("node-3", web.nowMs, { state: "unknown", row: 1 })] });
    const body = ROUTES.fleet.answer.parse(await (await call(fleet, "/api/v1/fleet")).json());
    expect(body.counts).toMatchObject({ nodes: 3, no: 1, unknown: 1, yes: 1, podsWaiting: 3 });
    web.write({ gone: ["node-3"] });
  });

  test("waiting pods of a node whose pods cannot be seen are not counted, and the node says so", async () => {
    const blind = testView("node-3", web.nowMs, { state: "unknown", row: 1 });
    web.write({ views: [{ ...blind, blind: [{ what: PODS_WORDS, reason: "pods is forbidden" }] }] });
    const body = ROUTES.fleet.answer.parse(await (await call(fleet, "/api/v1/fleet")).json());
    expect(body.counts.podsWaiting).toBe(2);
    expect(body.nodes.map(({ name, counts }) => [name, counts.seen])).toEqual([["node-1", true], ["node-2", true], ["node-3", false]]);
    const text = await (await call(exported, "/api/v1/nodes/node-3/export?format=markdown", { name: "node-3" })).text();
    expect(text).toContain("They could not be seen when this was made");
    web.write({ gone: ["node-3"] });
  });

  test("a timeline holds the samples of the asked signal and the answer's span", async () => {
    const body = ROUTES.timeline.answer.parse(await (await call(timeline, "/api/v1/nodes/node-1/timeline?signals=pods.waiting", { name: "node-1" })).json());
    expect(body.series.map((series) => [series.signal, series.last])).toEqual([["pods.waiting", [0, 1, 2]]]);
    expect(body.answers.at(-1)?.state).toBe("no");
    expect(body.events.map((event) => event.reason)).toEqual(["FailedCreatePodSandBox"]);
  });

  test("the Markdown export keeps text of the cluster as text", async () => {
    const answer = await call(exported, "/api/v1/nodes/node-1/export?format=markdown", { name: "node-1" });
    expect(answer.headers.get("content-disposition")).toMatch(/^attachment; filename="sandglass-node-1-[0-9TZ-]+\.md"$/);
    const text = await answer.text();
    expect(text).toContain("# node\\-1: No");
    expect(text).not.toContain("<img");
    expect(text).toContain("&lt;img src=x onerror=alert\\(1\\)&gt; \\| \\`rm\\`");
  });

  test("the OpenAPI document has every route and its parameters", async () => {
    const document = (await (await call(openapi, "/api/v1/openapi.json")).json()) as { openapi: string; paths: Record<string, { get: { parameters?: { name: string; in: string }[] } }> };
    expect(document.openapi).toBe("3.1.0");
    expect(Object.keys(document.paths).sort()).toEqual([...new Set(Object.values(ROUTES).map((route) => route.path))].sort());
    expect(document.paths["/api/v1/nodes/{name}/timeline"]?.get.parameters?.map((parameter) => `${parameter.in}:${parameter.name}`)).toEqual(["path:name", "query:from", "query:to", "query:signals", "query:points"]);
  });
});

describe("requests that are refused", () => {
  const hostile = ["..%2f..%2fapi", "../../api", "a\u0000b", "a\r\nb", "a?x=", "a#", "a/b", "x".repeat(300), "", "NODE", "node-1 ", "%2e%2e", "node_1", "-a", "a..b", "\u202enode"];
  test.each(hostile.flatMap((name) => everyRoute.filter(([, , , params]) => "name" in params).map(([route, handler]) => [JSON.stringify(name).slice(0, 24), route, handler, name] as const)))("%s is no node name on %s", async (_, __, handler, name) => {
    const answer = await handler(localRequest("/api/v1/nodes/x"), { params: Promise.resolve({ name }) });
    expect([400, 404]).toContain(answer.status);
    expect(ProblemSchema.strict().safeParse(await answer.json()).success).toBe(true);
    expect(answer.headers.get("content-type")).toBe("application/problem+json");
  });

  test.each(["/api/v1/nodes/node-9", "/api/v1/nodes/node-9/events", "/api/v1/nodes/node-9/timeline"])("a node that is not there is 404 on %s", async (url) => {
    const handler = url.endsWith("events") ? events : url.endsWith("timeline") ? timeline : node;
    const answer = await call(handler, url, { name: "node-9" });
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ code: "not-found", status: 404, detail: 'No node "node-9" is known.' });
  });

  test.each([
    ["from=yesterday", "query.from"],
    ["from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z", "query.to"],
    ["from=2026-01-01T00:00:00Z&to=2026-06-01T00:00:00Z", "query.from"],
    ["from=0", "query.from"],
    ["points=1501", "query.points"],
    ["points=-1", "query.points"],
    ["signals=pods.waiting,nope", "query.signals"],
  ])("?%s is refused with the field named", async (query, field) => {
    const answer = await call(timeline, `/api/v1/nodes/node-1/timeline?${query}`, { name: "node-1" });
    expect(answer.status).toBe(400);
    const problem = ProblemSchema.parse(await answer.json());
    expect(problem.errors?.map((error) => error.field)).toContain(field);
  });

  test.each(["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "127.0.0.2", "[::2]", "localhost:7400@evil", "LOCALHOST evil"])("the Host %s is refused everywhere", async (host) => {
    for (const [, handler, url, params] of everyRoute) {
      const answer = await call(handler, url, params, { headers: { host } });
      expect(answer.status).toBe(421);
      expect(await answer.text()).not.toContain("node-1");
    }
    expect((await call(stream, "/api/v1/stream", {}, { headers: { host } })).status).toBe(421);
  });

  test.each(["localhost", "localhost:1", "127.0.0.1:65535", "[::1]:7400"])("the Host %s is served", async (host) => {
    expect((await call(fleet, "/api/v1/fleet", {}, { headers: { host } })).status).toBe(200);
  });

  test("an address over the limit is refused", async () => {
    expect((await call(fleet, `/api/v1/fleet?x=${"a".repeat(5_000)}`)).status).toBe(400);
  });
});

describe("a kubelet's changed key", () => {
  const accept = (sha256: string) =>
    acceptKey(localRequest("/x", { method: "POST", body: JSON.stringify({ sha256 }), headers: { origin: "http://localhost:7400", "content-type": "application/json" } }), { params: Promise.resolve({ name: "node-1" }) });
  test("is offered, accepted once by a person with an audit row, and no other key is", async () => {
    const [first, offered, other] = ["a", "b", "c"].map((char) => char.repeat(64));
    web.write({ kubeletKeys: [{ node: "node-1", sha256: first ?? "", seenMs: web.nowMs, offeredSha256: offered ?? "" }] });
    expect(ROUTES.offeredKeys.answer.parse(await (await call(offeredKeys, "/api/v1/kubelet-keys")).json()).items).toMatchObject([{ node: "node-1", sha256: first, offeredSha256: offered }]);
    expect((await accept(other ?? "")).status).toBe(409);
    expect((await accept(offered ?? "")).status).toBe(200);
    expect(web.ingest.kubeletKeys().get("node-1")).toMatchObject({ sha256: offered });
    expect((await accept(offered ?? "")).status).toBe(409);
    const log = ROUTES.audit.answer.parse(await (await call(audit, "/api/v1/audit")).json());
    expect(log.items.filter((entry) => entry.verb === "kubelet-key.accept").map((entry) => entry.outcome)).toEqual(["done"]);
  });
});

describe("readiness", () => {
  test("a collector that wrote lately is ready; one that is silent is not", async () => {
    expect(readyz().status).toBe(200);
  });
});

describe("the event stream", () => {
  const readMessage = async (reader: ReadableStreamDefaultReader<Uint8Array>, event: string): Promise<{ id: string; data: { seq: number; nodes?: { name: string }[]; gone?: string[] } }> => {
    let text = "";
    for (;;) {
      const { value, done } = await reader.read();
      if (done) throw new Error(`the stream ended before ${event}: ${text}`);
      text += new TextDecoder().decode(value);
      const found = new RegExp(`event: ${event}\\nid: (\\d+)\\ndata: (.*)\\n\\n`).exec(text);
      if (found !== null) return { id: found[1] ?? "", data: JSON.parse(found[2] ?? "null") as { seq: number } };
    }
  };

  test("tells a change once, with the nodes that changed, and resumes where it was left", async () => {
    const ending = new AbortController();
    const first = await call(stream, "/api/v1/stream", {}, { signal: ending.signal });
    expect(first.headers.get("content-type")).toBe("text/event-stream");
    const reader = (first.body as ReadableStream<Uint8Array>).getReader();
    const hello = await readMessage(reader, "hello");
    web.write({ views: [testView("node-2", web.nowMs, { state: "no" })] });
    web.hub.notify();
    const change = await readMessage(reader, "change");
    expect(change.data.nodes?.map((one) => one.name)).toEqual(["node-2"]);
    expect(Number(change.id)).toBeGreaterThan(Number(hello.id));
    await reader.cancel();
    expect(web.hub.size()).toBe(0);

    web.write({ views: [testView("node-1", web.nowMs, { state: "yes" })], gone: ["node-2"] });
    const again = await call(stream, "/api/v1/stream", {}, { headers: { "last-event-id": change.id } });
    const second = (again.body as ReadableStream<Uint8Array>).getReader();
    const missed = await readMessage(second, "change");
    expect(missed.data.nodes?.map((one) => one.name)).toEqual(["node-1"]);
    expect(missed.data.gone).toEqual(["node-2"]);
    await second.cancel();
  });

  test("a number from another data file does not wait for ever", async () => {
    const answer = await call(stream, "/api/v1/stream", {}, { headers: { "last-event-id": "999999999" } });
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
    const hello = await readMessage(reader, "hello");
    expect(hello.data.seq).toBeLessThan(999_999_999);
    await reader.cancel();
  });
});
