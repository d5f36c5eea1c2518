import { mkdtemp, mkdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { Server, ServerCredentials, status, type ServiceDefinition, type handleUnaryCall } from "@grpc/grpc-js";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createLog } from "../log";
import { hostFs } from "./host-fs";
import { podNames } from "./pod-names";
import { runtimeReader, type RuntimeReader } from "./runtime";

/** A gRPC server that gives back the very bytes that a real runtime gave (see fixtures/MANIFEST.md). */
const CALLS = { Version: "version", Status: "status-verbose", ListPodSandbox: "list-pod-sandbox", ListContainers: "list-containers" } as const;
type Call = keyof typeof CALLS;
type Handler = handleUnaryCall<Buffer, Buffer>;

/** Within it a whole answer comes on a busy machine. */
const DEADLINE_MS = 1_500;
const NOW_MS = Date.UTC(2026, 11, 1);
const log = createLog("silent", "test");
const bytes = (buffer: Buffer): Buffer => buffer;

let root: string;
let servers: Server[];
let readers: RuntimeReader[];
beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), "sg-"));
  await mkdir(path.join(root, "run/containerd"), { recursive: true });
  servers = [];
  readers = [];
});
afterEach(async () => {
  for (const reader of readers) reader.close();
  for (const server of servers) server.forceShutdown();
  await rm(root, { recursive: true, force: true });
});

const recorded = (call: Call, from = "containerd-1.6.20"): Promise<Handler> => bytesOf(`${from}-${CALLS[call]}`);
const bytesOf = async (name: string): Promise<Handler> => {
  const answer = await readFile(path.join(import.meta.dirname, `fixtures/cri/${name}.bin`));
  return (_request, answered) => {
    answered(null, answer);
  };
};
async function runtime(over: Partial<Record<Call, Handler>> = {}, where = "run/containerd/containerd.sock"): Promise<Server> {
  const server = new Server();
  const service = Object.fromEntries(Object.keys(CALLS).map((name) => [name, { path: `/runtime.v1.RuntimeService/${name}`, requestStream: false, responseStream: false, requestSerialize: bytes, requestDeserialize: bytes, responseSerialize: bytes, responseDeserialize: bytes }])) as ServiceDefinition;
  server.addService(service, { Version: over.Version ?? (await recorded("Version")), Status: over.Status ?? (await recorded("Status")), ListPodSandbox: over.ListPodSandbox ?? (await recorded("ListPodSandbox")), ListContainers: over.ListContainers ?? (await recorded("ListContainers", "containerd-1.6.20")) });
  await new Promise<void>((resolve, reject) => {
    server.bindAsync(`unix:${path.join(root, where)}`, ServerCredentials.createInsecure(), (error) => {
      if (error === null) resolve();
      else reject(error);
    });
  });
  servers.push(server);
  return server;
}
const reader = (socket = "auto"): RuntimeReader => {
  const one = runtimeReader(hostFs(root), socket, log, DEADLINE_MS);
  readers.push(one);
  return one;
};
const silent: Handler = () => undefined;

test("what containerd 1.6 said: runtime, conditions, sandboxes by state, and where it keeps its network configs", async () => {
  await runtime();
  const look = await reader().look(NOW_MS);
  expect(look.runtime).toEqual({
    looked: true,
    reading: {
      name: "containerd",
      version: "1.6.20~ds1",
      conditions: [
        { type: "RuntimeReady", status: true, reason: "", message: "" },
        { type: "NetworkReady", status: true, reason: "", message: "" },
      ],
    },
  });
  expect(look.hints).toEqual({ name: "containerd", criSocket: "/run/containerd/containerd.sock", confDir: "/etc/cni/net.d", binDirs: ["/opt/cni/bin"] });
  expect(look.socket).toMatchObject({ reading: { name: "cri", path: "/run/containerd/containerd.sock", state: "answers", owner: `${String(process.getuid?.())}:${String(process.getgid?.())}` } });
  expect(look.loaded).toEqual({ toldMs: NOW_MS, networks: [{ name: "daemon", digests: [expect.stringMatching(/^[0-9a-f]{64}$/) as string, expect.any(String) as string] }] });
  if (!look.sandboxes.looked) throw new Error(look.sandboxes.reason);
  expect(look.sandboxes.items.map(({ name, ready, attempt }) => `${name.split("-")[0] ?? ""} ${String(ready)} ${String(attempt)}`).sort()).toEqual(["waits false 0", "waits false 0", "well true 0", "well true 0"]);
});

