import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer as createHttpServer } from "node:http";
import net, { type AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import type { TLSSocket } from "node:tls";
import { createServer as createHttpsServer } from "node:https";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { issueCertificate, makeAuthority, type KeyPair } from "../../pki";
import type { Connection } from "./connect";
import { connectionError, KubeError } from "./errors";
import { request } from "./request";
import { NODES, ScriptedApiServer, type ScriptedOptions } from "./testing/scripted-api-server";
import { connectTo } from "./testing/watching";

const DAY_MS = 86_400_000;
const validity = { notBeforeMs: Date.now() - DAY_MS, notAfterMs: Date.now() + DAY_MS };
let authority: KeyPair;
let dir: string;
let server: ScriptedApiServer;
const open: Connection[] = [];

beforeAll(async () => {
  authority = await makeAuthority("tests", validity);
});
beforeEach(async () => {
  dir = await mkdtemp(path.join(os.tmpdir(), "sandglass-connection-"));
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((connection) => connection.close()));
  await server?.close();
  await rm(dir, { recursive: true });
});

const serve = async (options: ScriptedOptions = {}) => (server = await ScriptedApiServer.start(options, 0, authority));
async function connect(user?: Record<string, unknown>, cluster?: Record<string, unknown>): Promise<Connection> {
  const connection = await connectTo(server, user, cluster);
  open.push(connection);
  return connection;
}
const nodes = (connection: Connection) => request(connection, { segments: ["api", "v1", "nodes"] });
const failure = async (work: Promise<unknown>): Promise<KubeError> => {
  const error = await work.catch((reason: unknown) => reason);
  if (!(error instanceof KubeError)) throw new Error(`no KubeError: ${String(error)}`);
  return error;
};
const headers = () => server.requests.at(-1)?.headers;

describe("the server's certificate", () => {
  it("of another name is refused, unless tls-server-name says that it is that name", async () => {
    await serve({ names: ["kubernetes.default.svc"] });
    expect(await failure(nodes(await connect()))).toMatchObject({ status: 0, reason: "certificate-wrong-name" });
    await nodes(await connect(undefined, { "tls-server-name": "kubernetes.default.svc" }));
    expect(await failure(nodes(await connect(undefined, { "tls-server-name": "other.example" })))).toMatchObject({ reason: "certificate-wrong-name" });
    expect(server.requests).toHaveLength(1);
  });

  it("that has expired is refused", async () => {
    await serve({ expired: true });
    expect(await failure(nodes(await connect()))).toMatchObject({ reason: "certificate-expired" });
    expect(server.requests).toHaveLength(0);
  });

  it("of another authority is refused, also where the kubeconfig names none", async () => {
    await serve();
    const other = await makeAuthority("other", validity);
    const error = await failure(nodes(await connect(undefined, { "certificate-authority-data": Buffer.from(other.certPem).toString("base64") })));
    expect(error.reason).toBe("certificate-untrusted");
    expect(error.message).toMatch(/not signed by the authority .*: put the cluster's CA into certificate-authority-data\.$/);
    expect(await failure(nodes(await connect(undefined, { "certificate-authority-data": undefined })))).toMatchObject({ reason: "certificate-untrusted" });
    expect(server.requests).toHaveLength(0);
  });

  it("that is no certificate is said to be the kubeconfig's fault", async () => {
    await serve();
    const error = await failure(nodes(await connect({ "client-certificate-data": "eA==", "client-key-data": "eA==" })));
    expect(error).toMatchObject({ reason: "kubeconfig-broken", message: expect.stringMatching(/certificates .* cannot be used/) as unknown });
    const [one, two] = [await issueCertificate(authority, { commonName: "a", names: [], usage: "client" }, validity), await issueCertificate(authority, { commonName: "b", names: [], usage: "client" }, validity)];
    const mixed = { "client-certificate-data": Buffer.from(one.certPem).toString("base64"), "client-key-data": Buffer.from(two.keyPem).toString("base64") };
    expect(await failure(nodes(await connect(mixed)))).toMatchObject({ reason: "kubeconfig-broken" });
  });
});

describe("no way to the server", () => {
  it("is a refused connection, an unknown name, or one that does not speak TLS, each in its own words", async () => {
    await serve();
    const to = (address: string) => connect(undefined, { server: address });
    const free = net.createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => free.on("listening", resolve));
    const { port } = free.address() as AddressInfo;
    await new Promise((resolve) => free.close(resolve));
    expect(await failure(nodes(await to(`https://127.0.0.1:${port}`)))).toMatchObject({ reason: "refused", message: expect.stringContaining("ECONNREFUSED") as unknown });
    // Tests ask no name server; this is the error that one gives.
    expect(connectionError(Object.assign(new Error("getaddrinfo ENOTFOUND api.invalid"), { code: "ENOTFOUND" }), "https://api.invalid:6443")).toMatchObject({ code: "name-unknown" });
    const plain = createHttpServer((_, response) => response.end("hello")).listen(0, "127.0.0.1");
    await new Promise((resolve) => plain.on("listening", resolve));
    const { reason, message } = await failure(nodes(await to(`https://127.0.0.1:${(plain.address() as AddressInfo).port}`)));
    expect(reason).toBe("tls-failed");
    expect(message).toMatch(/^No secure connection to https:\/\/127\.0\.0\.1:\d+ \([a-z ]+\): check that the address speaks TLS and that the client certificate fits\.$/);
    plain.close();
  });

  it("is a server that accepts and never answers, after the time-out", async () => {
    await serve();
    server.script({ fault: { do: "slow", ms: 5_000 } });
    expect(await failure(request(await connect(), { segments: ["api", "v1", "nodes"], timeoutMs: 200 }))).toMatchObject({ status: 0, reason: "timed-out" });
  });
});

