import { mkdtemp, readFile, rm } from "node:fs/promises";
import { request } from "node:https";
import { tmpdir } from "node:os";
import path from "node:path";
import { connect, type TLSSocket } from "node:tls";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Observation } from "@/server/domain/observation";
import { systemClock } from "@/server/clock";
import { createLog } from "@/server/log";
import { makeAuthority } from "@/server/pki";
import { ensureAgentAuthority } from "./authority";
import { MAX_BODY_BYTES } from "./body";
import { MAX_UNDER_WAY } from "./gates";
import { startAgentListener, type AgentListener } from "./listener";
import { packed, post, sampleReport } from "./testing";
import { agentFolder, issueAgentToken } from "./tokens";

const NODES = 80;
const log = createLog("silent", "test");

let dataDir: string;
let listener: AgentListener;
let ca: string;
let observed: Observation[];
const tokens: string[] = [];

const SHORT_TIMEOUTS = { headersMs: 500, requestMs: 1_500, checkMs: 100 };
let start: (timeouts?: typeof SHORT_TIMEOUTS) => Promise<AgentListener>;

beforeEach(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), "sandglass-agents-"));
  const { authority, caFile } = await ensureAgentAuthority(dataDir);
  ca = await readFile(caFile, "utf8");
  tokens.length = 0;
  for (let index = 0; index < NODES; index += 1) tokens.push((await readFile((await issueAgentToken(dataDir, `node-${String(index)}`)).file, "utf8")).trim());
  observed = [];
  start = (timeouts) => startAgentListener({ host: "127.0.0.1", port: 0, authority, tokens: agentFolder(dataDir), observe: (one) => observed.push(one), clock: systemClock, log, ...(timeouts === undefined ? {} : { timeouts }) });
  listener = await start();
});
afterEach(async () => {
  await listener.stop();
  await rm(dataDir, { recursive: true, force: true });
});

const reportOf = (index: number, sequence = 1) => sampleReport({ node: `node-${String(index)}`, atMs: systemClock.now(), sequence });
const sendAs = (index: number, sequence = 1) => post({ port: listener.port, ca, token: tokens[index] ?? "", ...packed(reportOf(index, sequence)) });

/** A raw TLS connection, and all that came back on it until it closed. */
async function dial(): Promise<{ socket: TLSSocket; closed: Promise<string> }> {
  const socket = connect({ host: "127.0.0.1", port: listener.port, ca });
  const closed = new Promise<string>((resolve) => {
    let text = "";
    socket.on("data", (chunk: Buffer) => (text += chunk.toString("latin1")));
    socket.on("error", () => {
      resolve(text);
    });
    socket.on("close", () => {
      resolve(text);
    });
  });
  await new Promise((resolve) => socket.once("secureConnect", resolve));
  return { socket, closed };
}
const head = (lines: readonly string[]): string => [...lines, "", ""].join("\r\n");

test("a body of 100 MB is cut off at its announcement, and where it is not announced at the bound", async () => {
  const announced = await post({ port: listener.port, ca, token: tokens[0] ?? "", body: "{}", headers: { "content-length": String(100 * 1024 * 1024) } }).catch(() => undefined);
  if (announced !== undefined) expect(announced.status).toBe(413);

  const { socket, closed } = await dial();
  socket.write(head(["POST /v1/report HTTP/1.1", "Host: x", `Authorization: Bearer ${tokens[1] ?? ""}`, "Content-Type: application/json", "Transfer-Encoding: chunked"]));
  const chunk = Buffer.concat([Buffer.from("100000\r\n"), Buffer.alloc(1024 * 1024, " "), Buffer.from("\r\n")]);
  let sentBytes = 0;
  while (!socket.destroyed && socket.writable && sentBytes < 100 * chunk.length) {
    sentBytes += chunk.length;
    if (!socket.write(chunk)) await Promise.race([new Promise((resolve) => socket.once("drain", resolve)), closed]);
  }
  const answer = await closed;
  expect(answer === "" || answer.startsWith("HTTP/1.1 413 ")).toBe(true);
  expect(sentBytes).toBeLessThan(100 * chunk.length);
  expect(listener.status().dropped["too-large"]).toBe(2);
  expect(MAX_BODY_BYTES).toBeLessThan(sentBytes + chunk.length);
});

