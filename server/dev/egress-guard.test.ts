import { execFile } from "node:child_process";
import { mkdtempSync, existsSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";

const run = promisify(execFile);
const folder = mkdtempSync(path.join(os.tmpdir(), "sandglass-guard-"));
const report = path.join(folder, "egress.jsonl");
const guard = pathToFileURL(path.join(import.meta.dirname, "egress-guard.mjs")).href;
const server = createServer((_, response) => response.end("here"));
let port = 0;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as AddressInfo).port; // a TCP server has a port
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

/** What a program under the guard printed, and what the guard wrote down. */
async function guarded(program: string): Promise<{ printed: string; seen: string[] }> {
  rmSync(report, { force: true });
  const { stdout } = await run(process.execPath, ["--input-type=module", "-e", program], {
    env: { ...process.env, PORT: String(port), FOLDER: folder, NODE_OPTIONS: `--import=${guard}`, SANDGLASS_TEST_EGRESS: report },
  });
  const lines = existsSync(report) ? readFileSync(report, "utf8").trim().split("\n") : [];
  return { printed: stdout.trim(), seen: lines.map((line) => (JSON.parse(line) as { host: string }).host) };
}

test("loopback by address and by name, and Unix sockets, are let through", async () => {
  const { printed, seen } = await guarded(`
    import net from "node:net";
    const { PORT, FOLDER } = process.env;
    for (const host of ["127.0.0.1", "localhost"]) console.log(await (await fetch("http://" + host + ":" + PORT)).text());
    const path = FOLDER + "/s.sock";
    const server = net.createServer((s) => s.end("by path")).listen(path, () =>
      net.connect(path).on("data", (d) => console.log(String(d))).on("close", () => server.close()));`);
  expect(printed).toBe("here\nhere\nby path");
  expect(seen).toEqual([]);
});

test.each([
  ["fetch", `await fetch("http://192.0.2.7:8443/").catch((e) => console.log(e.cause.code))`, "192.0.2.7"],
  ["a TCP connection", `import net from "node:net"; net.connect(9, "2001:db8::7").on("error", (e) => console.log(e.code))`, "2001:db8::7"],
  ["TLS", `import tls from "node:tls"; tls.connect({ port: 9, host: "192.0.2.8" }).on("error", (e) => console.log(e.code))`, "192.0.2.8"],
  ["a datagram", `import dgram from "node:dgram"; dgram.createSocket("udp4").on("error", (e) => { console.log(e.code); process.exit(); }).send("x", 9, "192.0.2.9")`, "192.0.2.9"],
  ["a look-up", `import dns from "node:dns"; dns.lookup("guarded.example", (e) => console.log(e.code))`, "guarded.example"],
  ["a look-up by promise", `import { resolve4 } from "node:dns/promises"; await resolve4("guarded.example").catch((e) => console.log(e.code))`, "guarded.example"],
])("%s beyond this machine fails and is written down", async (_, program, host) => {
  const { printed, seen } = await guarded(program);
  expect(printed).toBe("EGRESS_GUARD");
  expect(seen).toEqual([host]);
});
