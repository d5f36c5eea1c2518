import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { ConfigReading } from "../domain/agent-report";
import { lookAtConfig, type ConfigHints } from "./config";
import { hostFs } from "./host-fs";

let root: string;
beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), "sandglass-config-"));
  await mkdir(path.join(root, "etc/cni/net.d"), { recursive: true });
  await mkdir(path.join(root, "opt/cni/bin"), { recursive: true });
  for (const name of ["bridge", "host-local", "portmap"]) await binary(name);
});
afterEach(() => rm(root, { recursive: true, force: true }));

const binary = (name: string, mode = 0o755): Promise<void> => writeFile(path.join(root, "opt/cni/bin", name), "\x7fELF", { mode });
const conf = (name: string, text: string): Promise<void> => writeFile(path.join(root, "etc/cni/net.d", name), text);
const bridge = JSON.stringify({ cniVersion: "1.0.0", name: "n", plugins: [{ type: "bridge", ipam: { type: "host-local" } }, { type: "portmap" }] });
const look = async (hints: Partial<ConfigHints> = {}): Promise<ConfigReading> => {
  const { reading } = await lookAtConfig(hostFs(root), { binDirs: [], ...hints });
  if (!reading.looked) throw new Error(reading.reason);
  return reading.reading;
};

test("the first file by name is the effective one; other files, folders and endings are passed over", async () => {
  await conf("20-b.conflist", JSON.stringify({ name: "b", plugins: [{ type: "other" }] }));
  await conf("10-a.conflist", bridge);
  await conf("00-note.txt", "{}");
  await conf("05-z.conflist.disabled", "{}");
  await mkdir(path.join(root, "etc/cni/net.d/00-dir.conf"));
  expect(await look()).toEqual({ dir: "/etc/cni/net.d", effectiveFile: "10-a.conflist", pluginTypes: ["bridge", "portmap", "host-local"], sockets: [], missingBinaries: [], binDirs: ["/opt/cni/bin"] });
});

test("names are ordered by their bytes, as the runtime does", async () => {
  for (const name of ["b.conf", "B.conf", "10.conf", "1.conf"]) await conf(name, JSON.stringify({ name, type: "bridge" }));
  expect((await look()).effectiveFile).toBe("1.conf");
});

test("containerd stops at a broken first file, CRI-O goes on to the next; both are told which file is broken", async () => {
  await conf("00-broken.conflist", bridge.slice(0, 60));
  await conf("10-good.conflist", bridge);
  const problem = expect.stringMatching(/^00-broken\.conflist: not JSON/) as string;
  const containerd = await look({ runtime: { name: "containerd" } });
  expect(containerd).toMatchObject({ fileProblems: [problem], pluginTypes: [] });
  expect(containerd.effectiveFile).toBeUndefined();
  expect(await look({ runtime: { name: "cri-o" } })).toMatchObject({ effectiveFile: "10-good.conflist", fileProblems: [problem] });
});

test("an empty folder has no effective file, and a folder that is not there could not be looked at", async () => {
  expect((await look()).effectiveFile).toBeUndefined();
  await rm(path.join(root, "etc"), { recursive: true });
  await expect(look()).rejects.toThrow("no folder /etc/cni/net.d");
});

test("absent, empty, not executable and not a file: each binary's fault is named", async () => {
  const types = ["absent", "empty", "plain", "folder", "bridge"];
  await conf("a.conflist", JSON.stringify({ name: "n", plugins: types.map((type) => ({ type })).concat({ type: "shim", delegate: { type: "far" } } as never) }));
  await binary("shim");
  await binary("empty");
  await truncate(path.join(root, "opt/cni/bin/empty"), 0);
  await binary("plain");
  await chmod(path.join(root, "opt/cni/bin/plain"), 0o644);
  await mkdir(path.join(root, "opt/cni/bin/folder"));
  expect(await look()).toMatchObject({
    missingBinaries: ["absent", "empty", "plain", "folder"],
    delegateTypes: ["far"],
    binaryProblems: [
      "absent: not in /opt/cni/bin",
      "empty: 0 bytes in /opt/cni/bin",
      "plain: not executable in /opt/cni/bin",
      "folder: a folder or special file in /opt/cni/bin",
      "far: not in /opt/cni/bin",
    ],
  });
});

