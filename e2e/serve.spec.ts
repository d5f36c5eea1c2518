import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { createServer as createTlsServer } from "node:https";
import os from "node:os";
import path from "node:path";
import { issueCertificate, makeAuthority } from "@/server/pki";
import { freePort } from "../server/dev/free-port";
import { isAlive } from "./setup/processes";
import { BUNDLE, startProduct, until } from "./setup/product";
import { expect, test } from "./setup/test";

const NODE = path.resolve(import.meta.dirname, "../node_modules/node/bin/node");
const dir = mkdtempSync(path.join(os.tmpdir(), "sandglass-serve-"));
test.afterAll(() => rmSync(dir, { recursive: true, force: true }));

const run = (args: readonly string[], env: Record<string, string> = {}, command = "serve"): Promise<{ code: number; text: string }> =>
  new Promise((resolve) => {
    execFile(NODE, [BUNDLE, command, ...args], { env: { NODE_ENV: "production", PATH: process.env.PATH ?? "", HOME: dir, ...env }, timeout: 60_000 }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), text: stdout + stderr });
    });
  });
const kubeconfig = (name: string, server: string, user: object = {}, cluster: object = {}): string => {
  const file = path.join(dir, name);
  writeFileSync(file, JSON.stringify({ apiVersion: "v1", kind: "Config", "current-context": "c", contexts: [{ name: "c", context: { cluster: "k", user: "u" } }], clusters: [{ name: "k", cluster: { server, ...cluster } }], users: [{ name: "u", user }] }));
  return file;
};

test.describe("what cannot start says so in one sentence and ends with a code", () => {
  test("options: name, value and limit", async () => {
    for (const [args, says] of [
      [["--port", "70000"], '--port is "70000": a port is a whole number from 1 to 65535'],
      [["--stuck-after-seconds", "5"], '--stuck-after-seconds is "5": it must be a whole number from 10 to 3600'],
      [["--kubelet", "maybe"], '--kubelet is "maybe": it must be one of auto, direct, proxy'],
      [["--kubelet-address", "node-1"], '--kubelet-address is "node-1": it must be NODE=https://HOST:PORT'],
      [["--no-such"], "--no-such"],
      [["--simulate", "--kubeconfig", "x"], "--simulate and --kubeconfig exclude each other"],
    ] as const) {
      const { code, text } = await run(args);
      expect.soft(code, args.join(" ")).toBe(2);
      expect.soft(text).toContain(says);
      expect.soft(text).not.toContain("    at ");
    }
  });

  test("a variable with our prefix that nobody knows", async () => {
    const { code, text } = await run([], { SANDGLASS_PROT: "1" });
    expect(code).toBe(2);
    expect(text).toContain("SANDGLASS_PROT");
  });

  test("a port in use", async () => {
    const holder = createServer().listen(0, "127.0.0.1");
    await once(holder, "listening");
    const { port } = holder.address() as AddressInfo;
    const { code, text } = await run(["--simulate", "--port", String(port), "--data", path.join(dir, "a")]);
    holder.close();
    expect(code).toBe(2);
    expect(text).toContain(`Port ${port} is in use.`);
  });

  test("a kubeconfig that is not there, is not YAML, or names no such context", async () => {
    const broken = path.join(dir, "broken");
    writeFileSync(broken, "{{{");
    for (const [args, says] of [
      [["--kubeconfig", path.join(dir, "nothing")], "does not exist"],
      [["--kubeconfig", broken], broken],
      [["--kubeconfig", kubeconfig("ok", "https://127.0.0.1:1"), "--context", "other"], "other"],
    ] as const) {
      const { code, text } = await run(["--port", String(await freePort()), ...args]);
      expect.soft(code).toBe(1);
      expect.soft(text).toContain(says);
      expect.soft(text.trim().split("\n").at(-1)).toMatch(/^sandglass: /);
      expect.soft(text).not.toContain("    at ");
    }
  });

  test("an API server that is not there", async () => {
    const port = await freePort();
    const { code, text } = await run(["--port", String(await freePort()), "--kubeconfig", kubeconfig("gone", `https://127.0.0.1:${port}`, { token: "t" })]);
    expect(code).toBe(1);
    expect(text).toMatch(/refused|does not answer|no connection/i);
    expect(text).not.toContain("    at ");
  });

  test("a token that has ended", async () => {
    const validity = { notBeforeMs: Date.now() - 60_000, notAfterMs: Date.now() + 600_000 };
    const authority = await makeAuthority("test", validity);
    const pair = await issueCertificate(authority, { commonName: "api", names: ["127.0.0.1"], usage: "server" }, validity);
    const server = createTlsServer({ cert: pair.certPem, key: pair.keyPem }, (_, response) =>
      response.writeHead(401, { "content-type": "application/json" }).end(JSON.stringify({ kind: "Status", status: "Failure", message: "Unauthorized", reason: "Unauthorized", code: 401 })),
    ).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const file = kubeconfig("expired", `https://127.0.0.1:${port}`, { token: "old" }, { "certificate-authority-data": Buffer.from(authority.certPem).toString("base64") });
    const { code, text } = await run(["--port", String(await freePort()), "--kubeconfig", file]);
    server.close();
    expect(code).toBe(1);
    expect(text).toMatch(/sign in again|new kubeconfig/);
    expect(text).not.toContain("old");
  });

  test("a data folder that cannot be made", async () => {
    const file = path.join(dir, "a-file");
    writeFileSync(file, "");
    const { code, text } = await run(["--simulate", "--port", String(await freePort()), "--data", path.join(file, "data")]);
    expect(code).toBe(1);
    expect(text).toContain("cannot be made");
    expect(text).toContain("--data");
  });

  test("a place that another command may not write to", async () => {
    const file = path.join(dir, "another-file");
    writeFileSync(file, "");
    const below = path.join(file, "below");
    for (const [command, args] of [
      ["agent-token", ["node-1", "--data", below]],
      ["simulate", ["--nodes", "1", "--scenario", "healthy", "--kubeconfig", below]],
      ["record", ["--simulate", "--nodes", "1", "--out", below]],
    ] as const) {
      const { code, text } = await run(args, {}, command);
      expect.soft(code, command).toBe(1);
      expect.soft(text.trim().split("\n").at(-1)).toMatch(new RegExp(`^sandglass: .*${below}.* cannot be `));
      expect.soft(text).not.toContain("    at ");
    }
  });
});