describe("connections", () => {
  it("are kept: fifty requests one after the other need two at most", async () => {
    await serve();
    const connection = await connect();
    for (let count = 0; count < 50; count++) await nodes(connection);
    expect(new Set(server.requests.map(({ socket }) => socket)).size).toBeLessThanOrEqual(2);
  });

  it("are all closed with the connection, and nothing is sent after that", async () => {
    await serve();
    const connection = await connect();
    await Promise.all(Array.from({ length: 10 }, () => nodes(connection)));
    await connection.close();
    await expect.poll(() => server.openSockets).toBe(0);
    expect(await failure(nodes(connection))).toMatchObject({ status: 0 });
  });

  it("are made anew with a new client certificate once the old one is refused, and only then", async () => {
    const seen: string[] = [];
    const revoked = new Set<string>();
    const { certPem, keyPem } = await issueCertificate(authority, { commonName: "server", names: ["127.0.0.1"], usage: "server" }, validity);
    await serve(); // for its kubeconfig
    const asking = createHttpsServer({ cert: certPem, key: keyPem, ca: authority.certPem, requestCert: true, rejectUnauthorized: true }, (incoming, response) => {
      const peer = incoming.socket as TLSSocket; // an https server's sockets are
      const name = String(peer.getPeerCertificate().subject.CN);
      seen.push(name);
      response.writeHead(revoked.has(name) ? 401 : 200).end("{}");
    }).listen(0, "127.0.0.1");
    await new Promise((resolve) => asking.on("listening", resolve));
    const files = { cert: path.join(dir, "cert"), key: path.join(dir, "key") };
    const give = async (commonName: string) => {
      const pair = await issueCertificate(authority, { commonName, names: [], usage: "client" }, validity);
      await writeFile(files.cert, pair.certPem);
      await writeFile(files.key, pair.keyPem);
    };
    await give("alice");
    const connection = await connect({ "client-certificate": files.cert, "client-key": files.key }, { server: `https://127.0.0.1:${(asking.address() as AddressInfo).port}` });
    await nodes(connection);
    await nodes(connection);
    await give("bob");
    await nodes(connection); // files are read again after a minute, or when it matters
    revoked.add("alice");
    await nodes(connection);
    await nodes(connection);
    expect(seen).toEqual(["alice", "alice", "alice", "alice", "bob", "bob"]);
    asking.close();
    asking.closeAllConnections();
  });
});

