import { spawn, type ChildProcess } from "node:child_process";
import { copyFile, mkdir, mkdtemp, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { MAX_PLUGIN_PROCESSES, type LaterParts, type PluginProcess } from "../../domain/agent-readings";
import { hostFs } from "../host-fs";
import { makeProcess, makeRecordedNode } from "../testing/recorded-node";
import { cniEnvironment } from "./cni-environment";
import { pluginProcessReader, type PluginProcessReader } from "./plugin-processes";
import { parseStat } from "./process-stat";
import { procScanner, type ProcScanner } from "./scan";
import { lookAtSocketUse } from "./socket-use";

const SLEEP = "/bin/sleep";
let root: string;
let bin: string;
let children: ChildProcess[];
beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), "sandglass-proc-"));
  bin = path.join(root, "opt/cni/bin");
  await mkdir(bin, { recursive: true });
  children = [];
});
afterEach(async () => {
  for (const child of children) child.kill("SIGKILL");
  await rm(root, { recursive: true, force: true });
});

const items = (part: NonNullable<LaterParts["processes"]>): readonly PluginProcess[] => {
  if (!part.looked) throw new Error(part.reason);
  return part.items;
};

describe("real processes", () => {
  let scanner: ProcScanner;
  let reader: PluginProcessReader;
  beforeEach(async () => {
    scanner = procScanner("/proc");
    reader = pluginProcessReader(hostFs(""), "/proc");
    await start(path.join(root, "containerd"));
  });
  const look = async (wanted: readonly string[] = [], dirs = [bin]) => items(await reader.look(await scanner.scan(), dirs, new Set(wanted), Date.now()));
  async function start(program: string, env: Readonly<Record<string, string>> = {}): Promise<ChildProcess> {
    await copyFile(SLEEP, program);
    const child = spawn(program, ["60"], { env: env as NodeJS.ProcessEnv, stdio: "ignore" }); // nothing of this process's own
    children.push(child);
    await new Promise((resolve) => child.once("spawn", resolve));
    return child;
  }
  const shimEnvironment = { CNI_COMMAND: "ADD", CNI_CONTAINERID: "1f".repeat(32), CNI_ARGS: "IgnoreUnknown=1;K8S_POD_NAMESPACE=default;K8S_POD_NAME=web-0;K8S_POD_INFRA_CONTAINER_ID=x;K8S_POD_UID=79ecc7ca-6d55-43dc-a0b0-8b07557ef071", HTTPS_PROXY: "http://user:s3cr3t@proxy" };

  test("one that executes a program of a bin dir is told with its start, its state and the pod that it works for, and nothing else of its environment", async () => {
    const beganMs = Date.now();
    const shim = await start(path.join(bin, "multus-shim"), shimEnvironment);
    const found = await look();
    expect(found).toEqual([
      {
        pid: shim.pid, program: "multus-shim", path: path.join(bin, "multus-shim"), state: expect.stringMatching(/^[RSD]$/) as string, startedMs: expect.any(Number) as number, called: true, command: "ADD",
        namespace: "default", pod: "web-0", podUid: "79ecc7ca-6d55-43dc-a0b0-8b07557ef071", sandboxId: "1f".repeat(32), replaced: false,
      },
    ]);
    expect(Math.abs((found[0]?.startedMs ?? 0) - beganMs)).toBeLessThan(10_000);
  });

  test("one whose program was removed, or replaced by an installer, holds what is no longer there", async () => {
    await start(path.join(bin, "multus-shim"), shimEnvironment);
    expect(await look()).toMatchObject([{ replaced: false }]);
    await copyFile(SLEEP, path.join(bin, "new"));
    await rename(path.join(bin, "new"), path.join(bin, "multus-shim"));
    expect(await look()).toMatchObject([{ program: "multus-shim", replaced: true }]);
    await rm(path.join(bin, "multus-shim"));
    expect(await look()).toMatchObject([{ program: "multus-shim", replaced: true }]);
  });

  test("one whose program was renamed aside is told under the new name, with its pod", async () => {
    await start(path.join(bin, "multus-shim"), shimEnvironment);
    await rename(path.join(bin, "multus-shim"), path.join(bin, "multus-shim.busy-20261130"));
    expect(await look()).toMatchObject([{ program: "multus-shim.busy-20261130", pod: "web-0", replaced: false }]);
  });

  test("one that was stopped is in state T, and is gone from the list once it has ended", async () => {
    const shim = await start(path.join(bin, "multus-shim"), shimEnvironment);
    shim.kill("SIGSTOP");
    await expect.poll(() => look()).toMatchObject([{ state: "T" }]);
    shim.kill("SIGKILL");
    await expect.poll(() => look()).toEqual([]);
  });

  test("another program that lies in a bin dir is none, unless it was called as a plugin or some config asks for it", async () => {
    await start(path.join(bin, "kubelet"));
    await start(path.join(bin, "our-plugin"));
    await start(path.join(bin, "called"), { CNI_COMMAND: "DEL" });
    expect((await look()).map(({ program }) => program)).toEqual(["called"]);
    reader = pluginProcessReader(hostFs(""), "/proc");
    expect((await look(["our-plugin"])).map(({ program }) => program).sort()).toEqual(["called", "our-plugin"]);
  });

  test("a bin dir, and a program in it, may be links", async () => {
    await mkdir(path.join(root, "data/bin"), { recursive: true });
    await start(path.join(root, "data/bin/cni"), { CNI_COMMAND: "ADD" });
    await symlink(path.join(root, "data/bin/cni"), path.join(bin, "flannel"));
    await symlink(path.join(root, "data/bin"), path.join(root, "linked"));
    expect(await look()).toMatchObject([{ program: "cni", path: path.join(bin, "flannel"), replaced: false }]);
    expect(await look([], [path.join(root, "linked")])).toMatchObject([{ program: "cni", path: path.join(root, "linked/cni"), replaced: false }]);
  });

  test("processes that end while they are looked at are nothing to speak of", async () => {
    await copyFile("/bin/true", path.join(bin, "bridge"));
    const ending = Array.from({ length: 60 }, () => spawn(path.join(bin, "bridge"), { stdio: "ignore" }));
    for (let round = 0; round < 10; round += 1) for (const one of await look()) expect(one.program).toBe("bridge");
    await Promise.all(ending.map((child) => (child.exitCode === null ? new Promise((resolve) => child.once("exit", resolve)) : undefined)));
    expect(await look()).toEqual([]);
  });
});