test("headers that drip in, a connection that says nothing and a body that stops are ended by the time-outs, and counted", async () => {
  await listener.stop();
  listener = await start(SHORT_TIMEOUTS);
  const drip = await dial();
  drip.socket.write("POST /v1/report HTTP/1.1\r\n");
  const dripping = setInterval(() => drip.socket.write("x: y\r\n"), 50);
  const mute = await dial();
  const stalled = await dial();
  stalled.socket.write(head(["POST /v1/report HTTP/1.1", "Host: x", `Authorization: Bearer ${tokens[0] ?? ""}`, "Content-Type: application/json", "Content-Length: 1000"]) + "{");
  await Promise.all([drip.closed, mute.closed, stalled.closed]);
  clearInterval(dripping);
  expect(listener.status().dropped.incomplete).toBeGreaterThanOrEqual(2);
  await expect.poll(() => listener.status().underWay).toBe(0);
});

test.each([
  ["no HTTP at all", "\x16\x03\x01 hello\r\n\r\n", "malformed"],
  ["headers without end", `POST /v1/report HTTP/1.1\r\nx: ${"y".repeat(64 * 1024)}`, "too-large"],
  ["two lengths of a body", head(["POST /v1/report HTTP/1.1", "Host: x", "Content-Length: 1", "Content-Length: 2"]), "malformed"],
] as const)("%s is answered with a problem document and counted", async (_name, text, reason) => {
  const { socket, closed } = await dial();
  socket.write(text);
  expect(await closed).toContain(`"reason":"${reason}"`);
  expect(listener.status().dropped[reason]).toBe(1);
});

test("a token in the address, in a cookie or twice in the header is none", async () => {
  const token = tokens[0] ?? "";
  for (const headers of [{ cookie: `token=${token}` }, { authorization: `Basic ${token}` }, { authorization: `Bearer ${token} ${token}` }, { authorization: `Bearer ${token}, Bearer ${token}` }]) {
    expect((await post({ port: listener.port, ca, path: `/v1/report?token=${token}`, ...packed(reportOf(0)), headers: { "content-encoding": "gzip", ...headers } })).status).toBe(401);
  }
});

test("500 connections at once: every one is answered, reports are taken or told to come back, none is lost", async () => {
  const answers = await Promise.all(Array.from({ length: 500 }, (_, at) => sendAs(at % NODES, Math.floor(at / NODES) + 1)));
  const taken = answers.filter(({ status }) => status === 200).length;
  const busy = answers.filter(({ status }) => status === 429);
  const replayed = answers.filter(({ status }) => status === 409).length; // a later report of the same node overtook it
  expect(taken + busy.length + replayed).toBe(500);
  expect(taken).toBeGreaterThanOrEqual(1);
  for (const { headers } of busy) expect(Number(headers["retry-after"])).toBeGreaterThan(0);
  expect(observed.length).toBe(taken);
  expect(listener.status()).toMatchObject({ accepted: taken, underWay: 0, dropped: { busy: busy.length, replayed } });
});

test("more reports under way than the bound are told when to come back, and come through then", async () => {
  const open = Array.from({ length: MAX_UNDER_WAY }, (_, at) => {
    const call = request({ host: "127.0.0.1", port: listener.port, path: "/v1/report", method: "POST", ca, agent: false, headers: { authorization: `Bearer ${tokens[at] ?? ""}`, "content-type": "application/json", "content-length": "100" } });
    call.on("error", () => undefined);
    call.write("{");
    return call;
  });
  await expect.poll(() => listener.status().underWay, { timeout: 15_000 }).toBe(MAX_UNDER_WAY);
  const refused = await sendAs(MAX_UNDER_WAY);
  expect(refused).toMatchObject({ status: 429, body: { reason: "busy" } });
  expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
  for (const call of open) call.destroy();
  await expect.poll(() => listener.status().underWay).toBe(0);
  expect((await sendAs(MAX_UNDER_WAY)).status).toBe(200);
});

test("the certificate is for loopback and from this authority alone", async () => {
  const other = await makeAuthority("another", { notBeforeMs: systemClock.now() - 1000, notAfterMs: systemClock.now() + 3_600_000 });
  await expect(post({ port: listener.port, ca: other.certPem, token: tokens[0] ?? "", ...packed(reportOf(0)) })).rejects.toThrow(/certificate/);
});

test("a token that is withdrawn or renewed is good no longer", async () => {
  expect((await sendAs(0, 1)).status).toBe(200);
  await issueAgentToken(dataDir, "node-0", { renew: true });
  await rm(path.join(agentFolder(dataDir), "node-1.token"));
  await expect.poll(async () => [(await sendAs(0, 2)).status, (await sendAs(1, 1)).status], { timeout: 10_000 }).toEqual([401, 401]);
});

test("stopping ends open connections", async () => {
  const { closed } = await dial();
  const idle = await dial();
  await listener.stop();
  await Promise.all([closed, idle.closed]);
  await expect.poll(() => listener.status().connections).toBe(0);
});
