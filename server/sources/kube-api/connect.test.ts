import { mkdtemp, rm, writeFile, mkdir, chmod } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ConnectError, loadConnection, type ConnectEnvironment } from "./connect";

let dir: string;
let environment: ConnectEnvironment;
beforeEach(async () => {
  dir = await mkdtemp(path.join(os.tmpdir(), "sandglass-connect-"));
  environment = { home: path.join(dir, "home") };
});
afterEach(() => rm(dir, { recursive: true }));

const config = (name: string, more: Record<string, unknown> = {}) => ({
  apiVersion: "v1",
  kind: "Config",
  "current-context": name,
  contexts: [{ name, context: { cluster: name, user: name } }],
  clusters: [{ name, cluster: { server: `https://${name}.example:6443` } }],
  users: [{ name, user: { token: "t" } }],
  ...more,
});
async function write(file: string, content: unknown): Promise<string> {
  const full = path.join(dir, file);
  await mkdir(path.dirname(full), { recursive: true });
  await writeFile(full, typeof content === "string" ? content : JSON.stringify(content));
  return full;
}
/** The ConnectError that `work` ends in. */
async function failure(work: Promise<unknown>): Promise<ConnectError> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ConnectError)) throw new Error(`no ConnectError: ${String(error)}`);
  expect(error.message).toMatch(/^[^\n]{20,600}[.!]$/);
  return error;
}

describe("which cluster it is", () => {
  it("is the given file's before KUBECONFIG's before the default file's before the pod's own, else none", async () => {
    const given = await write("given", config("given"));
    const variable = await write("variable", config("variable"));
    await write("home/.kube/config", config("default"));
    await write("sa/token", "token");
    await write("sa/ca.crt", "ca");
    const inside = { serviceHost: "10.96.0.1", servicePort: "443" };
    const name = async (options: Partial<Parameters<typeof loadConnection>[0]>, more: Partial<ConnectEnvironment> = {}) =>
      (await loadConnection({ environment: { ...environment, ...more }, serviceAccountDir: path.join(dir, "sa"), ...options }))?.name;
    expect(await name({ kubeconfig: given }, { kubeconfigVariable: variable, ...inside })).toBe("given");
    expect(await name({}, { kubeconfigVariable: variable, ...inside })).toBe("variable");
    expect(await name({}, inside)).toBe("default");
    expect(await name({}, { home: "/nonexistent", ...inside })).toBe("in-cluster");
    expect(await name({}, { home: "/nonexistent" })).toBeUndefined();
    expect(await name({ serviceAccountDir: "/nonexistent" }, { home: "/nonexistent", ...inside })).toBeUndefined();
  });

  it("of a KUBECONFIG with several files is merged as kubectl does: the first word stands, missing files are passed over", async () => {
    const first = await write("a", config("one"));
    const second = await write("b", config("two", { clusters: [{ name: "one", cluster: { server: "https://other.example" } }, { name: "two", cluster: { server: "https://two.example" } }] }));
    const kubeconfigVariable = ["/nonexistent", first, second].join(path.delimiter);
    const load = (context?: string) => loadConnection({ context, environment: { ...environment, kubeconfigVariable } });
    expect((await load())?.server).toBe("https://one.example:6443");
    expect((await load("two"))?.server).toBe("https://two.example");
  });

  it("is none where KUBECONFIG is /dev/null or the default file is empty", async () => {
    await write("home/.kube/config", " \n");
    expect(await loadConnection({ environment })).toBeUndefined();
    expect(await loadConnection({ environment: { ...environment, kubeconfigVariable: "/dev/null" } })).toBeUndefined();
  });

  it("keeps the path of a server behind a gateway, and the address of an IPv6 service", async () => {
    const file = await write("gateway", config("g", { clusters: [{ name: "g", cluster: { server: "https://rancher.example/k8s/clusters/c-1/" } }] }));
    expect((await loadConnection({ kubeconfig: file, environment }))?.server).toBe("https://rancher.example/k8s/clusters/c-1");
    await write("sa/token", "token");
    const inside = await loadConnection({ environment: { home: "/nonexistent", serviceHost: "fd00::1", servicePort: "443" }, serviceAccountDir: path.join(dir, "sa") });
    expect(inside?.server).toBe("https://[fd00::1]");
  });
});