describe("who asks", () => {
  it("is shown by a token, by a name and password, or by impersonation with every group", async () => {
    await serve();
    await nodes(await connect({ token: " secret\n" }));
    expect(headers()).toMatchObject({ authorization: "Bearer secret", "user-agent": "sandglass" });
    await nodes(await connect({ username: "u", password: "p" }));
    expect(headers()).toMatchObject({ authorization: `Basic ${Buffer.from("u:p").toString("base64")}` });
    await nodes(await connect({ token: "t", as: "alice", "as-uid": "42", "as-groups": ["admins", "ops"], "as-user-extra": { scopes: ["view"] } }));
    expect(headers()).toMatchObject({ "impersonate-user": "alice", "impersonate-uid": "42", "impersonate-group": "admins, ops", "impersonate-extra-scopes": "view" });
  });

  it("is a token of a file, which is read again when the server refuses it", async () => {
    await serve();
    const tokenFile = path.join(dir, "token");
    await writeFile(tokenFile, "old\n");
    const connection = await connect({ tokenFile });
    server.answers.set(`GET ${NODES}`, ({ headers: sent }) => (sent.authorization === "Bearer new" ? { status: 200, body: {} } : { status: 401, body: { kind: "Status", message: "Unauthorized", reason: "Unauthorized" } }));
    expect(await failure(nodes(connection))).toMatchObject({ status: 401, reason: "Unauthorized" });
    await writeFile(tokenFile, "new\n");
    await nodes(connection);
    expect(server.requests.map((one) => one.headers.authorization)).toEqual(["Bearer old", "Bearer old", "Bearer old", "Bearer new"]);
  });

  it("stays who it was while a token's file cannot be read for a moment", async () => {
    await serve();
    const tokenFile = path.join(dir, "token");
    await writeFile(tokenFile, "t");
    const connection = await connect({ tokenFile });
    await nodes(connection);
    await rm(tokenFile);
    server.script({ fault: { do: "status", code: 401 } });
    await nodes(connection);
    expect(headers()).toMatchObject({ authorization: "Bearer t" });
  });

  it("is nobody where the token's file was never there, and that is said", async () => {
    await serve();
    expect(await failure(nodes(await connect({ tokenFile: path.join(dir, "none") })))).toMatchObject({ reason: "credential-missing", message: expect.stringContaining("none cannot be read (ENOENT)") as unknown });
  });

  it("is an exec plugin's token, asked for anew after a 401", async () => {
    await serve();
    const script = `n=$(cat ${dir}/n 2>/dev/null || echo 0); n=$((n+1)); echo $n > ${dir}/n; echo "{\\"status\\":{\\"token\\":\\"t$n\\"}}"`;
    server.answers.set(`GET ${NODES}`, ({ headers: sent }) => (sent.authorization === "Bearer t2" ? { status: 200, body: {} } : { status: 401, body: {} }));
    await nodes(await connect({ exec: { command: "/bin/sh", args: ["-c", script] } }));
    expect(headers()).toMatchObject({ authorization: "Bearer t2" });
  });

  it("is not waited for once the caller or the connection has ended: a plugin that hangs is killed", async () => {
    await serve();
    const connection = await connect({ exec: { command: "/bin/sh", args: ["-c", `echo $$ > ${dir}/pid; exec sleep 300`] } });
    const asking = new AbortController();
    const work = failure(request(connection, { segments: ["api", "v1", "nodes"], signal: asking.signal }));
    const pid = async () => Number(await readFile(path.join(dir, "pid"), "utf8").catch(() => "0"));
    await expect.poll(pid).toBeGreaterThan(0);
    asking.abort();
    expect(await work).toMatchObject({ status: 0, reason: "aborted" });
    const running = await pid();
    expect(process.kill(running, 0)).toBe(true);
    await connection.close();
    await expect.poll(() => { try { return process.kill(running, 0); } catch { return false; } }).toBe(false);
  });

  it("is late by a plugin that hangs, and not by the API server, which nobody has asked", async () => {
    await serve();
    const connection = await connect({ exec: { command: "/bin/sh", args: ["-c", "exec sleep 300"] } });
    const error = await failure(request(connection, { segments: ["api", "v1", "nodes"], timeoutMs: 500 }));
    expect(error).toMatchObject({ status: 0, reason: "timed-out", cause: { code: "credential-late" } });
    expect(error.message).toBe('The credential plugin "/bin/sh" that the kubeconfig names has given no credentials in time: run kubectl with the same kubeconfig to see why; a new login is often all it needs.');
    expect(server.requests).toHaveLength(0);
  });

  it("is an OIDC token as it stands while it lasts, and a sentence once it cannot be renewed", async () => {
    await serve();
    const token = (exp: number) => ["{}", JSON.stringify({ exp })].map((part) => Buffer.from(part).toString("base64url")).join(".") + ".sig";
    const user = (exp: number) => ({ "auth-provider": { name: "oidc", config: { "id-token": token(exp) } } });
    await nodes(await connect(user(Math.round(Date.now() / 1000) + 3_600)));
    expect(headers()?.authorization).toMatch(/^Bearer .*\.sig$/);
    expect(await failure(nodes(await connect(user(1))))).toMatchObject({ reason: "oidc-failed", message: expect.stringContaining("sign in again") as unknown });
  });
});

