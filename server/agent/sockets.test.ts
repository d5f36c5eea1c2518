import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { createServer as createHttpServer, type RequestListener } from "node:http";
import { createServer, connect, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { countWaiting } from "./accept-queue";
import { hostFs } from "./host-fs";
import { chooseTargets, lookAtSocket, lookAtSockets, type Look, type Target } from "./sockets";

const fs = hostFs("");
/** Within it an answer comes on a busy machine. */
const TIMEOUT_MS = 1_500;

let dir: string;
let servers: Server[];
let children: ChildProcess[];
const held: Socket[] = [];
beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), "sg-"));
  servers = [];
  children = [];
});
afterEach(async () => {
  for (const child of children) child.kill("SIGKILL");
  for (const socket of held.splice(0)) socket.destroy();
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  await rm(dir, { recursive: true, force: true });
});

const at = (name: string): string => path.join(dir, name);
const target = (name: string, over: Partial<Target> = {}): Target => ({ name, path: at(name), speaks: "http", healthPaths: ["/"], ...over });
const look = (one: Target): Promise<Look> => lookAtSocket(fs, one, TIMEOUT_MS);
const listen = async <T extends Server>(server: T, name: string): Promise<T> => {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(at(name), resolve));
  return server;
};
const http = (name: string, handler: RequestListener) => listen(createHttpServer(handler), name);
const raw = (name: string, handler: (socket: Socket) => void) =>
  listen(
    createServer((socket) => {
      held.push(socket);
      socket.on("error", () => undefined);
      handler(socket);
    }),
    name,
  );
/** Another process that listens, and can be stopped as a hung daemon is. */
async function otherProcess(name: string, backlog = 16): Promise<ChildProcess> {
  const child = spawn(process.execPath, ["-e", `require("node:net").createServer((s) => s.on("error", () => {})).listen({ path: ${JSON.stringify(at(name))}, backlog: ${String(backlog)} }, () => console.log("up"))`], { stdio: ["ignore", "pipe", "ignore"] });
  children.push(child);
  await new Promise((resolve) => child.stdout?.once("data", resolve));
  return child;
}

test("an HTTP daemon answers, whatever the status", async () => {
  await http("ok", (_, response) => response.end());
  await http("ill", (_, response) => response.writeHead(500).end());
  expect(await look(target("ok"))).toMatchObject({ reading: { name: "ok", path: at("ok"), state: "answers", detail: "200 on /", latencySeconds: expect.any(Number) as number } });
  expect(await look(target("ill"))).toMatchObject({ reading: { state: "answers", detail: "500 on /" } });
});

test("the object at the path is told by device and inode, as other tools write them, whatever it is; nothing is told of nothing", async () => {
  await http("ok", (_, response) => response.end());
  await writeFile(at("file"), "");
  const named = (name: string): string => execFileSync("stat", ["--format=%Hd:%Ld/%i", at(name)], { encoding: "utf8" }).trim();
  expect(await look(target("ok"))).toMatchObject({ reading: { state: "answers", kind: "socket", inode: named("ok"), owner: execFileSync("stat", ["--format=%u:%g", at("ok")], { encoding: "utf8" }).trim() } });
  expect(await look(target("file"))).toMatchObject({ reading: { state: "refuses", kind: "file", inode: named("file") } });
  expect(await look(target("none"))).toEqual({ reading: { name: "none", path: at("none"), state: "absent", detail: "nothing at this path" } });
  expect((await fs.stamp("/dev/null"))?.inode).toBe(execFileSync("stat", ["--format=%Hd:%Ld/%i", "/dev/null"], { encoding: "utf8" }).trim());
});

test("a 404 on the first health path asks the second, and is an older version, not a dead daemon", async () => {
  const healthPaths = ["/readyz", "/healthz"];
  const asked: string[] = [];
  await http("old", (request, response) => {
    asked.push(request.url ?? "");
    response.writeHead(request.url === "/healthz" ? 200 : 404).end();
  });
  await http("new", (_, response) => response.writeHead(200).end());
  expect(await look(target("old", { healthPaths }))).toMatchObject({ reading: { state: "answers", detail: "404 on /readyz, 200 on /healthz" } });
  expect(await look(target("new", { healthPaths }))).toMatchObject({ reading: { state: "answers", detail: "200 on /readyz" } });
  expect(asked).toEqual(healthPaths);
});

test("nothing at the path is absent; a file, a folder, a pipe's end or a socket left behind refuse, each in its words", async () => {
  await writeFile(at("file"), "");
  await mkdir(at("folder"));
  (await otherProcess("dead")).kill("SIGKILL");
  expect(await look(target("nothing"))).toMatchObject({ reading: { state: "absent", detail: "nothing at this path" } });
  expect(await look(target("nothing/below"))).toMatchObject({ reading: { state: "absent" } });
  expect(await look(target("file"))).toMatchObject({ reading: { state: "refuses", detail: "a file stands where the socket should be" } });
  expect(await look(target("folder"))).toMatchObject({ reading: { state: "refuses", detail: "a folder stands where the socket should be" } });
  await expect.poll(() => look(target("dead"))).toMatchObject({ reading: { state: "refuses", detail: "ECONNREFUSED" } });
});

test("a socket that accepts and says nothing is silent after the time-out, and its connection is closed", async () => {
  const closed = new Promise((resolve) => void raw("mute", (socket) => socket.resume().once("close", resolve)));
  await expect.poll(() => fs.stat(at("mute"))).toBeDefined();
  expect(await look(target("mute"))).toEqual({ reading: { inode: expect.any(String) as string, kind: "socket", owner: expect.any(String) as string, name: "mute", path: at("mute"), state: "silent", detail: "connected, no answer in 1.5 s" } });
  await closed;
});