describe("a configuration that cannot be used is said in one sentence", () => {
  const load = async (content: unknown, context?: string) => failure(loadConnection({ kubeconfig: await write("config", content), context, environment }));

  it("a given file that is not there, or KUBECONFIG's", async () => {
    expect(await failure(loadConnection({ kubeconfig: "/nonexistent/config", environment }))).toMatchObject({ code: "kubeconfig-unreadable", message: expect.stringContaining("/nonexistent/config") as unknown });
    expect(await failure(loadConnection({ environment: { ...environment, kubeconfigVariable: "/nonexistent/a" } }))).toMatchObject({ code: "kubeconfig-unreadable" });
  });

  it.skipIf(process.getuid?.() === 0)("a file that may not be read", async () => {
    const file = await write("secret", config("a"));
    await chmod(file, 0);
    expect(await failure(loadConnection({ kubeconfig: file, environment }))).toMatchObject({ code: "kubeconfig-unreadable", message: expect.stringContaining("EACCES") as unknown });
  });

  it("a folder in its place", async () => {
    expect(await failure(loadConnection({ kubeconfig: dir, environment }))).toMatchObject({ code: "kubeconfig-unreadable", message: expect.stringContaining("EISDIR") as unknown });
  });

  it("a default file that may not be read does not silently mean another cluster", async () => {
    await mkdir(path.join(dir, "home/.kube/config"), { recursive: true });
    expect(await failure(loadConnection({ environment }))).toMatchObject({ code: "kubeconfig-unreadable" });
  });

  it("broken YAML, with its line", async () => {
    const error = await load("clusters:\n- name: a\n  cluster: {server: [}\n");
    expect(error.code).toBe("kubeconfig-broken");
    expect(error.message).toMatch(/in line 3/);
  });

  it.each([
    ["text instead of a document", "hello"],
    ["a list", "[1, 2]"],
    ["a cluster without a server", config("a", { clusters: [{ name: "a", cluster: {} }] })],
    ["a server that is a number", config("a", { clusters: [{ name: "a", cluster: { server: 7 } }] })],
    ["a server that is no address", config("a", { clusters: [{ name: "a", cluster: { server: "not an address" } }] })],
    ["a server of another protocol", config("a", { clusters: [{ name: "a", cluster: { server: "ftp://a.example" } }] })],
    ["a password in the address", config("a", { clusters: [{ name: "a", cluster: { server: "https://u:p@a.example" } }] })],
    ["a cluster that is not there", config("a", { clusters: [] })],
    ["a user that is not there", config("a", { users: [] })],
    ["a certificate without its key", config("a", { users: [{ name: "a", user: { "client-certificate-data": "eA==" } }] })],
    ["an exec plugin without a command", config("a", { users: [{ name: "a", user: { exec: { apiVersion: "v1" } } }] })],
    ["a proxy that is no address", config("a", { clusters: [{ name: "a", cluster: { server: "https://a.example", "proxy-url": "proxy:3128" } }] })],
    ["groups that are no list", config("a", { users: [{ name: "a", user: { token: "t", as: "x", "as-groups": "admins" } }] })],
  ])("%s", async (_, content) => {
    expect((await load(content)).code).toMatch(/kubeconfig-broken|context-unknown/);
  });

  it("a server that is a number, by its place", async () => {
    expect((await load(config("a", { clusters: [{ name: "a", cluster: { server: 7 } }] }))).message).toMatch(/clusters\.0\.cluster\.server: .*string/);
  });

  it.each(["two\nlines", "a blank", " ", "é"])("a token that no header can carry (%j), without showing it", async (token) => {
    const error = await load(config("a", { users: [{ name: "a", user: { token } }] }));
    expect(error).toMatchObject({ code: "credential-missing", message: expect.stringContaining("write it anew") as unknown });
    expect(error.message).not.toContain("two");
  });

  it("never shows a password that stands in the server's address", async () => {
    expect((await load(config("a", { clusters: [{ name: "a", cluster: { server: "https://u:hunter2@a.example" } }] }))).message).not.toContain("hunter2");
  });

  it("a context that does not exist, with those that do", async () => {
    const error = await load(config("a", { contexts: [{ name: "a", context: { cluster: "a", user: "a" } }, { name: "b", context: { cluster: "a", user: "a" } }] }), "c");
    expect(error).toMatchObject({ code: "context-unknown" });
    expect(error.message).toContain('no context "c" (there are: a, b)');
    expect(await failure(loadConnection({ context: "c", environment }))).toMatchObject({ code: "context-unknown" });
    expect((await load(config("a", { "current-context": undefined }))).message).toContain("no current-context");
  });

  it("a file of a hundred megabytes is not read into the parser", async () => {
    const error = await failure(loadConnection({ kubeconfig: "big", environment, readFile: () => Promise.resolve(Buffer.alloc(100 * 1024 * 1024)) }));
    expect(error.message).toContain("the limit is 4194304");
  });

  it("plain http to anything but loopback", async () => {
    const to = (server: string) => config("a", { clusters: [{ name: "a", cluster: { server } }] });
    for (const server of ["http://10.0.0.1:8080", "http://api.example", "http://127.0.0.1.evil.example", "http://localhost.evil.example"]) expect(await load(to(server)), server).toMatchObject({ code: "insecure" });
    for (const server of ["http://127.0.0.1:8080", "http://localhost:1", "http://[::1]:1"]) expect(await loadConnection({ kubeconfig: await write("http", to(server)), environment }), server).toBeDefined();
  });

  it("a switched-off certificate check", async () => {
    const error = await load(config("a", { clusters: [{ name: "a", cluster: { server: "https://a.example", "insecure-skip-tls-verify": true } }] }));
    expect(error.code).toBe("insecure");
    expect(error.message).toContain("certificate-authority-data");
  });

  it("an auth-provider that kubectl dropped", async () => {
    const error = await load(config("a", { users: [{ name: "a", user: { "auth-provider": { name: "gcp" } } }] }));
    expect(error).toMatchObject({ code: "auth-unsupported" });
  });
});