test("own metrics are told on the port of --metrics-port, and nowhere else", async () => {
  const metricsPort = await freePort();
  const product = await startProduct({ args: ["--simulate", "--nodes", "3", "--scenario", "healthy", "--metrics-port", String(metricsPort)] });
  try {
    const answer = await until("the first look", 60_000, async () => {
      const one = await fetch(`http://127.0.0.1:${metricsPort}/metrics`);
      return one.status === 503 ? undefined : one;
    });
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, expect.stringContaining("text/plain")]);
    expect(await answer.text()).toMatch(/^sandglass_store_writable 1$/m);
    expect((await fetch(`${product.url}/metrics`)).status).toBe(404);
  } finally {
    await product.stop();
  }
});

test.describe("ending", () => {
  test("SIGTERM while a credential plugin hangs ends both, before there is any page", async () => {
    const told = path.join(dir, "plugin-pid");
    const file = kubeconfig("hanging", "https://127.0.0.1:1", { exec: { apiVersion: "client.authentication.k8s.io/v1", interactiveMode: "Never", command: "/bin/sh", args: ["-c", `echo $$ > ${told}.new; mv ${told}.new ${told}; exec sleep 300`] } });
    const child = spawn(NODE, [BUNDLE, "serve", "--port", String(await freePort()), "--kubeconfig", file, "--data", path.join(dir, "hanging-data")], { stdio: "ignore" });
    const ended = once(child, "exit");
    const plugin = await until("the plugin", 30_000, async () => (existsSync(told) ? Number(readFileSync(told, "utf8")) : undefined));
    child.kill("SIGTERM");
    const late = setTimeout(() => child.kill("SIGKILL"), 10_000);
    expect(await ended).toEqual([0, null]);
    clearTimeout(late);
    await expect.poll(() => isAlive(plugin)).toBe(false);
  });

  test("SIGTERM ends everything with a page open, and leaves no port and no lock", async ({ page }) => {
    const dataDir = path.join(dir, "ending");
    const product = await startProduct({ args: ["--simulate", "--nodes", "3", "--scenario", "healthy"], dataDir });
    await page.goto(product.url);
    await expect(page.getByRole("banner")).toBeVisible();
    const startedMs = Date.now();
    expect(await product.stop()).toBe(0);
    expect(Date.now() - startedMs).toBeLessThan(10_000);
    await expect(fetch(product.url)).rejects.toThrow();
    const again = await startProduct({ args: ["--simulate", "--nodes", "3", "--scenario", "healthy"], dataDir, port: product.port });
    expect(await again.stop()).toBe(0);
  });

  test("kill -9 of the collector takes the pages with it, and the next start finds a whole file", async () => {
    const dataDir = path.join(dir, "killed");
    const args = ["--simulate", "--nodes", "3", "--scenario", "healthy"];
    const product = await startProduct({ args, dataDir });
    product.kill("SIGKILL");
    await until("the port is free", 30_000, async () => {
      // Only a refused connection says so: a page that is slow to answer holds the port.
      const refused = await fetch(product.url, { signal: AbortSignal.timeout(1_000) }).then(() => false, (error: Error) => (error.cause as NodeJS.ErrnoException | undefined)?.code === "ECONNREFUSED");
      return refused ? true : undefined;
    });
    const again = await startProduct({ args, dataDir, port: product.port });
    await until("three nodes", 60_000, async () => ((await again.api<{ nodes: unknown[] }>("/api/v1/fleet")).nodes.length === 3 ? true : undefined));
    await again.stop();
  });
});
