import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { LaterParts } from "../../domain/agent-readings";
import { hostFs } from "../host-fs";
import { makeProcess, makeRecordedNode } from "../testing/recorded-node";
import { containerOf } from "./cgroup-path";
import { locate, parseMountinfo } from "./mountinfo";
import { procScanner, type ProcScanner } from "./scan";
import { staleMountReader, type StaleMountReader } from "./stale-mounts";

type Seen = Extract<NonNullable<LaterParts["mounts"]>, { looked: true }>;
const seen = (part: NonNullable<LaterParts["mounts"]>): Seen => {
  if (!part.looked) throw new Error(part.reason);
  return part;
};

const canUnshare = spawnSync("unshare", ["--mount", "true"]).status === 0;

/** A mount namespace with bind mounts in it, as a container has. */
describe.skipIf(!canUnshare)("real mounts (root and unshare needed)", () => {
  let root: string;
  let run: string;
  let children: ChildProcess[];
  let servers: Server[];
  let scanner: ProcScanner;
  let reader: StaleMountReader;
  beforeEach(async () => {
    root = await mkdtemp(path.join(tmpdir(), "sg-"));
    run = path.join(root, "run");
    children = [];
    servers = [];
    scanner = procScanner("/proc");
    reader = staleMountReader(hostFs(""), "/proc");
    await container("containerd", `exec -a containerd sleep 60`); // a node has one; its program's name decides
    await startDaemon();
  });
  afterEach(async () => {
    for (const child of children) child.kill("SIGKILL");
    await Promise.all(children.map((child) => (child.exitCode === null && child.signalCode === null ? new Promise((resolve) => child.once("exit", resolve)) : undefined)));
    await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    await rm(root, { recursive: true, force: true });
  });

  /** As multus' daemon begins: the folder is made anew, then the socket. */
  async function startDaemon(): Promise<void> {
    await rm(path.join(run, "multus"), { recursive: true, force: true });
    await mkdir(path.join(run, "multus"), { recursive: true });
    const server = createServer();
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(path.join(run, "multus/multus.sock"), resolve));
  }
  async function container(name: string, script: string): Promise<number> {
    const program = path.join(root, name === "containerd" ? "containerd" : "sleep");
    spawnSync("cp", ["/bin/sleep", program]);
    const child = spawn("unshare", ["--mount", "--propagation", "private", "bash", "-c", `${script.includes("exec") ? "" : `${script} && `}echo up && exec ${program} 60`], { stdio: ["ignore", "pipe", "inherit"] });
    children.push(child);
    await new Promise((resolve) => child.stdout?.once("data", resolve));
    return child.pid ?? 0;
  }
  const mounting = (name: string, what: string, at: string): Promise<number> => {
    const target = path.join(root, name, at);
    return container(name, `mkdir -p ${path.dirname(target)} && ${what.endsWith(".sock") ? `touch ${target}` : `mkdir -p ${target}`} && mount --bind ${path.join(run, what)} ${target}`);
  };
  const socket = (): string => path.join(run, "multus/multus.sock");
  const look = async () => seen(await reader.look(await scanner.scan(), [socket()], () => ({})));
  const brief = ({ stale }: Seen) => stale.map(({ pid, kind, because }) => ({ pid, kind, because })).sort((a, b) => a.pid - b.pid);

  test("a mount of the socket and one of its folder go stale when the daemon makes both anew; one of the folder above does not", async () => {
    const byFile = await mounting("by-file", "multus/multus.sock", "host/run/multus/multus.sock");
    const byFolder = await mounting("by-folder", "multus", "host/run/multus");
    await mounting("by-run", ".", "host/run");
    expect(await look()).toMatchObject({ stale: [], mountsSeen: 3 });
    await startDaemon();
    const now = await look();
    expect(now.mountsSeen).toBe(3);
    expect(brief(now)).toEqual([
      { pid: byFile, kind: "file", because: "deleted" },
      { pid: byFolder, kind: "directory", because: "deleted" },
    ]);
    const [file] = now.stale.filter(({ pid }) => pid === byFile);
    expect(file).toMatchObject({ socketPath: socket(), mountPath: path.join(root, "by-file/host/run/multus/multus.sock") });
    expect(file?.mountedInode).toMatch(/^\d+:\d+\/\d+$/);
    expect(file?.hostInode).toMatch(/^\d+:\d+\/\d+$/);
    expect(file?.mountedInode).not.toBe(file?.hostInode);
  });

  test("a consumer that is started anew is no longer stale", async () => {
    await mounting("one", "multus", "host/run/multus");
    await startDaemon();
    expect((await look()).stale).toHaveLength(1);
    const child = children.pop();
    child?.kill("SIGKILL");
    await new Promise((resolve) => child?.once("exit", resolve));
    await mounting("two", "multus", "host/run/multus");
    expect(await look()).toMatchObject({ stale: [], mountsSeen: 1 });
  });

  test("while the daemon is away there is nothing on the node to compare with, and what was removed is told all the same", async () => {
    await mounting("one", "multus/multus.sock", "s/multus.sock");
    await rm(path.join(run, "multus"), { recursive: true });
    const [one] = (await look()).stale;
    expect(one).toMatchObject({ kind: "file", because: "deleted" });
    expect(one).not.toHaveProperty("hostInode");
  });

  test("a folder, or a socket, that was moved aside before a new one came is told by its inode", async () => {
    const folder = await mounting("folder", "multus", "host/run/multus");
    const file = await mounting("file", "multus/multus.sock", "run/multus/multus.sock");
    await rename(path.join(run, "multus"), path.join(run, "multus.old"));
    await mkdir(path.join(run, "multus"));
    expect(brief(await look())).toEqual([
      { pid: folder, kind: "directory", because: "other-inode" },
      { pid: file, kind: "file", because: "other-inode" },
    ]);
    await rename(path.join(run, "multus.old"), path.join(run, "gone"));
    await rm(path.join(run, "multus"), { recursive: true });
    await rename(path.join(run, "gone"), path.join(run, "multus"));
    expect((await look()).stale).toEqual([]);
    await rename(path.join(run, "multus/multus.sock"), path.join(run, "multus/old.sock"));
    await writeFile(path.join(run, "multus/multus.sock"), "");
    expect(brief(await look())).toEqual([{ pid: file, kind: "file", because: "other-inode" }]);
  });

  test("a container's own folder of the same name is none of the node's", async () => {
    const target = path.join(root, "own/host/run/multus");
    await container("own", `mkdir -p ${target} && mount -t tmpfs none ${target} && touch ${target}/multus.sock`);
    await startDaemon();
    expect(await look()).toMatchObject({ stale: [], mountsSeen: 0 });
  });

  test("a container that ends while it is looked at is no longer spoken of", async () => {
    await mounting("one", "multus", "host/run/multus");
    await startDaemon();
    const scan = await scanner.scan();
    const child = children.pop();
    child?.kill("SIGKILL");
    await new Promise((resolve) => child?.once("exit", resolve));
    expect(seen(await reader.look(scan, [socket()], () => ({})))).toMatchObject({ stale: [] });
  });

  test("the names of the container come from its cgroup's ids", async () => {
    await mounting("one", "multus", "host/run/multus");
    await startDaemon();
    const asked: unknown[] = [];
    const part = seen(
      await reader.look(await scanner.scan(), [socket()], (of) => {
        asked.push(of);
        return { namespace: "default", pod: "consumer", podUid: "u", container: "c" };
      }),
    );
    expect(asked).toHaveLength(1);
    expect(part.stale).toMatchObject([{ namespace: "default", pod: "consumer", podUid: "u", container: "c" }]);
  });
});

