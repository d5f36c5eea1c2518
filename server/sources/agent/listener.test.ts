import { randomBytes, randomUUID } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, test } from "vitest";
import { AGENT_SENT_HEADER, MAX_SANDBOXES, PUSH_ANSWER_VERSION } from "@/server/domain/agent-report";
import { parseNodeName } from "@/server/domain/ids";
import type { Observation } from "@/server/domain/observation";
import type { Clock } from "@/server/clock";
import { createLog } from "@/server/log";
import { ensureAgentAuthority } from "./authority";
import { startAgentListener, type Admission, type AgentListener } from "./listener";
import { packed, post, sampleReport, type Answer, type Post } from "./testing";
import { agentFolder, issueAgentToken } from "./tokens";

const NOW_MS = 1_780_000_001_000;
const clock: Clock = { rate: 1, now: () => NOW_MS, after: () => () => {} };
const log = createLog("silent", "test");

let dataDir: string;
let listener: AgentListener;
let ca: string;
let observed: Observation[];
let tokens: Record<string, string>;
let admission: Admission;

beforeEach(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), "sandglass-agents-"));
  const { authority, caFile } = await ensureAgentAuthority(dataDir);
  ca = await readFile(caFile, "utf8");
  tokens = {};
  for (const node of ["node-1", "node-2"]) tokens[node] = (await readFile((await issueAgentToken(dataDir, node)).file, "utf8")).trim();
  observed = [];
  admission = { is: "admitted" };
  listener = await startAgentListener({ host: "127.0.0.1", port: 0, authority, tokens: agentFolder(dataDir), observe: (one) => observed.push(one), admits: () => admission, tell: (node) => ({ nadPluginTypes: [`for-${node}`] }), clock, log });
});
afterEach(async () => {
  await listener.stop();
  await rm(dataDir, { recursive: true, force: true });
});

const send = (over: Partial<Post> & { readonly node?: string }): Promise<Answer> => {
  const { node = "node-1", ...rest } = over;
  const token = "token" in rest ? rest.token : tokens[node];
  return post({ port: listener.port, ca, ...packed(sampleReport()), ...(token === undefined ? {} : { token }), ...rest });
};
const reason = (answer: Answer): unknown => (typeof answer.body === "object" && answer.body !== null && "reason" in answer.body ? answer.body.reason : undefined);

test("a report with its node's token is taken and observed under that node", async () => {
  const answer = await send({});
  expect(answer.status).toBe(200);
  expect(observed).toEqual([{ source: "agent", type: "report", node: parseNodeName("node-1"), atMs: 1_780_000_000_000, report: sampleReport() }]);
  expect(listener.status()).toMatchObject({ accepted: 1, nodes: [{ node: "node-1", agentVersion: "0.1.0", lastMs: NOW_MS }] });
});

test("the answer carries its version and what the server tells this node; a refusal does not", async () => {
  expect((await send({})).body).toEqual({ version: PUSH_ANSWER_VERSION, nadPluginTypes: ["for-node-1"] });
  expect((await send({})).body).not.toHaveProperty("nadPluginTypes");
});

test("an unpacked report is taken as well", async () => {
  expect((await send({ body: JSON.stringify(sampleReport()), headers: {} })).status).toBe(200);
});

test.each<[string, Partial<Post> & { node?: string }, number, string]>([
  ["no token", { token: "" }, 401, "unknown-token"],
  ["a wrong token", { token: "x".repeat(43) }, 401, "unknown-token"],
  ["another node's token", { node: "node-2" }, 403, "other-node"],
  ["another path", { path: "/v1/reports" }, 404, "not-found"],
  ["PUT", { method: "PUT" }, 405, "method"],
  ["a form", { headers: { "content-type": "application/x-www-form-urlencoded" } }, 415, "media-type"],
  ["another encoding", { headers: { "content-encoding": "br" } }, 415, "media-type"],
  ["garbage that says it is gzip", { body: Buffer.from("garbage") }, 400, "malformed"],
  ["a gzip stream that is cut short", { body: packed(sampleReport()).body.subarray(0, 60) }, 400, "malformed"],
  ["text that is no JSON", { body: gzipSync("{") }, 400, "malformed"],
  ["JSON that is no report", { body: gzipSync("[]") }, 400, "malformed"],
  ["a gzip bomb of 1 GB", { body: gzipBomb() }, 413, "too-large"],
  ["JSON a million levels deep", { body: gzipSync("[".repeat(1_000_000)) }, 413, "too-large"],
  ["JSON of a million empty objects", { body: gzipSync(`[${"{},".repeat(1_000_000)}{}]`) }, 413, "too-large"],
  ["a report of a far later version", packed(sampleReport({ version: 9 })), 422, "version"],
  ["a report from a future that its own sender does not know", { headers: { "content-encoding": "gzip", [AGENT_SENT_HEADER]: String(1_780_000_000_000 - 3_600_000) } }, 422, "clock"],
  ["a report of last week", { headers: { "content-encoding": "gzip", [AGENT_SENT_HEADER]: String(1_780_000_000_000 + 7 * 86_400_000) } }, 422, "clock"],
])("%s is refused with a problem document, counted, and not observed", async (_name, over, status, because) => {
  const answer = await send(over);
  expect(answer).toMatchObject({ status, body: { status, reason: because, type: "about:blank" } });
  expect(answer.headers["content-type"]).toBe("application/problem+json");
  expect(listener.status().dropped).toMatchObject({ [because]: 1 });
  expect(listener.status().accepted).toBe(0);
  expect(observed).toEqual([]);
});