describe("a /proc that was made", () => {
  const look = async (wanted: readonly string[] = []) => pluginProcessReader(hostFs(root), path.join(root, "proc")).look(await procScanner(path.join(root, "proc")).scan(), ["/opt/cni/bin"], new Set(wanted), Date.now());

  test.each([
    ["retry-storm", ""],
    ["retry-storm", "before-lift"],
    ["install-deadlock-cp-f", ""],
  ])("recorded %s %s: every holder of the shim by its number and age, and far more connections than callers where requests were abandoned", async (failure, moment) => {
    const node = await makeRecordedNode(root, failure, moment);
    await makeProcess(root, { pid: 49, exe: "/usr/bin/containerd" });
    const nowMs = Date.now();
    const part = await pluginProcessReader(hostFs(root), path.join(root, "proc")).look(await procScanner(path.join(root, "proc")).scan(), ["/opt/cni/bin"], new Set(), nowMs);
    const found = items(part);
    expect(found.map(({ pid }) => pid).sort()).toEqual(node.holders.map(({ pid }) => pid).sort());
    for (const { pid, ageSeconds } of node.holders) expect((nowMs - (found.find((one) => one.pid === pid)?.startedMs ?? 0)) / 1_000).toBeCloseTo(ageSeconds, 1);
    const use = await lookAtSocketUse(path.join(root, "proc"), ["/run/multus/multus.sock", "/run/cilium/cilium.sock"], [], part);
    const { "01": listeners = 0, "02": waiting = 0, "03": taken = 0 } = node.connections;
    expect(use).toEqual({ looked: true, items: listeners + waiting + taken === 0 ? [] : [{ path: "/run/multus/multus.sock", connections: waiting + taken, liveShims: node.holders.length }] });
    if (moment === "before-lift") expect(use).toMatchObject({ items: [{ connections: 2_017, liveShims: 59 }] });
  });

  test("without any process of a kubelet or runtime it is not the node's, and says so rather than nothing", async () => {
    await makeRecordedNode(root, "retry-storm");
    expect(await look()).toEqual({ looked: false, reason: expect.stringContaining("hostPID") as string });
    expect(await lookAtSocketUse(path.join(root, "proc"), ["/run/multus/multus.sock"], [], await look())).toEqual({ looked: false, reason: expect.stringContaining("hostPID") as string });
  });

  test("a daemon in a container executes the node's plugins below the folder where it has the node's root", async () => {
    await makeRecordedNode(root, "healthy");
    await makeProcess(root, { pid: 49, exe: "/usr/bin/containerd" });
    await makeProcess(root, { pid: 50, exe: "/hostroot/opt/cni/bin/bridge" });
    await makeProcess(root, { pid: 51, exe: "/opt/cni/binaries/bridge" });
    await makeProcess(root, { pid: 52, exe: "/opt/cni/bin/bridge (deleted)" });
    expect(items(await look())).toMatchObject([{ pid: 50, program: "bridge", path: "/opt/cni/bin/bridge", replaced: false }, { pid: 52, program: "bridge", replaced: true }]);
  });

  test("zombies and daemons that lie in a bin dir are told but are no callers; another plugin's socket has its own", async () => {
    await makeRecordedNode(root, "healthy");
    await makeProcess(root, { pid: 49, exe: "/usr/bin/containerd" });
    await makeProcess(root, { pid: 50, exe: "/opt/cni/bin/multus-shim", state: "Z" });
    await makeProcess(root, { pid: 51, exe: "/opt/cni/bin/daemon-shim", environ: "PATH=/bin\0CNI_COMMAND=ADD\0" });
    await makeProcess(root, { pid: 52, exe: "/opt/cni/bin/daemon-shim", environ: "PATH=/bin\0" });
    await writeFile(path.join(root, "proc/net/unix"), "Num RefCount Protocol Flags Type St Inode Path\n0000000000000000: 00000002 00000000 00010000 0001 01 1 /run/daemon-shim/daemon.sock\n0000000000000000: 00000002 00000000 00010000 0001 01 2 /run/multus/multus.sock\n");
    const callers = [{ type: "daemon-shim", socket: "/run/daemon-shim/daemon.sock" }];
    expect(await lookAtSocketUse(path.join(root, "proc"), ["/run/daemon-shim/daemon.sock", "/run/multus/multus.sock"], callers, await look(["daemon-shim"]))).toEqual({
      looked: true,
      items: [
        { path: "/run/daemon-shim/daemon.sock", connections: 0, liveShims: 1 },
        { path: "/run/multus/multus.sock", connections: 0, liveShims: 0 },
      ],
    });
  });

  test("more than the bound are cut, the oldest kept", async () => {
    await makeRecordedNode(root, "healthy");
    await makeProcess(root, { pid: 49, exe: "/usr/bin/containerd" });
    for (let pid = 1_000; pid < 1_000 + MAX_PLUGIN_PROCESSES + 5; pid += 1) await makeProcess(root, { pid, exe: "/opt/cni/bin/multus-shim", startedSeconds: pid === 1_500 ? 1 : 90_000 });
    const part = await look();
    expect(part).toMatchObject({ looked: true, truncated: true });
    expect(items(part)).toHaveLength(MAX_PLUGIN_PROCESSES);
    expect(items(part)[0]?.pid).toBe(1_500);
  });
});