describe("a /proc that was made", () => {
  let root: string;
  beforeEach(async () => {
    root = await mkdtemp(path.join(tmpdir(), "sandglass-mounts-"));
    await makeRecordedNode(root, "healthy");
    await makeProcess(root, { pid: 49, exe: "/usr/bin/containerd" });
    await withMounts(1, "mnt:[1]", "21 1 254:0 / / rw - ext4 /dev/vda rw\n22 21 0:25 / /run rw - tmpfs tmpfs rw\n");
  });
  afterEach(() => rm(root, { recursive: true, force: true }));
  async function withMounts(pid: number, namespace: string, mountinfo: string, cgroup = ""): Promise<void> {
    await makeProcess(root, { pid, exe: "/bin/sleep" });
    const dir = path.join(root, "proc", String(pid));
    await mkdir(path.join(dir, "ns"));
    await symlink(namespace, path.join(dir, "ns/mnt"));
    await writeFile(path.join(dir, "mountinfo"), mountinfo);
    await writeFile(path.join(dir, "cgroup"), cgroup);
  }
  const look = async () => staleMountReader(hostFs(root), path.join(root, "proc")).look(await procScanner(path.join(root, "proc")).scan(), ["/run/multus/multus.sock"], ({ containerId, podUid }) => ({ ...(containerId === undefined ? {} : { container: containerId.slice(0, 4) }), ...(podUid === undefined ? {} : { podUid }) }));

  test("what the kernel wrote while multus was exchanged: the file's and the folder's mount are stale, that of /run is not", async () => {
    const id = "c".repeat(64);
    const at = (what: string, where: string) => `900 899 0:25 ${what} ${where} rw,relatime - tmpfs tmpfs rw\n`;
    await withMounts(100, "mnt:[100]", at("/multus/multus.sock//deleted", "/host/run/multus/multus.sock"), `0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod0b5c9f0e_0000_4000_8000_000000000002.slice/cri-containerd-${id}.scope\n`);
    await withMounts(101, "mnt:[101]", at("/multus//deleted", "/host/run/multus"));
    await withMounts(102, "mnt:[102]", at("/", "/host/run"));
    await withMounts(103, "mnt:[103]", `900 899 0:99 /multus//deleted /host/run/multus rw - tmpfs tmpfs rw\n`);
    const part: Seen = seen(await look());
    expect(part.mountsSeen).toBe(2);
    expect(part.stale).toMatchObject([
      { socketPath: "/run/multus/multus.sock", mountPath: "/host/run/multus/multus.sock", kind: "file", pid: 100, because: "deleted", container: "cccc", podUid: "0b5c9f0e-0000-4000-8000-000000000002" },
      { socketPath: "/run/multus/multus.sock", mountPath: "/host/run/multus", kind: "directory", pid: 101, because: "deleted" },
    ]);
  });

  test("processes of one namespace are asked once, and threads of a pod's other containers are others", async () => {
    for (const pid of [100, 101, 102]) await withMounts(pid, "mnt:[100]", "900 899 0:25 /multus//deleted /host/run/multus rw - tmpfs tmpfs rw\n");
    expect(seen(await look()).stale).toHaveLength(1);
  });

  test("mounts that may not be read are counted, and the rest is told", async () => {
    await withMounts(100, "mnt:[100]", "900 899 0:25 /multus//deleted /host/run/multus rw - tmpfs tmpfs rw\n");
    await withMounts(101, "mnt:[101]", "");
    await rm(path.join(root, "proc/101/mountinfo"));
    await mkdir(path.join(root, "proc/101/mountinfo"));
    expect(await look()).toMatchObject({ looked: true, stale: [{ pid: 100 }], unread: 1 });
  });

  test("among other processes than the node's nothing is said of its mounts", async () => {
    await rm(path.join(root, "proc/49"), { recursive: true });
    expect(await look()).toEqual({ looked: false, reason: expect.stringContaining("hostPID") as string });
  });

  test("a process of the node's own namespace is none of a container, whatever is mounted there", async () => {
    await withMounts(100, "mnt:[1]", "21 1 254:0 / / rw - ext4 /dev/vda rw\n30 21 0:25 /multus//deleted /mnt rw - tmpfs tmpfs rw\n");
    expect(await look()).toMatchObject({ looked: true, stale: [], mountsSeen: 0 });
  });

  test("10 MB of mountinfo are not read, and hide nothing else", async () => {
    await withMounts(100, "mnt:[100]", "900 899 0:25 /multus//deleted /host/run/multus rw - tmpfs tmpfs rw\n".repeat(150_000));
    await withMounts(101, "mnt:[101]", "900 899 0:25 /multus//deleted /host/run/multus rw - tmpfs tmpfs rw\n");
    expect(await look()).toMatchObject({ looked: true, stale: [{ pid: 101 }], unread: 1 });
  });
});

