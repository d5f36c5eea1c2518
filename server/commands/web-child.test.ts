import { once } from "node:events";
import { fstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { get, request, type IncomingMessage } from "node:http";
import os from "node:os";
import path from "node:path";
import { brotliCompressSync, brotliDecompressSync } from "node:zlib";
import { build } from "esbuild";
import pino from "pino";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { systemClock } from "../clock";
import { freePort } from "../dev/free-port";
import { SAFE_HEADERS } from "../http/problem";
import { testStatus } from "../http/testing/web";
import { createLog } from "../log";
import { startWebChild } from "./web-child";

/** A child of a few lines stands where the built pages do; everything around it is real. */
let root: string;
let built: string;
let ended: string[] = [];
beforeAll(async () => {
  built = mkdtempSync(path.join(os.tmpdir(), "sandglass-web-preload-"));
  await build({ entryPoints: [path.join(import.meta.dirname, "web-preload.ts")], outfile: path.join(built, "web-preload.mjs"), bundle: true, format: "esm", platform: "node", target: "node24", logLevel: "warning" });
});
afterAll(() => rmSync(built, { recursive: true, force: true }));
beforeEach(() => {
  ended = [];
  root = mkdtempSync(path.join(os.tmpdir(), "sandglass-web-child-"));
  mkdirSync(path.join(root, ".next/standalone"), { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const program = (text: string): void => writeFileSync(path.join(root, ".next/standalone/server.js"), text);

const start = async (port: number, signal = new AbortController().signal, log = createLog("silent", "test")) =>
  startWebChild({ root, preload: path.join(built, "web-preload.mjs"), host: "127.0.0.1", port, encodedConfig: "{}", env: { ...process.env, KUBECONFIG: "/somewhere/kubeconfig", KUBERNETES_SERVICE_HOST: "10.0.0.1" }, clock: systemClock, log, onEnded: () => ended.push("ended"), signal });

/** A log whose records can be looked at. */
function keptLog() {
  const lines: string[] = [];
  return { log: pino({ level: "warn" }, { write: (line: string) => lines.push(line) }), records: () => lines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>) }; // as pino writes it
}

const SERVES = `require("node:http").createServer((_, answer) => answer.end(JSON.stringify(process.env))).listen(Number(process.env.PORT), process.env.HOSTNAME);`;

describe("the web process", () => {
  test("finds the cluster by the same variables as the collector", async () => {
    program(SERVES);
    const port = await freePort();
    const web = await start(port);
    try {
      const seen = (await (await fetch(`http://127.0.0.1:${port}/`)).json()) as Record<string, string>;
      expect(seen).toMatchObject({ KUBECONFIG: "/somewhere/kubeconfig", KUBERNETES_SERVICE_HOST: "10.0.0.1", PORT: String(port), NODE_ENV: "production" });
    } finally {
      await web.stop();
    }
  });

  test("is asked nothing whose path cannot be decoded: such a request is answered as wrong", async () => {
    program(SERVES);
    const port = await freePort();
    const web = await start(port);
    try {
      const status = async (target: string): Promise<number | undefined> => {
        const [answer] = (await once(get({ host: "127.0.0.1", port, path: target }), "response")) as [IncomingMessage]; // what "response" brings
        answer.resume();
        return answer.statusCode;
      };
      for (const target of ["/nodes/%E0%A4%A", "/api/v1/nodes/%", "/%zz?a=1"]) expect([target, await status(target)]).toEqual([target, 400]);
      for (const target of ["/nodes/%41", "/?q=%E0%A4%A"]) expect([target, await status(target)]).toEqual([target, 200]);
    } finally {
      await web.stop();
    }
  });

  test("is asked nothing that is not Next's to answer: such a request gets a problem document with the API's headers", async () => {
    program(SERVES);
    const port = await freePort();
    const web = await start(port);
    try {
      const answerTo = async (method: string, target: string, headers: Readonly<Record<string, string>> = {}) => {
        const [answer] = (await once(request({ host: "127.0.0.1", port, path: target, method, headers }).end(), "response")) as [IncomingMessage]; // what "response" brings
        const parts: Buffer[] = [];
        for await (const part of answer) parts.push(part as Buffer); // no encoding was set
        return { status: answer.statusCode, headers: answer.headers, text: Buffer.concat(parts).toString() };
      };
      for (const [method, target, headers, status, code] of [
        ["GET", "/api/v1/nosuch", {}, 404, "not-found"],
        ["PUT", "/api/v1/fleet", {}, 405, "method-not-allowed"],
        ["TRACE", "/", {}, 405, "method-not-allowed"],
        ["POST", "/", { "next-action": "x" }, 405, "method-not-allowed"],
        ["POST", "/api/v1/explain", { "next-action": "x" }, 400, "invalid"],
        ["GET", "/healthzfoo", { host: "evil.example" }, 421, "bad-host"],
        ["GET", "/%zz", {}, 400, "invalid"],
      ] as const) {
        const answer = await answerTo(method, target, headers);
        expect.soft([method, target, answer.status, JSON.parse(answer.text)]).toMatchObject([method, target, status, { code, status, requestId: expect.any(String) as string }]);
        expect.soft(answer.headers).toMatchObject({ "content-type": "application/problem+json", ...SAFE_HEADERS });
        expect.soft(answer.headers.allow).toBe(status === 405 ? "GET, HEAD" : undefined);
      }
      expect((await answerTo("HEAD", "/api/v1/nosuch")).text).toBe("");
      expect(await answerTo("GET", "/api/v1/fleet")).toMatchObject({ status: 200 });
    } finally {
      await web.stop();
    }
  });

  test("writes one record of requests by another host's name, however many come", async () => {
    program(SERVES);
    const port = await freePort();
    const { log, records } = keptLog();
    const web = await start(port, undefined, log);
    try {
      for (let count = 0; count < 20; count += 1) {
        const [answer] = (await once(get({ host: "127.0.0.1", port, path: "/healthzfoo", headers: { host: "evil.example" } }), "response")) as [IncomingMessage]; // what "response" brings
        answer.resume();
        expect(answer.statusCode).toBe(421);
      }
    } finally {
      await web.stop();
    }
    expect(records().map(({ msg, host, url }) => ({ msg, host, url }))).toEqual([{ msg: "a request by another host's name was refused", host: "evil.example", url: "/healthzfoo" }]);
  });

  test("opens no other protocol", async () => {
    program(`const server = require("node:http").createServer((_, answer) => answer.end()); server.on("upgrade", (_, socket) => socket.end("HTTP/1.1 101 Switching Protocols\\r\\n\\r\\n")); server.listen(Number(process.env.PORT), process.env.HOSTNAME);`);
    const port = await freePort();
    const web = await start(port);
    try {
      const [answer] = (await once(get({ host: "127.0.0.1", port, path: "/", headers: { connection: "Upgrade", upgrade: "websocket" } }), "response")) as [IncomingMessage]; // what "response" brings
      answer.resume();
      expect(answer.statusCode).toBe(400);
    } finally {
      await web.stop();
    }
  });

  test("has what it prints told in records, and writes its own where the collector writes", async () => {
    program(`process.stderr.write("Error: a\\n    at b\\n"); require("node:http").createServer((_, answer) => answer.end(JSON.stringify([4, 2].map((fd) => require("node:fs").fstatSync(fd).ino)))).listen(Number(process.env.PORT), process.env.HOSTNAME);`);
    const port = await freePort();
    const { log, records } = keptLog();
    const web = await start(port, undefined, log);
    try {
      const [own, printed] = (await (await fetch(`http://127.0.0.1:${port}/`)).json()) as number[];
      expect(own).toBe(fstatSync(2).ino);
      expect(printed).not.toBe(own);
      await expect.poll(() => records().map(({ msg, text }) => ({ msg, text }))).toEqual([{ msg: "web process printed", text: "Error: a\n    at b" }]);
    } finally {
      await web.stop();
    }
  });

  test("that ends while it starts has said why in a record before the error is told", async () => {
    program(`process.stderr.write("Error: why\\n", () => process.exit(3));`);
    const { log, records } = keptLog();
    await expect(start(await freePort(), undefined, log)).rejects.toThrow("exit code 3");
    expect(records()[0]).toMatchObject({ msg: "web process printed", text: "Error: why" });
  });

  test("that was ended by the signal to its whole group is no error, and is not started again", async () => {
    program(`require("node:fs").appendFileSync(${JSON.stringify(path.join(root, "starts"))}, "start\\n"); process.on("message", () => {}); require("node:http").createServer((_, answer) => answer.end(String(process.pid))).listen(Number(process.env.PORT), process.env.HOSTNAME);`);
    const port = await freePort();
    const { log, records } = keptLog();
    const stopping = new AbortController();
    const web = await start(port, stopping.signal, log);
    const pid = Number(await (await fetch(`http://127.0.0.1:${port}/`)).text());
    process.kill(pid, "SIGKILL");
    const until = performance.now() + 300;
    while (performance.now() < until); // it is gone, and this process has not heard of it yet
    for (let count = 0; count < 4; count += 1) web.notify();
    stopping.abort();
    await new Promise((resolve) => setTimeout(resolve, 1_000)); // twice the delay of a restart
    await web.stop();
    expect(records()).toEqual([]);
    expect(readFileSync(path.join(root, "starts"), "utf8")).toBe("start\n");
  });

  test("sends what the build packed as it was packed, and has Next's server answer the rest", async () => {
    const folder = path.join(root, ".next/standalone/packed/_next/static");
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, "a.js.br"), brotliCompressSync("packed"));
    program(`require("node:http").createServer((_, answer) => answer.end("Next")).listen(Number(process.env.PORT), process.env.HOSTNAME);`);
    const port = await freePort();
    const web = await start(port);
    try {
      const text = async (target: string, coding: string): Promise<string> => {
        const [answer] = (await once(get({ host: "127.0.0.1", port, path: target, headers: { "accept-encoding": coding } }), "response")) as [IncomingMessage]; // what "response" brings
        const parts: Buffer[] = [];
        for await (const part of answer) parts.push(part as Buffer); // no encoding was set
        return String(answer.headers["content-encoding"] === "br" ? brotliDecompressSync(Buffer.concat(parts)) : Buffer.concat(parts));
      };
      expect(await text("/_next/static/a.js", "br")).toBe("packed");
      expect(await text("/_next/static/a.js", "gzip")).toBe("Next");
      expect(await text("/_next/static/b.js", "br")).toBe("Next");
    } finally {
      await web.stop();
    }
  });

  test("is told what the store does not take, before anybody has opened a page, and that it is over", async () => {
    program(`require("node:http").createServer((_, answer) => answer.end(JSON.stringify(globalThis[Symbol.for("sandglass.unwritten-status")] ?? null))).listen(Number(process.env.PORT), process.env.HOSTNAME);`);
    const port = await freePort();
    const web = await start(port);
    const known = async (): Promise<unknown> => (await fetch(`http://127.0.0.1:${port}/`)).json();
    try {
      const status = testStatus(1_000);
      web.tellUnwritten({ ...status, store: { writable: false, reason: "full", pendingBatches: 1, droppedSamples: 0 } });
      await vi.waitFor(async () => expect(await known()).toMatchObject({ atMs: 1_000, store: { writable: false, reason: "full" } }), 20_000);
      web.tellUnwritten(undefined);
      await vi.waitFor(async () => expect(await known()).toBeNull(), 20_000);
    } finally {
      await web.stop();
    }
  });

  test("that ends while it starts is an error, and is not started again behind the back of it", async () => {
    const log = path.join(root, "starts");
    program(`require("node:fs").appendFileSync(${JSON.stringify(log)}, "start\\n"); process.exit(3);`);
    await expect(start(await freePort())).rejects.toThrow("exit code 3");
    await new Promise((resolve) => setTimeout(resolve, 1_500)); // three times the delay of a restart
    expect(readFileSync(log, "utf8")).toBe("start\n");
  });

  test("that ends by itself later is told of and started again", async () => {
    program(`require("node:http").createServer((_, answer) => answer.end(String(process.pid))).listen(Number(process.env.PORT), process.env.HOSTNAME);`);
    const port = await freePort();
    const web = await start(port);
    const serving = async (): Promise<number> => Number(await (await fetch(`http://127.0.0.1:${port}/`)).text());
    try {
      const first = await serving();
      process.kill(first, "SIGKILL");
      await expect.poll(() => ended).toEqual(["ended"]);
      await expect.poll(() => serving().catch(() => first)).not.toBe(first);
    } finally {
      await web.stop();
    }
    expect(ended).toEqual(["ended"]);
  });

  test("that does not come up is ended when the product is told to stop", async () => {
    program("setInterval(() => {}, 1000);");
    const stopping = new AbortController();
    const starting = start(await freePort(), stopping.signal);
    setTimeout(() => stopping.abort(), 300);
    await expect(starting).rejects.toThrow("Told to stop");
  }, 15_000);
});
