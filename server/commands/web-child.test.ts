import { once } from "node:events";
import { fstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { get, type IncomingMessage } from "node:http";
import os from "node:os";
import path from "node:path";
import { brotliCompressSync, brotliDecompressSync } from "node:zlib";
import { build } from "esbuild";
import pino from "pino";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../clock";
import { freePort } from "../dev/free-port";
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

  test("that ends while it starts is an error, and is not started again behind the back of it", async () => {
    const log = path.join(root, "starts");
    program(`require("node:fs").appendFileSync(${JSON.stringify(log)}, "start\\n"); process.exit(3);`);
    await expect(start(await freePort())).rejects.toThrow("exit code 3");
    await new Promise((resolve) => setTimeout(resolve, 1_500)); // three times the delay of a restart
    expect(readFileSync(log, "utf8")).toBe("start\n");
  });

  test("that ends by itself later is told of and started again", async () => {
    program(`setTimeout(() => process.exit(7), 700); ${SERVES}`);
    const web = await start(await freePort());
    try {
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      expect(ended).toEqual(["ended"]);
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