test("mountinfo: blanks are escaped, the last mount at a place is the one that is seen, and a path lies in the longest", () => {
  const mounts = parseMountinfo(["21 1 254:0 / / rw - ext4 /dev/vda rw", "22 21 0:25 / /run rw - tmpfs tmpfs rw", String.raw`23 22 0:26 /a\040b /run/x\134y rw - tmpfs tmpfs rw`, "24 22 0:27 /new /run rw - tmpfs tmpfs rw", "not a mount"].join("\n"));
  expect(mounts).toContainEqual({ device: "0:26", root: "/a b", deleted: false, mountPoint: String.raw`/run/x\y` });
  expect(mounts.filter(({ mountPoint }) => mountPoint === "/run")).toEqual([{ device: "0:27", root: "/new", deleted: false, mountPoint: "/run" }]);
  expect(locate(mounts, "/run/multus/multus.sock")).toMatchObject({ device: "0:27", inside: "/new/multus/multus.sock" });
  expect(locate(mounts, "/runner")).toMatchObject({ device: "254:0", inside: "/runner" });
  expect(locate([], "/run")).toBeUndefined();
  fc.assert(fc.property(fc.string({ unit: "grapheme", maxLength: 200 }), (text) => void parseMountinfo(text)));
});

test.each([
  ["cgroup v2, systemd, containerd", `0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod79ecc7ca_6d55_43dc_a0b0_8b07557ef071.slice/cri-containerd-${"a1".repeat(32)}.scope`],
  ["cgroup v2 seen from a namespace of its own", `0::/../../kubepods-pod79ecc7ca_6d55_43dc_a0b0_8b07557ef071.slice/cri-containerd-${"a1".repeat(32)}.scope`],
  ["CRI-O with a cgroup below the scope", `0::/kubepods.slice/kubepods-pod79ecc7ca_6d55_43dc_a0b0_8b07557ef071.slice/crio-${"a1".repeat(32)}.scope/container`],
  ["cgroup v1, cgroupfs", `12:memory:/kubepods/besteffort/pod79ecc7ca-6d55-43dc-a0b0-8b07557ef071/${"a1".repeat(32)}\n11:cpu:/kubepods/besteffort/pod79ecc7ca-6d55-43dc-a0b0-8b07557ef071/${"a1".repeat(32)}`],
  ["kind", `0::/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-pod79ecc7ca_6d55_43dc_a0b0_8b07557ef071.slice/cri-containerd-${"a1".repeat(32)}.scope`],
])("the container and pod of a process: %s", (_name, text) => {
  expect(containerOf(text)).toEqual({ containerId: "a1".repeat(32), podUid: "79ecc7ca-6d55-43dc-a0b0-8b07557ef071" });
});

test("a static pod has a digest for its uid, and a process of the node has neither", () => {
  expect(containerOf(`0::/kubepods.slice/kubepods-podaabbccddaabbccddaabbccddaabbccdd.slice/cri-containerd-${"a1".repeat(32)}.scope`)).toMatchObject({ podUid: "aabbccddaabbccddaabbccddaabbccdd" });
  for (const text of ["0::/system.slice/containerd.service", "0::/", "", "pod"]) expect(containerOf(text)).toEqual({});
});