test("looking ends at once when told to, however long the time-out", async () => {
  const stop = new AbortController();
  await raw("mute", (socket) => {
    socket.resume();
    stop.abort();
  });
  expect(await lookAtSocket(fs, target("mute"), 3_600_000, stop.signal)).toMatchObject({ reading: { name: "mute" } });
});

test("a socket that drips an endless first line ends at the bound", async () => {
  await raw("drip", (socket) => {
    const timer = setInterval(() => socket.write("y".repeat(100)), 5);
    socket.once("close", () => {
      clearInterval(timer);
    });
  });
  expect(await look(target("drip"))).toMatchObject({ reading: { state: "answers", detail: "answers, but not in HTTP" } });
});

test("hanging up without a word is refusing for an HTTP daemon, and life for one of another protocol", async () => {
  await raw("hangs-up", (socket) => socket.once("data", () => socket.end()));
  expect(await look(target("hangs-up"))).toMatchObject({ reading: { state: "refuses", detail: "accepted, then closed without an answer" } });
  expect(await look(target("hangs-up", { speaks: "any" }))).toMatchObject({ reading: { state: "answers" } });
});

test("a hung process of another protocol is silent, a live one that does not know HTTP answers", async () => {
  const child = await otherProcess("queue");
  expect(await look(target("queue", { speaks: "any" }))).toMatchObject({ reading: { state: "answers", detail: "takes connections; its protocol is not HTTP" } });
  child.kill("SIGSTOP");
  expect(await look(target("queue", { speaks: "any" }))).toMatchObject({ reading: { state: "silent", detail: expect.stringMatching(/^\d+ connections that its process has not taken$/) as string } });
});

test("a hung process whose queue is full is silent, not refusing", async () => {
  const child = await otherProcess("full", 1);
  child.kill("SIGSTOP");
  for (let count = 0; count < 8; count += 1) held.push(connect(at("full")).on("error", () => undefined));
  await expect.poll(() => look(target("full"))).toMatchObject({ reading: { state: "silent", detail: "EAGAIN: its queue of waiting connections is full" } });
});

test("a path longer than the kernel takes could not be looked at, rather than another socket being looked at", async () => {
  const long = "x".repeat(60);
  await mkdir(path.join(dir, long, long), { recursive: true });
  const near = path.join(dir, "s");
  await http("s", (_, response) => response.end());
  await symlink(near, path.join(dir, long, long, "s"));
  expect(await look(target(`${long}/${long}/s`))).toMatchObject({ unseen: { reason: expect.stringMatching(/longer than the 107 bytes/) as string } });
});

test.skipIf(process.getuid?.() === 0)("a folder that may not be entered could not be looked at", async () => {
  await mkdir(at("closed"));
  await chmod(at("closed"), 0);
  expect(await look(target("closed/s"))).toMatchObject({ unseen: { reason: "EACCES" } });
});

test("sixty silent sockets are looked at within two time-outs", async () => {
  const names = Array.from({ length: 60 }, (_, index) => `m${String(index)}`);
  for (const name of names) await raw(name, (socket) => socket.resume());
  const startedMs = performance.now();
  const { items } = await lookAtSockets(fs, names.map((name) => target(name)), TIMEOUT_MS);
  expect(items.map(({ state }) => state)).toEqual(names.map(() => "silent"));
  expect(performance.now() - startedMs).toBeLessThan(60 * TIMEOUT_MS); // one after the other would take that long
});

test("looked at are: those named, those that the config calls, and known ones that are there or were", async () => {
  const root = hostFs(dir);
  const seen = new Set<string>();
  const named = [{ name: "mine", path: "/run/mine.sock", speaks: "http" as const }];
  const names = async (inConfig: readonly string[] = []) => (await chooseTargets(root, named, inConfig, seen)).map(({ name, path: where, speaks }) => `${name} ${where} ${speaks}`);
  expect(await names()).toEqual(["mine /run/mine.sock http"]);
  expect(await names(["/run/daemon-shim/daemon.sock", "/run/multus/multus.sock", "/run/mine.sock"])).toEqual(["mine /run/mine.sock http", "daemon-shim /run/daemon-shim/daemon.sock any", "multus /run/multus/multus.sock http"]);
  await mkdir(path.join(dir, "var"));
  await symlink("/run", path.join(dir, "var/run"));
  await mkdir(path.join(dir, "run/cilium"), { recursive: true });
  await writeFile(path.join(dir, "run/cilium/cilium.sock"), "");
  expect(await names()).toContain("cilium /run/cilium/cilium.sock http");
  await rm(path.join(dir, "run/cilium/cilium.sock"));
  expect(await names(), "one that was there and went is still looked at").toContain("cilium /run/cilium/cilium.sock http");
});

test("the kernel's table of a hung daemon in a container, whose own name for the path differs", () => {
  const table = [
    "Num       RefCount Protocol Flags    Type St Inode Path",
    "0000000000000000: 00000003 00000000 00000000 0001 03 75644 /host/run/multus/multus.sock",
    "0000000000000000: 00000003 00000000 00000000 0001 02     0 /host/run/multus/multus.sock",
    "0000000000000000: 00000003 00000000 00000000 0001 02     0 /host/run/multus/multus.sock",
    "0000000000000000: 00000003 00000000 00000000 0001 02     0 /run/other/multus.sock",
    "0000000000000000: 00000002 00000000 00010000 0001 01 75643 /host/run/multus/multus.sock",
    "",
  ].join("\n");
  expect(countWaiting(table, "/run/multus/multus.sock")).toEqual({ looked: true, waiting: 2 });
  expect(countWaiting(table, "/run/cilium/cilium.sock")).toMatchObject({ looked: false });
});
