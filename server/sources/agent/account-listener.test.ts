import { mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { connect } from "node:tls";
import { afterEach, beforeEach, expect, test } from "vitest";
import { agentOptions } from "@/server/agent/options";
import { runAgent } from "@/server/agent/run";
import { systemClock } from "@/server/clock";
import { AGENT_AUDIENCE } from "@/server/domain/agent-report";
import type { Observation } from "@/server/domain/observation";
import { createLog } from "@/server/log";
import type { Connection } from "../kube-api/connect";
import { ScriptedApiServer } from "../kube-api/testing/scripted-api-server";
import { connectTo } from "../kube-api/testing/watching";
import { accountTokens } from "./account-tokens";
import { ensureAgentAuthority } from "./authority";
import { startAgentListener, type AgentListener } from "./listener";
import { packed, post, sampleReport } from "./testing";
import { agentFolder, issueAgentToken } from "./tokens";

/** The listener with service-account tokens: who may speak for which node. */
const log = createLog("silent", "test");
const REVIEWS = "/apis/authentication.k8s.io/v1/tokenreviews";
const USER = "system:serviceaccount:sandglass:sandglass-agent";

let dataDir: string;
let api: ScriptedApiServer;
let connection: Connection;
let listener: AgentListener;
let ca: string;
let observed: Observation[];
let shown: string[];

beforeEach(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), "sandglass-accounts-"));
  api = await ScriptedApiServer.start();
  connection = await connectTo(api);
  const { authority, caFile } = await ensureAgentAuthority(dataDir);
  ca = await readFile(caFile, "utf8");
  observed = [];
  shown = [];
  api.answers.set(`POST ${REVIEWS}`, ({ body }) => {
    const { token } = (JSON.parse(body) as { spec: { token: string } }).spec;
    shown.push(token);
    return { status: 201, body: { status: { authenticated: true, audiences: [AGENT_AUDIENCE], user: { username: USER, extra: { "authentication.kubernetes.io/node-name": ["node-1"] } } } } };
  });
  listener = await startAgentListener({ host: "127.0.0.1", port: 0, authority, tokens: agentFolder(dataDir), accounts: accountTokens({ connection, account: { namespace: "sandglass", name: "sandglass-agent" }, log }), observe: (one) => observed.push(one), clock: systemClock, log });
});
afterEach(async () => {
  await listener.stop();
  await connection.close();
  await api.close();
  await rm(dataDir, { recursive: true, force: true });
});

const token = (name: string): string => ["{}", JSON.stringify({ sub: USER, aud: [AGENT_AUDIENCE], exp: systemClock.now() / 1_000 + 3_600, jti: name })].map((part) => Buffer.from(part).toString("base64url")).join(".") + ".signature";
const send = (bearer: string, over: Parameters<typeof sampleReport>[0] = {}) => post({ port: listener.port, ca, token: bearer, ...packed(sampleReport({ atMs: systemClock.now(), ...over })) });

test("a report is the node's to which its token is bound; one that names another node is refused and counted", async () => {
  expect((await send(token("a"))).status).toBe(200);
  expect(observed).toMatchObject([{ source: "agent", node: "node-1" }]);
  expect(await send(token("a"), { node: "node-2", sequence: 2 })).toMatchObject({ status: 403, headers: { "content-type": "application/problem+json" }, body: { reason: "other-node" } });
  expect(await send(token("a"))).toMatchObject({ status: 409, body: { reason: "replayed" } });
  expect(listener.status()).toMatchObject({ accepted: 1, dropped: { "other-node": 1, replayed: 1 } });
  expect(observed).toHaveLength(1);
});