test("the scan gives way to others after every stretch of time", async () => {
  await makeRecordedNode(root, "retry-storm", "before-lift");
  let nowMs = 0;
  const stretches = Array.from({ length: 5 }, () => 0);
  let given = 0;
  const others = (): void => {
    given += 1;
    if (given < stretches.length) setImmediate(others);
  };
  setImmediate(others);
  await procScanner(path.join(root, "proc"), () => (nowMs += 10)).scan();
  expect(given).toBeGreaterThanOrEqual(3);
});

test("a number that names another process by now is seen again in time, and one that has just executed something at once", async () => {
  await makeRecordedNode(root, "healthy");
  const exe = path.join(root, "proc/80/exe");
  await makeProcess(root, { pid: 80, exe: "/usr/bin/containerd" });
  const scanner = procScanner(path.join(root, "proc"));
  const now = async () => (await scanner.scan()).processes.get(80)?.exe;
  expect(await now()).toBe("/usr/bin/containerd");
  await rm(exe);
  await symlink("/opt/cni/bin/multus-shim", exe);
  expect(await now()).toBe("/opt/cni/bin/multus-shim");
  await rm(exe);
  await symlink("/usr/bin/other", exe);
  const seen: (string | undefined)[] = [];
  for (let round = 0; round < 8; round += 1) seen.push(await now());
  expect(seen.at(-1)).toBe("/usr/bin/other");
});

test("a process's name may hold anything, and the environment's entries are told apart", () => {
  expect(parseStat(`12 (a) R (b) S 1 ${"0 ".repeat(17)}250 7`)).toEqual({ state: "S", startedSeconds: 2.5 });
  for (const text of ["", "12", "12 (a", "12 (a) 5 1", `12 (a) S 1 ${"x ".repeat(30)}`]) expect(parseStat(text)).toBeUndefined();
  expect(cniEnvironment("XCNI_COMMAND=no\0CNI_COMMAND=ADD\0")).toEqual({ command: "ADD" });
  expect(cniEnvironment("CNI_COMMAND=ADD")).toEqual({ command: "ADD" });
  expect(cniEnvironment("CNI_ARGS=K8S_POD_NAME=a;;b;K8S_POD_NAMESPACE=\0")).toEqual({ pod: "a" });
  expect(cniEnvironment("")).toEqual({});
});
