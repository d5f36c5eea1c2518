import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Connection } from "./connect";
import { ConnectError, KubeError } from "./errors";
import { can, fallbackUid, identify } from "./identify";
import { ScriptedApiServer } from "./testing/scripted-api-server";
import { connectTo } from "./testing/watching";

let server: ScriptedApiServer;
let connection: Connection;
const answer = (what: string, status: number, body: unknown) => server.answers.set(what, () => ({ status, body }));
const refusal = (code: number, reason: string) => ({ kind: "Status", status: "Failure", reason, message: `${reason} it is`, code });
beforeEach(async () => {
  server = await ScriptedApiServer.start();
  connection = await connectTo(server);
  answer("GET /version", 200, { gitVersion: "v1.37.2" });
  answer("GET /api/v1/namespaces/kube-system", 200, { metadata: { uid: "uid-of-kube-system" } });
  answer("POST /apis/authentication.k8s.io/v1/selfsubjectreviews", 201, { status: { userInfo: { username: "alice" } } });
});
afterEach(async () => {
  await connection.close();
  await server.close();
});
const failure = async (): Promise<ConnectError> => {
  const error = await identify(connection).catch((reason: unknown) => reason);
  if (!(error instanceof ConnectError)) throw new Error(`no ConnectError: ${String(error)}`);
  return error;
};

describe("which cluster it is", () => {
  it("is the uid of kube-system, its version, and who the server says we are", async () => {
    expect(await identify(connection)).toEqual({ uid: "uid-of-kube-system", name: "scripted", server: server.url, version: "v1.37.2", user: "alice", simulated: false });
  });

  it("is a simulated one where its uid says so, and nothing else that it tells does", async () => {
    answer("GET /api/v1/namespaces/kube-system", 200, { metadata: { uid: "simulated:demo:1" } });
    expect(await identify(connection)).toMatchObject({ uid: "simulated:demo:1", simulated: true });
    answer("GET /api/v1/namespaces/kube-system", 200, { metadata: { uid: "not-simulated:demo:1", annotations: { "sandglass.dev/simulated": "true" } } });
    expect(await identify(connection)).toMatchObject({ simulated: false });
  });

  it("is its authority and address where kube-system may not be read, the same each time", async () => {
    answer("GET /api/v1/namespaces/kube-system", 403, refusal(403, "Forbidden"));
    const { uid } = await identify(connection);
    expect(uid).toBe(fallbackUid(server.url, server.caPem));
    expect(uid).toMatch(/^server-[0-9a-f]{32}$/);
    expect(fallbackUid(server.url, "another CA")).not.toBe(uid);
    expect(fallbackUid("https://other", server.caPem)).not.toBe(uid);
  });

  it("asks for our name in the older forms of the review, and falls back to the kubeconfig's", async () => {
    server.answers.delete("POST /apis/authentication.k8s.io/v1/selfsubjectreviews");
    expect((await identify(connection)).user).toBe("u (as the kubeconfig calls it)");
    answer("POST /apis/authentication.k8s.io/v1beta1/selfsubjectreviews", 201, { status: { userInfo: { username: "bob" } } });
    expect((await identify(connection)).user).toBe("bob");
    answer("POST /apis/authentication.k8s.io/v1/selfsubjectreviews", 403, refusal(403, "Forbidden"));
    expect((await identify(connection)).user).toBe("u (as the kubeconfig calls it)");
  });

  it("goes without a version that it may not read", async () => {
    answer("GET /version", 403, refusal(403, "Forbidden"));
    expect(await identify(connection)).not.toHaveProperty("version");
  });
});

describe("a credential plugin", () => {
  it("may take longer than an answer of the API server", async () => {
    const patient = await connectTo(server, { exec: { command: "/bin/sh", args: ["-c", `sleep 3.2; echo '{"status":{"token":"t"}}'`] } });
    try {
      expect(await identify(patient, 3_000)).toMatchObject({ uid: "uid-of-kube-system", user: "alice" });
    } finally {
      await patient.close();
    }
  });
});

describe("what ends the start", () => {
  it("is a credential that is not accepted", async () => {
    answer("GET /version", 401, refusal(401, "Unauthorized"));
    expect(await failure()).toMatchObject({ code: "unauthorized", message: expect.stringMatching(/does not accept the credentials of u .*sign in again/) as unknown });
    answer("GET /version", 200, { gitVersion: "v1.37.2" });
    answer("GET /api/v1/namespaces/kube-system", 401, refusal(401, "Unauthorized"));
    expect((await failure()).code).toBe("unauthorized");
  });

  it("is a server that is no Kubernetes API server: JSON of something else, HTML, nothing there", async () => {
    answer("GET /version", 200, { version: "nginx" });
    expect((await failure()).code).toBe("not-kubernetes");
    answer("GET /version", 404, "not found");
    expect((await failure()).code).toBe("not-kubernetes");
    server.script({ fault: { do: "text", body: "<html></html>", type: "text/html" } });
    expect((await failure()).code).toBe("not-kubernetes");
  });

  it("is a server that is not well", async () => {
    answer("GET /version", 500, refusal(500, "InternalError"));
    expect((await failure()).message).toContain("answered 500");
  });

  it("is a server that is not there", async () => {
    await server.close();
    expect((await failure()).code).toBe("refused");
  });
});

describe("what this user may do", () => {
  const path = "POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
  const question = { verb: "patch", group: "apps", resource: "daemonsets", namespace: "kube-system", name: "kube-multus-ds" };

  it("is asked with every part of the question", async () => {
    let asked: unknown;
    server.answers.set(path, ({ body }) => {
      asked = JSON.parse(body);
      return { status: 201, body: { status: { allowed: true, reason: "RBAC: allowed" } } };
    });
    expect(await can(connection, { ...question, subresource: "status" })).toEqual({ allowed: true, reason: "RBAC: allowed" });
    expect(asked).toMatchObject({ kind: "SelfSubjectAccessReview", spec: { resourceAttributes: { ...question, subresource: "status" } } });
  });

  it("is refused with the server's reason, or with what is missing where it gives none", async () => {
    answer(path, 201, { status: { allowed: false } });
    expect(await can(connection, question)).toEqual({ allowed: false, reason: "no rule allows patch daemonsets.apps in kube-system" });
    answer(path, 201, { status: { allowed: false, reason: "webhook says no", evaluationError: "role not found" } });
    expect(await can(connection, question)).toEqual({ allowed: false, reason: "webhook says no; role not found" });
  });

  it("is never taken for granted: an answer that is none is an error", async () => {
    answer(path, 201, { status: {} });
    await expect(can(connection, question)).rejects.toThrow(KubeError);
    answer(path, 403, refusal(403, "Forbidden"));
    await expect(can(connection, question)).rejects.toMatchObject({ status: 403 });
  });
});