test("a token that the API server binds to a pod only speaks for the node of that pod, which is looked up once, however often the token is exchanged", async () => {
  const pod = `/api/v1/namespaces/sandglass/pods/sandglass-agent-x7k2p`;
  const extra = { "authentication.kubernetes.io/pod-name": ["sandglass-agent-x7k2p"], "authentication.kubernetes.io/pod-uid": ["pod-uid"] };
  api.answers.set(`POST ${REVIEWS}`, () => ({ status: 201, body: { status: { authenticated: true, audiences: [AGENT_AUDIENCE], user: { username: USER, extra } } } }));
  api.answers.set(`GET ${pod}`, () => ({ status: 200, body: { metadata: { uid: "pod-uid" }, spec: { nodeName: "node-7" } } }));
  const [first, exchanged] = [token("first"), token("exchanged")];
  expect((await send(first, { node: "node-7" })).status).toBe(200);
  expect((await send(first, { node: "node-7", sequence: 2 })).status).toBe(200);
  expect((await send(exchanged, { node: "node-7", sequence: 3 })).status).toBe(200);
  expect(await send(exchanged, { node: "node-1", sequence: 4 })).toMatchObject({ status: 403, body: { reason: "other-node" } });
  expect(observed.map((one) => (one.source === "agent" ? one.node : ""))).toEqual(["node-7", "node-7", "node-7"]);
  expect(api.requests.filter(({ url }) => url === pod)).toHaveLength(1);
  expect(api.requests.filter(({ url }) => url === REVIEWS)).toHaveLength(2);
});

test("a token in a file goes on being good beside it, and is never shown to the API server", async () => {
  const { file } = await issueAgentToken(dataDir, "node-1");
  expect((await send((await readFile(file, "utf8")).trim())).status).toBe(200);
  expect(shown).toEqual([]);
});

test("while tokens cannot be checked, agents are told when to come back, and the status says why", async () => {
  api.script({ path: REVIEWS, fault: { do: "status", code: 403, reason: "Forbidden", message: "no" } });
  const answer = await send(token("a"));
  expect(answer).toMatchObject({ status: 503, headers: { "content-type": "application/problem+json" }, body: { reason: "cannot-check", detail: expect.stringContaining("tokenreviews") } });
  expect(Number(answer.headers["retry-after"])).toBeGreaterThan(0);
  expect(listener.status()).toMatchObject({ accepted: 0, dropped: { "cannot-check": 1 }, identityTrouble: { reason: expect.stringContaining("tokenreviews") } });
});

test("a sender that goes while its token is checked leaves no place taken", async () => {
  for (let gone = 0; gone < 3; gone += 1) {
    api.script({ path: REVIEWS, fault: { do: "slow", ms: 400 } });
    const socket = connect({ host: "127.0.0.1", port: listener.port, ca });
    socket.on("error", () => undefined);
    socket.write(`POST /v1/report HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token(`gone-${String(gone)}`)}\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{`);
    const asked = shown.length;
    await expect.poll(() => api.requests.filter(({ url }) => url === REVIEWS).length).toBe(asked + 1);
    socket.destroy();
    await expect.poll(() => shown.length, { timeout: 5_000 }).toBe(asked + 1);
  }
  await expect.poll(() => listener.status().dropped.incomplete).toBe(3);
  expect(listener.status()).toMatchObject({ underWay: 0 });
  expect((await send(token("another"))).status).toBe(200);
});

test("the agent shows the new token once the kubelet has exchanged it, as a projected volume does: by a link to another folder", async () => {
  const volume = path.join(dataDir, "volume");
  const put = async (name: string): Promise<void> => {
    await mkdir(path.join(volume, name), { recursive: true });
    await writeFile(path.join(volume, name, "token"), token(name));
    await symlink(name, path.join(volume, "..data_tmp"));
    await rename(path.join(volume, "..data_tmp"), path.join(volume, "..data"));
  };
  await put("..first");
  await symlink("..data/token", path.join(volume, "token"));
  const root = path.join(dataDir, "root");
  await mkdir(root);
  const options = agentOptions(["--push", `https://127.0.0.1:${String(listener.port)}`, "--node", "node-1", "--token-file", path.join(volume, "token"), "--ca-file", path.join(agentFolder(dataDir), "ca.crt"), "--host-root", root, "--period", "1s"]);
  if (!options.ok) throw new Error(options.problems.join());
  const stop = new AbortController();
  const running = runAgent(options.value, { clock: systemClock, log, stdout: { write: () => undefined }, signal: stop.signal, random: () => 0.5 });
  try {
    await expect.poll(() => observed.length, { timeout: 20_000 }).toBeGreaterThanOrEqual(1);
    await put("..second");
    await expect.poll(() => shown.map((one) => (JSON.parse(Buffer.from(one.split(".")[1] ?? "", "base64url").toString()) as { jti: string }).jti), { timeout: 20_000 }).toEqual(["..first", "..second"]);
  } finally {
    stop.abort();
    await running;
  }
});
