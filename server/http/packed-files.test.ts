import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, request, type IncomingHttpHeaders, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { packStatic } from "../dev/pack-static.mjs";
import { answerPacked, readPackedFiles } from "./packed-files";

const SCRIPT = `console.log(${JSON.stringify("sandglass ".repeat(400))});\n`;
const STYLE = `.a { color: red; }\n`.repeat(200);
const TINY = "1";
const URL_OF_SCRIPT = "/_next/static/chunks/a.js";
const CACHE_CONTROL = "public, max-age=31536000, immutable";

let folder: string;
let server: Server;
let port: number;

/** Built as the build does it; what is not answered is answered with 299 and the headers that Next would see. */
beforeAll(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), "sandglass-packed-"));
  const plain = path.join(folder, "static");
  mkdirSync(path.join(plain, "chunks"), { recursive: true });
  for (const [name, text] of [["chunks/a.js", SCRIPT], ["chunks/a.css", STYLE], ["chunks/tiny.js", TINY], ["chunks/font.woff2", SCRIPT]] as const) writeFileSync(path.join(plain, name), text);
  writeFileSync(path.join(folder, "secret.js.br"), "not to be seen");
  await packStatic(plain, path.join(folder, "packed/_next/static"));
  const files = readPackedFiles(path.join(folder, "packed"));
  server = createServer((asked, answer) => {
    if (!answerPacked(files, asked, answer)) answer.writeHead(299).end(JSON.stringify(asked.headers));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  port = (server.address() as AddressInfo).port; // a TCP server that listens has one
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

async function ask(target: string, headers: Readonly<Record<string, string>> = {}, method = "GET"): Promise<Answer> {
  const sent = request({ host: "127.0.0.1", port, path: target, method, headers });
  sent.end();
  const [answer] = (await once(sent, "response")) as [IncomingMessage]; // what "response" brings
  const parts: Buffer[] = [];
  for await (const part of answer) parts.push(part as Buffer); // no encoding was set
  return { status: answer.statusCode, headers: answer.headers, body: Buffer.concat(parts) };
}

const left = 299;

describe("a packed file", () => {
  test("comes as brotli where the client takes it, with Next's own words on caching", async () => {
    const { status, headers, body } = await ask(URL_OF_SCRIPT, { "accept-encoding": "gzip, deflate, br, zstd" });
    expect(status).toBe(200);
    expect(headers).toMatchObject({ "content-encoding": "br", "content-type": "application/javascript; charset=UTF-8", "cache-control": CACHE_CONTROL, vary: "Accept-Encoding", "content-length": String(body.length) });
    expect(brotliDecompressSync(body).toString()).toBe(SCRIPT);
  });

  test("comes as gzip where the client takes no brotli", async () => {
    const { headers, body } = await ask(URL_OF_SCRIPT, { "accept-encoding": "gzip, deflate" });
    expect(headers["content-encoding"]).toBe("gzip");
    expect(gunzipSync(body).toString()).toBe(SCRIPT);
  });

  test("that is a style says so", async () => {
    const { headers, body } = await ask("/_next/static/chunks/a.css", { "accept-encoding": "br" });
    expect(headers["content-type"]).toBe("text/css; charset=UTF-8");
    expect(brotliDecompressSync(body).toString()).toBe(STYLE);
  });

  test.each([
    ["br;q=0.1, gzip;q=0.9", "gzip"],
    ["GZIP;Q=1, BR;Q=1", "br"],
    ["br;q=0, gzip", "gzip"],
    ["br;q=high, gzip;q=0.5", "gzip"],
  ])("comes in the form that %j likes best", async (accept, coding) => {
    expect((await ask(URL_OF_SCRIPT, { "accept-encoding": accept })).headers["content-encoding"]).toBe(coding);
  });

  test.each(["", "deflate", "*", "br;q=0", "br;q=0, gzip;q=0", "identity, br;q=0.5", "brotli, x-gzip", ",;,=;q"])("is left to Next where %j takes no form of it, or rather the plain file", async (accept) => {
    expect((await ask(URL_OF_SCRIPT, { "accept-encoding": accept })).status).toBe(left);
  });

  test("is asked for with a query as well", async () => {
    expect((await ask(`${URL_OF_SCRIPT}?dpl=1`, { "accept-encoding": "br" })).headers["content-encoding"]).toBe("br");
  });

  test("is described by HEAD as GET would, without a body", async () => {
    const got = await ask(URL_OF_SCRIPT, { "accept-encoding": "br" });
    const head = await ask(URL_OF_SCRIPT, { "accept-encoding": "br" }, "HEAD");
    const { date: _got, ...headers } = got.headers;
    expect(head.status).toBe(200);
    expect(head.headers).toMatchObject(headers);
    expect(head.body).toHaveLength(0);
  });

  test("has another ETag in each form, and one that is known is not sent again", async () => {
    const [br, gzip] = [await ask(URL_OF_SCRIPT, { "accept-encoding": "br" }), await ask(URL_OF_SCRIPT, { "accept-encoding": "gzip" })];
    const [known = "", other = ""] = [br.headers.etag, gzip.headers.etag];
    expect(known).toMatch(/^"[\w-]{43}"$/);
    expect(other).not.toBe(known);
    for (const list of [known, `W/${known}`, `"x", ${known}`, "*"]) {
      const { status, headers, body } = await ask(URL_OF_SCRIPT, { "accept-encoding": "br", "if-none-match": list });
      expect([list, status, body.length]).toEqual([list, 304, 0]);
      expect(headers).toMatchObject({ etag: known, vary: "Accept-Encoding", "cache-control": CACHE_CONTROL });
    }
    for (const list of [other, '"x"', ""]) expect([list, (await ask(URL_OF_SCRIPT, { "accept-encoding": "br", "if-none-match": list })).status]).toEqual([list, 200]);
  });

  test("in part is left to Next, which then must not compress the part", async () => {
    const { status, body } = await ask(URL_OF_SCRIPT, { "accept-encoding": "br, gzip", range: "bytes=0-99" });
    expect(status).toBe(left);
    const seen = JSON.parse(body.toString()) as IncomingHttpHeaders;
    expect(seen.range).toBe("bytes=0-99");
    expect(seen["accept-encoding"]).toBeUndefined();
  });
});

describe("whatever else is asked for is left to Next", () => {
  test.each([
    "/_next/static/chunks/missing.js",
    "/_next/static/chunks/tiny.js", // packed it would be larger
    "/_next/static/chunks/font.woff2", // is packed as it is
    "/_next/static/chunks/a.js.br",
    "/_next/static/chunks/",
    "/_next/static/chunks/../../../../secret.js",
    "/_next/static/chunks/%2e%2e/%2e%2e/%2e%2e/%2e%2e/secret.js",
    "/_next/static/chunks/..%2f..%2f..%2f..%2fsecret.js",
    "/secret.js",
    "//_next/static/chunks/a.js",
    "/_next/static/chunks/a.js%00",
    "/__proto__",
    "/",
    "*",
  ])("%s", async (target) => {
    const { status, body } = await ask(target, { "accept-encoding": "br, gzip" });
    expect(status).toBe(left);
    expect(body.toString()).not.toContain("not to be seen");
  });

  test.each(["POST", "PUT", "DELETE", "OPTIONS"])("%s", async (method) => {
    expect((await ask(URL_OF_SCRIPT, { "accept-encoding": "br" }, method)).status).toBe(left);
  });

  test("all of it, where nothing was packed", () => {
    expect(readPackedFiles(path.join(folder, "nowhere")).size).toBe(0);
  });
});