function gzipBomb(): Buffer {
  return gzipSync(Buffer.alloc(1024 ** 3, " "));
}

test("a node with 20,000 sandboxes, the most that an agent sends, is within the bounds of body, JSON and report", async () => {
  const items = Array.from({ length: MAX_SANDBOXES }, (_, at) => ({ id: randomBytes(32).toString("hex"), namespace: "a-namespace-of-usual-length", name: `some-deployment-7f895576f7-${randomBytes(3).toString("hex")}`, uid: randomUUID(), attempt: at % 5, ready: false, createdMs: NOW_MS - at }));
  const { body, headers } = packed(sampleReport({ sandboxes: { looked: true, items, tookSeconds: 1, truncated: true } }));
  expect(await send({ body, headers })).toMatchObject({ status: 200 });
  expect(observed).toHaveLength(1);
});

test("a report is taken once: a replay is refused, the next of the same start and any of a new start are taken", async () => {
  expect((await send({})).status).toBe(200);
  expect(reason(await send({}))).toBe("replayed");
  expect((await send(packed(sampleReport({ sequence: 3 })))).status).toBe(200);
  expect(reason(await send(packed(sampleReport({ sequence: 2 }))))).toBe("replayed");
  expect((await send(packed(sampleReport({ startId: "another-start" })))).status).toBe(200);
  expect(reason(await send(packed(sampleReport({ sequence: 3 }))))).toBe("replayed");
});

test("the times of a node whose clock is 20 minutes behind are corrected, and the difference is shown", async () => {
  const behindMs = 20 * 60_000;
  const report = sampleReport({ atMs: NOW_MS - behindMs });
  const { body, headers } = packed(report);
  expect((await send({ body, headers: { ...headers, [AGENT_SENT_HEADER]: String(NOW_MS - behindMs) } })).status).toBe(200);
  expect(observed).toMatchObject([{ atMs: NOW_MS, clockBehindMs: behindMs, report: { atMs: NOW_MS, sandboxes: { items: [{ createdMs: 1_779_999_000_000 + behindMs }] } } }]);
  expect(listener.status().nodes).toMatchObject([{ skewMs: behindMs }]);
});

test.each<[string, Admission, number, string, string]>([
  ["the nodes are not listed yet", { is: "not-yet", reason: "the first list of nodes is not finished" }, 503, "not-listed-yet", "the first list of nodes is not finished"],
  ["the cluster has no such node", { is: "unlisted" }, 404, "unlisted-node", "the API server lists no node node-1; its reports are taken once it does"],
])("while %s, its sender is told why and when to come back, and the same report is taken later", async (_, now, status, because, detail) => {
  admission = now;
  const answer = await send({});
  expect(answer).toMatchObject({ status, headers: { "content-type": "application/problem+json" }, body: { status, reason: because, detail } });
  expect(Number(answer.headers["retry-after"])).toBeGreaterThan(0);
  expect(listener.status()).toMatchObject({ accepted: 0, dropped: { [because]: 1 }, nodes: [] });
  admission = { is: "admitted" };
  expect((await send({})).status).toBe(200);
  expect(observed).toHaveLength(1);
});

test.each([
  ["ten minutes ahead of its own clock is taken", 600_000, 200],
  ["a moment more is not", 600_001, 422],
])("a clock half an hour wrong is no reason to drop a report: %s", async (_, aheadMs, status) => {
  const sentMs = NOW_MS - 1_800_000;
  const { body, headers } = packed(sampleReport({ atMs: sentMs + aheadMs }));
  expect((await send({ body, headers: { ...headers, [AGENT_SENT_HEADER]: String(sentMs) } })).status).toBe(status);
});

test("a report that waited an hour for the server keeps the time at which it was made", async () => {
  const report = sampleReport({ atMs: NOW_MS - 3_600_000 });
  const { body, headers } = packed(report);
  await send({ body, headers: { ...headers, [AGENT_SENT_HEADER]: String(NOW_MS) } });
  expect(observed).toMatchObject([{ atMs: NOW_MS - 3_600_000 }]);
});
