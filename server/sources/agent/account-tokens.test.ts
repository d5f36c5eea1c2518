import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { AGENT_AUDIENCE } from "@/server/domain/agent-report";
import { createLog } from "@/server/log";
import type { Connection } from "../kube-api/connect";
import { ScriptedApiServer } from "../kube-api/testing/scripted-api-server";
import { connectTo } from "../kube-api/testing/watching";
import { FRESH_MS, GRACE_MS, accountTokens, type AccountTokens } from "./account-tokens";
import { Dropped } from "./drops";

/** Against a scripted API server; that a real one answers like it is shown by e2e/real/agent-identity.spec.ts. */
const account = { namespace: "sandglass", name: "sandglass-agent" };
const USER = "system:serviceaccount:sandglass:sandglass-agent";
const REVIEWS = "/apis/authentication.k8s.io/v1/tokenreviews";
const POD = "/api/v1/namespaces/sandglass/pods/sandglass-agent-x7k2p";
const log = createLog("silent", "test");
const START_MS = Date.UTC(2026, 0, 1);

let server: ScriptedApiServer;
let connection: Connection;
let nowMs: number;
let tokens: AccountTokens;

beforeEach(async () => {
  server = await ScriptedApiServer.start();
  connection = await connectTo(server);
  nowMs = START_MS;
  tokens = accountTokens({ connection, account, log, nowMs: () => nowMs });
});
afterEach(async () => {
  await connection.close();
  await server.close();
});

const tokenOf = (claims: object = {}, signature = "signature"): string =>
  ["{}", JSON.stringify({ sub: USER, aud: [AGENT_AUDIENCE], exp: START_MS / 1_000 + 7_200, ...claims })].map((part) => Buffer.from(part).toString("base64url")).join(".") + `.${signature}`;
const authenticated = (extra: Record<string, string[]>, over: object = {}) => ({ authenticated: true, audiences: [AGENT_AUDIENCE], user: { username: USER, uid: "u", groups: ["system:serviceaccounts"], extra }, ...over });
const onNode = (node: string) => authenticated({ "authentication.kubernetes.io/node-name": [node], "authentication.kubernetes.io/node-uid": ["n"] });
const inPod = authenticated({ "authentication.kubernetes.io/pod-name": ["sandglass-agent-x7k2p"], "authentication.kubernetes.io/pod-uid": ["pod-uid"] });
/** The API server says this of every token; what it was asked is returned. */
function says(status: object): { readonly spec: { readonly token: string; readonly audiences: readonly string[] } }[] {
  const asked: ReturnType<typeof says> = [];
  server.answers.set(`POST ${REVIEWS}`, ({ body }) => {
    asked.push(JSON.parse(body) as (typeof asked)[number]);
    return { status: 201, body: { kind: "TokenReview", status } };
  });
  return asked;
}
const podIs = (pod: object | undefined): void => void server.answers.set(`GET ${POD}`, () => (pod === undefined ? { status: 404, body: { kind: "Status", reason: "NotFound", message: "pods not found" } } : { status: 200, body: pod }));
const refused = async (token = tokenOf()): Promise<Dropped> => {
  const error = await tokens.nodeOf(token).catch((thrown: unknown) => thrown);
  if (error instanceof Dropped) return error;
  throw new Error(`not refused: ${String(error)}`);
};
const asked = (): number => server.requests.filter(({ url }) => url === REVIEWS).length;

test("the node is the one that the API server says the token is bound to, and it is asked for the agents' audience alone", async () => {
  const questions = says(onNode("node-1"));
  expect(await tokens.nodeOf(tokenOf())).toBe("node-1");
  expect(questions.map(({ spec }) => spec)).toEqual([{ token: tokenOf(), audiences: [AGENT_AUDIENCE] }]);
});

test("where it tells the pod only, the pod's node is looked up, once for that pod", async () => {
  says(inPod);
  podIs({ metadata: { uid: "pod-uid" }, spec: { nodeName: "node-7" } });
  expect(await tokens.nodeOf(tokenOf({}, "first"))).toBe("node-7");
  expect(await tokens.nodeOf(tokenOf({}, "rotated"))).toBe("node-7");
  expect(server.requests.filter(({ url }) => url === POD)).toHaveLength(1);
});

test.each([
  ["is gone", undefined],
  ["is another one of its name", { metadata: { uid: "another" }, spec: { nodeName: "node-7" } }],
  ["runs nowhere yet", { metadata: { uid: "pod-uid" }, spec: {} }],
])("a token whose pod %s speaks for no node", async (_, pod) => {
  says(inPod);
  podIs(pod);
  expect(await refused()).toMatchObject({ reason: "unbound-token" });
});