test("a plugin is looked for in every bin dir, and a broken one in front hides a good one behind, as for the runtime", async () => {
  await mkdir(path.join(root, "second"));
  await writeFile(path.join(root, "second/late"), "x", { mode: 0o755 });
  await writeFile(path.join(root, "second/bridge"), "x", { mode: 0o755 });
  await truncate(path.join(root, "opt/cni/bin/bridge"), 0);
  await conf("a.conflist", JSON.stringify({ name: "n", plugins: [{ type: "bridge" }, { type: "late" }] }));
  expect(await look({ binDirs: ["/opt/cni/bin", "/second"] })).toMatchObject({ missingBinaries: ["bridge"] });
});

test("the folders of a distribution are found by its runtime's socket, the runtime's own word beats them, the command line beats both", async () => {
  const k3s = "/var/lib/rancher/k3s/agent/etc/cni/net.d";
  await mkdir(path.join(root, k3s), { recursive: true });
  const criSocket = "/run/k3s/containerd/containerd.sock";
  expect((await look({ runtime: { criSocket } })).dir).toBe(k3s);
  expect((await look({ runtime: { criSocket: "/run/containerd/containerd.sock" } })).dir).toBe("/etc/cni/net.d");
  await rm(path.join(root, k3s), { recursive: true });
  expect((await look({ runtime: { criSocket } })).dir).toBe("/etc/cni/net.d");
  await mkdir(path.join(root, "told"));
  await mkdir(path.join(root, "asked"));
  expect(await look({ runtime: { criSocket, confDir: "/told", binDirs: ["/told/bin"] } })).toMatchObject({ dir: "/told", binDirs: ["/told/bin"] });
  expect((await look({ confDir: "/asked", runtime: { confDir: "/told" } })).dir).toBe("/asked");
});

test("absolute links lead inside the node's root, for files and binaries alike, and never out of it", async () => {
  await mkdir(path.join(root, "var/lib/real"), { recursive: true });
  await writeFile(path.join(root, "var/lib/real/net.conflist"), bridge);
  await symlink("/var/lib/real/net.conflist", path.join(root, "etc/cni/net.d/10-link.conflist"));
  await rm(path.join(root, "opt/cni/bin/bridge"));
  await symlink("/var/lib/real/bridge", path.join(root, "opt/cni/bin/bridge"));
  expect(await look()).toMatchObject({ effectiveFile: "10-link.conflist", missingBinaries: ["bridge"] });
  await writeFile(path.join(root, "var/lib/real/bridge"), "x", { mode: 0o755 });
  expect(await look()).toMatchObject({ missingBinaries: [] });
  await rm(path.join(root, "etc/cni/net.d/10-link.conflist"));
  await symlink("../../../../../../../../../../../etc/passwd", path.join(root, "etc/cni/net.d/10-out.conf"));
  expect(await look()).toMatchObject({ fileProblems: ["10-out.conf: leads nowhere, or went away"] });
});

test("a pipe, a loop of links, a file of 10 MB and a name that is not UTF-8 are said, and nothing waits for them", async () => {
  const dir = path.join(root, "etc/cni/net.d");
  await promisify(execFile)("mkfifo", [path.join(dir, "00-pipe.conf")]);
  await expect(look()).rejects.toThrow(/00-pipe\.conf: could not be read: .*a pipe, not a file/);
  await rm(path.join(dir, "00-pipe.conf"));
  await symlink("/etc/cni/net.d/01-loop.conf", path.join(dir, "01-loop.conf"));
  await expect(look()).rejects.toThrow(/01-loop\.conf: could not be read: .*symbolic links/);
  await rm(path.join(dir, "01-loop.conf"));
  await conf("02-big.conf", " ".repeat(10_000_000));
  await expect(look()).rejects.toThrow(/02-big\.conf: could not be read: 10000000 bytes/);
  await rm(path.join(dir, "02-big.conf"));
  await writeFile(Buffer.concat([Buffer.from(`${dir}/03-`), Buffer.from([0xff, 0xfe]), Buffer.from(".conf")]), bridge);
  await conf("04-good.conflist", bridge);
  await expect(look()).rejects.toThrow(/03-.*its name is not UTF-8/);
});

test("a thousand files are read up to the bound", async () => {
  await Promise.all(Array.from({ length: 1_000 }, (_, at) => conf(`${String(at).padStart(4, "0")}.conf`, "{")));
  const reading = await look();
  expect(reading.fileProblems?.length).toBeLessThanOrEqual(64);
});