test("what containerd 2 said", async () => {
  await runtime({ Version: await recorded("Version", "containerd-2.4.2"), Status: await recorded("Status", "containerd-2.4.2") });
  const look = await reader().look(NOW_MS);
  expect(look.runtime).toMatchObject({ looked: true, reading: { name: "containerd", version: "v2.4.2" } });
  expect(look.hints).toMatchObject({ confDir: "/etc/cni/net.d", binDirs: ["/opt/cni/bin"] });
  expect(look.loaded?.networks).toMatchObject([{ name: "test" }]);
});

test("what it has loaded is told again when it is asked for, and kept in between", async () => {
  const verbose: boolean[] = [];
  const whole = await recorded("Status");
  await runtime({ Status: (call, answered) => {
    verbose.push(call.request.at(-1) === 1);
    whole(call, answered);
  } });
  const one = reader();
  await one.look(NOW_MS);
  expect((await one.look(NOW_MS + 1)).loaded?.toldMs).toBe(NOW_MS);
  expect((await one.look(NOW_MS + 2, { whole: true })).loaded?.toldMs).toBe(NOW_MS + 2);
  expect(verbose).toEqual([true, false, true]);
});

test("a sandbox of unknown state, which containerd dates to the year 1, has no age rather than a negative one", async () => {
  await runtime();
  const { sandboxes } = await reader().look(NOW_MS);
  if (!sandboxes.looked) throw new Error(sandboxes.reason);
  for (const { ready, createdMs } of sandboxes.items) {
    if (ready) expect(createdMs).toBeGreaterThan(Date.UTC(2020));
    else expect(createdMs).toBeUndefined();
  }
});

test("one call that does not answer leaves the others their readings", async () => {
  await runtime({ ListPodSandbox: silent });
  const look = await reader().look(NOW_MS);
  expect(look.runtime).toMatchObject({ looked: true });
  expect(look.sandboxes).toEqual({ looked: false, reason: "/run/containerd/containerd.sock: no answer to ListPodSandbox in 1.5 s" });
  expect(look.socket).toMatchObject({ reading: { state: "answers", detail: expect.stringMatching(/no answer to ListPodSandbox/) as string } });
});

test("a runtime that takes connections and answers nothing is a silent socket", async () => {
  await runtime({ Version: silent, Status: silent, ListPodSandbox: silent });
  const look = await reader().look(NOW_MS);
  expect(look).toMatchObject({ runtime: { looked: false, reason: "/run/containerd/containerd.sock: no answer to Version in 1.5 s" }, sandboxes: { looked: false }, socket: { reading: { state: "silent" } } });
});

test("closing does not wait for a runtime that hangs", async () => {
  await runtime({ Version: silent, Status: silent, ListPodSandbox: silent });
  const one = runtimeReader(hostFs(root), "auto", log, 3_600_000);
  const look = one.look(NOW_MS);
  await new Promise((resolve) => setTimeout(resolve, 200));
  one.close();
  expect(await look).toMatchObject({ sandboxes: { looked: false } });
});

test("a runtime without CRI v1 is told from one that is down, with what it needs", async () => {
  const unimplemented: Handler = (_request, answered) => {
    answered({ code: status.UNIMPLEMENTED, details: "unknown service runtime.v1.RuntimeService" });
  };
  await runtime({ Version: unimplemented, Status: unimplemented, ListPodSandbox: unimplemented });
  const look = await reader().look(NOW_MS);
  expect(look.sandboxes).toMatchObject({ reason: expect.stringMatching(/no CRI v1 there .*containerd 1\.6/) as string });
  expect(look.socket).toMatchObject({ reading: { state: "answers" } });
});