describe("the API server's word decides, whatever the token says of itself", () => {
  test.each<[string, object, string]>([
    ["does not know it", { user: {}, error: "invalid bearer token" }, "unknown-token"],
    ["knows no audiences", { ...onNode("node-1"), audiences: undefined }, "unknown-token"],
    ["names another audience", { ...onNode("node-1"), audiences: ["https://kubernetes.default.svc"] }, "unknown-token"],
    ["says it is another account's", authenticated({ "authentication.kubernetes.io/node-name": ["node-1"] }, { user: { username: "system:serviceaccount:default:default", extra: { "authentication.kubernetes.io/node-name": ["node-1"] } } }), "other-account"],
    ["binds it to nothing", authenticated({}), "unbound-token"],
    ["names a node that cannot be", authenticated({ "authentication.kubernetes.io/node-name": ["../node"] }), "unbound-token"],
  ])("%s", async (__, status, reason) => {
    says(status);
    expect(await refused()).toMatchObject({ reason });
  });
});

describe("what cannot be good is not asked about", () => {
  test.each<[string, string, string]>([
    ["another audience", tokenOf({ aud: ["https://kubernetes.default.svc"] }), "unknown-token"],
    ["another account", tokenOf({ sub: "system:serviceaccount:default:default" }), "other-account"],
    ["one that has ended", tokenOf({ exp: START_MS / 1_000 - 1 }), "unknown-token"],
    ["no JSON", "a.b.c", "unknown-token"],
    ["too long", `${tokenOf()}${"x".repeat(4_096)}`, "unknown-token"],
  ])("%s", async (_, token, reason) => {
    says(onNode("node-1"));
    expect(await refused(token)).toMatchObject({ reason });
    expect(asked()).toBe(0);
  });
});

test("what was said holds for a bounded time, a refusal for a shorter one", async () => {
  says(onNode("node-1"));
  for (let push = 0; push < 5; push += 1) await tokens.nodeOf(tokenOf());
  expect(asked()).toBe(1);
  nowMs += FRESH_MS;
  await tokens.nodeOf(tokenOf());
  expect(asked()).toBe(2);
  says({ authenticated: false });
  nowMs += FRESH_MS;
  expect(await refused()).toMatchObject({ reason: "unknown-token" });
  expect(await refused()).toMatchObject({ reason: "unknown-token" });
  expect(asked()).toBe(3);
  says(onNode("node-1"));
  nowMs += 31_000;
  expect(await tokens.nodeOf(tokenOf())).toBe("node-1");
});

test("many pushes with one new token ask once", async () => {
  says(onNode("node-1"));
  expect(await Promise.all(Array.from({ length: 50 }, () => tokens.nodeOf(tokenOf())))).toEqual(Array.from({ length: 50 }, () => "node-1"));
  expect(asked()).toBe(1);
});

test("where the server may not ask, that is said with the right that is missing, and not asked again at once", async () => {
  server.script({ path: REVIEWS, fault: { do: "status", code: 403, reason: "Forbidden", message: 'User "x" cannot create resource "tokenreviews"' }, times: 5 });
  const first = await refused();
  expect(first).toMatchObject({ reason: "cannot-check", retryAfterSeconds: expect.any(Number) });
  expect(first.detail).toContain('it needs "create" on tokenreviews');
  expect(await refused(tokenOf({}, "other"))).toMatchObject({ reason: "cannot-check" });
  expect(asked()).toBe(1);
  expect(tokens.trouble()).toMatchObject({ reason: first.detail, sinceMs: START_MS });
  says(onNode("node-1"));
  server.script();
  nowMs += 6_000;
  for (let left = 4; left > 0; left -= 1) {
    expect(await refused()).toMatchObject({ reason: "cannot-check" });
    nowMs += 6_000;
  }
  expect(await tokens.nodeOf(tokenOf())).toBe("node-1");
  expect(tokens.trouble()).toBeUndefined();
});

test("while the API server is away, what it said before holds for a while, and never beyond the token's end; new tokens wait", async () => {
  says(onNode("node-1"));
  const ending = tokenOf({ exp: (START_MS + GRACE_MS / 2) / 1_000 });
  expect(await tokens.nodeOf(tokenOf())).toBe("node-1");
  expect(await tokens.nodeOf(ending)).toBe("node-1");
  server.script({ path: REVIEWS, fault: { do: "reset" }, times: 1_000 });
  nowMs += FRESH_MS + 1;
  expect(await tokens.nodeOf(tokenOf())).toBe("node-1");
  expect(await refused(tokenOf({}, "new"))).toMatchObject({ reason: "cannot-check" });
  nowMs = START_MS + GRACE_MS / 2;
  expect(await refused(ending)).toMatchObject({ reason: "unknown-token" });
  expect(await tokens.nodeOf(tokenOf())).toBe("node-1");
  nowMs = START_MS + GRACE_MS;
  expect(await refused()).toMatchObject({ reason: "cannot-check" });
});

test("a flood of forged tokens costs the API server a bounded number of questions, and agents that are known go on", async () => {
  says(onNode("node-1"));
  await tokens.nodeOf(tokenOf());
  says({ authenticated: false, error: "invalid bearer token" });
  const reasons = new Map<string, number>();
  for (let forged = 0; forged < 500; forged += 1) {
    const { reason } = await refused(tokenOf({}, `forged-${String(forged)}`));
    reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  }
  expect(Object.fromEntries(reasons)).toEqual({ "unknown-token": 100, busy: 400 });
  expect(asked()).toBe(101);
  expect(await tokens.nodeOf(tokenOf())).toBe("node-1");
});
