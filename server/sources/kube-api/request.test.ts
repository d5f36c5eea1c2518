import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Connection } from "./connect";
import { AnswerError, KubeError } from "./errors";
import { PathError } from "./path";
import { request, requestText } from "./request";
import { NODES, ScriptedApiServer } from "./testing/scripted-api-server";
import { connectTo } from "./testing/watching";

let server: ScriptedApiServer;
let connection: Connection;
beforeAll(async () => {
  server = await ScriptedApiServer.start();
  connection = await connectTo(server);
});
afterEach(() => {
  server.requests.length = 0;
  server.answers.clear();
});
afterAll(async () => {
  await connection.close();
  await server.close();
});
const segments = ["api", "v1", "nodes"];
const failure = async (work: Promise<unknown>): Promise<KubeError> => {
  const error = await work.catch((reason: unknown) => reason);
  if (!(error instanceof KubeError)) throw new Error(`no KubeError: ${String(error)}`);
  return error;
};

describe("a request", () => {
  it.each(["..%2f..%2fapi", "..", "a/../../secrets", "a?x=1", "a#b", "a\0", "a\r\nHost: evil", "x".repeat(300)])("with the name %j leaves no trace at the server", async (name) => {
    await expect(request(connection, { segments: ["api", "v1", "nodes", name] })).rejects.toThrow(PathError);
    expect(server.requests).toHaveLength(0);
  });

  it("sends method, query, body and its type as they were meant", async () => {
    let body = "";
    server.answers.set("PATCH /apis/apps/v1/namespaces/kube-system/daemonsets/kube-multus-ds", (sent) => {
      body = sent.body;
      return { status: 200, body: { ok: true } };
    });
    const answer = await request(connection, {
      method: "PATCH",
      segments: ["apis", "apps", "v1", "namespaces", "kube-system", "daemonsets", "kube-multus-ds"],
      query: { dryRun: "All", fieldManager: "sandglass", force: undefined },
      body: { spec: {} },
      contentType: "application/strategic-merge-patch+json",
    });
    expect(answer).toEqual({ ok: true });
    expect(server.requests[0]).toMatchObject({ method: "PATCH", url: "/apis/apps/v1/namespaces/kube-system/daemonsets/kube-multus-ds?dryRun=All&fieldManager=sandglass", headers: { "content-type": "application/strategic-merge-patch+json" } });
    expect(JSON.parse(body)).toEqual({ spec: {} });
  });

  it("is refused with the server's status, reason, text and wish to wait", async () => {
    server.answers.set(`GET ${NODES}`, () => ({ status: 409, body: { kind: "Status", reason: "Conflict", message: "the object has been \u001b[31mmodified", code: 409 } }));
    expect(await failure(request(connection, { segments }))).toMatchObject({ status: 409, reason: "Conflict", message: "the object has been ␛[31mmodified", retryAfterMs: undefined });
    server.answers.set(`GET ${NODES}`, () => ({ status: 429, body: { reason: "TooManyRequests", message: "slow down", details: { retryAfterSeconds: 3 } } }));
    expect(await failure(request(connection, { segments }))).toMatchObject({ status: 429, retryAfterMs: 3_000 });
    server.answers.set(`GET ${NODES}`, () => ({ status: 503, body: "x".repeat(200_000), headers: { "retry-after": "7" } }));
    expect(await failure(request(connection, { segments }))).toMatchObject({ status: 503, reason: "Http503", retryAfterMs: 7_000 });
  });

  it("reads no more than its bound, told beforehand or not", async () => {
    server.answers.set(`GET ${NODES}`, () => ({ status: 200, body: "x".repeat(100_000), headers: { "content-length": "100002" } }));
    expect(await failure(request(connection, { segments, maxBodyBytes: 1_000 }))).toMatchObject({ status: 0, reason: "too-long", cause: expect.any(AnswerError) as unknown });
    server.script({ fault: { do: "text", body: "x".repeat(100_000), type: "text/plain" } });
    expect(await failure(requestText(connection, { segments, maxBodyBytes: 1_000 }))).toMatchObject({ reason: "too-long" });
    server.answers.clear();
    expect(await request(connection, { segments })).toMatchObject({ items: [] }); // the connection is still good
  });

  it("answered by something that is no API server says so", async () => {
    server.script({ fault: { do: "text", body: "<html>login</html>", type: "text/html" } });
    expect(await failure(request(connection, { segments }))).toMatchObject({ status: 0, reason: "not-kubernetes" });
  });

  it("broken off by its caller ends at once", async () => {
    server.script({ fault: { do: "slow", ms: 5_000 } });
    const ending = new AbortController();
    const work = failure(request(connection, { segments, signal: ending.signal }));
    await expect.poll(() => server.requests.length).toBe(1);
    ending.abort();
    expect(await work).toMatchObject({ status: 0, reason: "aborted" });
  });

  it("whose answer breaks off in the middle is no answer", async () => {
    server.world.put(NODES, { metadata: { name: "n1", uid: "u" } });
    server.script({ fault: { do: "cut" } });
    expect(await failure(request(connection, { segments }))).toMatchObject({ status: 0, reason: "connection-lost" });
  });
});