test("an answer over the bound is refused, not kept in memory", async () => {
  const huge: Handler = (_request, answered) => {
    answered(null, Buffer.alloc(17 * 1024 * 1024));
  };
  await runtime({ ListPodSandbox: huge });
  expect((await reader().look(NOW_MS)).sandboxes).toMatchObject({ looked: false, reason: expect.stringMatching(/ListPodSandbox failed: .*larger than max/i) as string });
});

test("bytes that are no message at all are a failure in words", async () => {
  const garbage: Handler = (_request, answered) => {
    answered(null, Buffer.from("garbage"));
  };
  await runtime({ ListPodSandbox: garbage });
  expect((await reader().look(NOW_MS)).sandboxes).toMatchObject({ looked: false, reason: expect.stringMatching(/ListPodSandbox failed/) as string });
});

test("after a restart of the runtime the next round sees it again", async () => {
  const first = await runtime();
  const one = reader();
  expect((await one.look(NOW_MS)).sandboxes.looked).toBe(true);
  first.forceShutdown();
  await rm(path.join(root, "run/containerd/containerd.sock"), { force: true });
  expect(await one.look(NOW_MS)).toMatchObject({ sandboxes: { looked: false }, hints: {} });
  await runtime();
  await expect.poll(async () => (await one.look(NOW_MS)).sandboxes.looked, { timeout: 10_000 }).toBe(true);
});

test("of several sockets the one that takes connections is used, the more specific first", async () => {
  await mkdir(path.join(root, "run/k3s/containerd"), { recursive: true });
  await runtime();
  await runtime({}, "run/k3s/containerd/containerd.sock");
  expect((await reader().look(NOW_MS)).hints.criSocket).toBe("/run/k3s/containerd/containerd.sock");
  servers[1]?.forceShutdown();
  await rm(path.join(root, "run/k3s/containerd/containerd.sock"), { force: true });
  expect((await reader().look(NOW_MS)).hints.criSocket).toBe("/run/containerd/containerd.sock");
});

test("no runtime, one that is not where it was said, and doing without it each have their reason", async () => {
  expect((await reader().look(NOW_MS)).sandboxes).toMatchObject({ reason: expect.stringMatching(/no runtime's socket at .*containerd\.sock/) as string });
  expect(await reader("/run/mine.sock").look(NOW_MS)).toMatchObject({ sandboxes: { reason: "/run/mine.sock: nothing at this path" }, socket: { reading: { path: "/run/mine.sock", state: "absent" } } });
  const without = await reader("none").look(NOW_MS);
  expect(without.sandboxes).toMatchObject({ reason: expect.stringMatching(/told to do without/) as string });
  expect(without.socket).toBeUndefined();
});

test("running containers are named with their sandbox and start, out of what containerd said", async () => {
  await runtime({ ListPodSandbox: await bytesOf("containerd-1.6.20-list-pod-sandbox-of-containers") });
  const look = await reader().look(NOW_MS);
  expect(look.containers).toEqual({
    looked: true,
    items: [
      { id: expect.stringMatching(/^6690649e[0-9a-f]{56}$/) as string, sandboxId: expect.stringMatching(/^1929d2f5/) as string, name: "kube-multus", createdMs: 1_796_058_942_912 },
      { id: expect.stringMatching(/^6a1d3847/) as string, sandboxId: expect.stringMatching(/^879c6fc4/) as string, name: "main", createdMs: expect.any(Number) as number },
    ],
  });
  const names = await podNames(hostFs(root), look);
  if (!names.looked) throw new Error(names.reason);
  expect(names.pods.map(({ namespace, name }) => `${namespace}/${name}`).sort()).toEqual(["default/consumer", "kube-system/kube-multus-ds-tmsx6"]);
  expect(names.container(look.containers.looked ? (look.containers.items[0]?.id ?? "") : "")).toMatchObject({ name: "kube-multus", podUid: "48097f39-8089-47d6-8372-35d6644bb7aa" });
});

test("a runtime that does not list its containers loses their names alone", async () => {
  await runtime({ ListContainers: silent });
  const look = await reader().look(NOW_MS);
  expect(look.containers).toMatchObject({ looked: false, reason: expect.stringContaining("no answer to ListContainers") as string });
  expect(look.runtime).toMatchObject({ looked: true });
  expect(look.sandboxes).toMatchObject({ looked: true });
});