describe("a proxy", () => {
  it("carries the connection where the kubeconfig names one, and TLS stays between us and the server", async () => {
    await serve();
    const tunnels: string[] = [];
    const proxy = createHttpServer().on("connect", (incoming, client: net.Socket) => {
      tunnels.push(incoming.url ?? "");
      const [host, port] = (incoming.url ?? "").split(":");
      const upstream = net.connect(Number(port), host, () => {
        client.write("HTTP/1.1 200 OK\r\n\r\n");
        upstream.pipe(client).pipe(upstream);
      });
      for (const socket of [client, upstream]) socket.on("error", () => undefined);
    });
    proxy.listen(0, "127.0.0.1");
    await new Promise((resolve) => proxy.on("listening", resolve));
    const proxyUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const through = await connect(undefined, { "proxy-url": proxyUrl });
    await nodes(through);
    await nodes(through);
    expect(new Set(tunnels)).toEqual(new Set([`127.0.0.1:${server.port}`]));
    expect(server.requests).toHaveLength(2);
    const other = await makeAuthority("other", validity);
    expect(await failure(nodes(await connect(undefined, { "proxy-url": proxyUrl, "certificate-authority-data": Buffer.from(other.certPem).toString("base64") })))).toMatchObject({ reason: "certificate-untrusted" });
    proxy.close();
    proxy.closeAllConnections();
    await through.close();
  });

  it("that cannot be reached, or will not carry it, is what is at fault, and not the API server; its password is not told", async () => {
    await serve();
    const proxy = createHttpServer().on("connect", (_, client: net.Socket) => client.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n")).listen(0, "127.0.0.1");
    await new Promise((resolve) => proxy.on("listening", resolve));
    const host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const through = async () => nodes(await connect(undefined, { "proxy-url": `http://someone:secret@${host}` }));
    expect(await failure(through())).toMatchObject({ status: 0, reason: "proxy-failed", message: expect.stringContaining("407") as unknown });
    await new Promise((resolve) => { proxy.close(resolve); proxy.closeAllConnections(); });
    expect(await failure(through())).toMatchObject({ status: 0, reason: "proxy-failed", message: `The proxy ${host} for ${server.url} cannot be reached (ECONNREFUSED): check that it runs, and proxy-url in the kubeconfig.` });
  });
});
