import { createHash } from "node:crypto";
import { chmod, mkdir, mkdtemp, readFile, rename, rm, symlink, truncate, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { MAX_BINARIES, type BinaryReading } from "../../domain/agent-readings";
import type { ConfFileRead } from "../conf/read-dir";
import { parseNetworkConfig } from "../conflist";
import { hostFs } from "../host-fs";
import { makeRecordedNode } from "../testing/recorded-node";
import { binariesReader, type BinariesReader } from "./binaries";
import { programHeader } from "./elf";
import { goVersion } from "./go-build";
import { readProgram } from "./read-program";

const recorded = (name: string): Promise<Buffer> => readFile(path.join(import.meta.dirname, `../fixtures/programs/${name}.bin`));
const sha256 = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");
const AMD64_BYTES = 1_201_280;

let root: string;
let dir: string;
beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), "sandglass-bin-"));
  dir = path.join(root, "opt/cni/bin");
  await mkdir(dir, { recursive: true });
});
afterEach(() => rm(root, { recursive: true, force: true }));

const reader = (bytesPerRound = Number.POSITIVE_INFINITY): BinariesReader => binariesReader(hostFs(root), bytesPerRound, "x64");
const conf = (name: string, ...plugins: object[]): ConfFileRead => ({ name, unread: false, config: parseNetworkConfig(name, JSON.stringify({ name: "n", plugins })) });
async function look(files: readonly ConfFileRead[] = [], nad: readonly string[] = [], from = reader(), dirs: readonly string[] = ["/opt/cni/bin"]): Promise<readonly BinaryReading[]> {
  const part = await from.look(dirs, files, nad);
  if (!part.looked) throw new Error(part.reason);
  return part.items;
}
async function program(name: string, { header = "amd64.header", bytes = AMD64_BYTES, mode = 0o755 } = {}): Promise<void> {
  await writeFile(path.join(dir, name), await recorded(header));
  await truncate(path.join(dir, name), bytes);
  await chmod(path.join(dir, name), mode);
}
const one = async (name: string): Promise<BinaryReading | undefined> => (await look()).find(({ type }) => type === name);

describe("programs of the bin dirs", () => {
  test("are told with size, time, digest and architecture, and who asks for them", async () => {
    await program("bridge");
    await utimes(path.join(dir, "bridge"), 1_700_000_000, 1_700_000_000);
    const items = await look([conf("10-a.conflist", { type: "bridge", ipam: { type: "host-local" } }, { type: "shim", delegate: { type: "bridge" } })], ["bridge", "macvlan"]);
    expect(items).toEqual([
      { type: "bridge", dir: "/opt/cni/bin", sizeBytes: AMD64_BYTES, modifiedMs: 1_700_000_000_000, sha256: sha256(await readFile(path.join(dir, "bridge"))), architecture: "amd64", wantedBy: ["10-a.conflist", "NAD"] },
      { type: "host-local", problem: "absent", wantedBy: ["10-a.conflist"] },
      { type: "macvlan", problem: "absent", wantedBy: ["NAD"] },
      { type: "shim", problem: "absent", wantedBy: ["10-a.conflist"] },
    ]);
  });

  test("carry their module and version where they are Go's, wherever in the file that stands", async () => {
    for (const at of [4_096, 256 * 1024 - 16, 256 * 1024, 900_000 - (900_000 % 16)]) {
      await program("bridge");
      const bytes = await readFile(path.join(dir, "bridge"));
      (await recorded("amd64.note")).copy(bytes, at);
      Buffer.from("\xff Go buildinf:", "latin1").copy(bytes, 2_049); // not where a note can stand
      await writeFile(path.join(dir, "bridge"), bytes);
      expect(await one("bridge")).toMatchObject({ version: "sandglass.example/sample v1.2.3", sha256: sha256(bytes) });
    }
  });

  test.each([
    ["empty", { bytes: 0 }, "empty"],
    ["cut short, as an interrupted copy leaves it", { bytes: 1_000_000 }, "truncated"],
    ["cut inside its header", { bytes: 30 }, "truncated"],
    ["not executable", { mode: 0o644 }, "not-executable"],
    ["of another architecture", { header: "s390x.header", bytes: 1_274_688 }, "wrong-architecture"],
    ["whole", {}, undefined],
  ] as const)("one that is %s", async (_name, over, problem) => {
    await program("bridge", over);
    expect((await one("bridge"))?.problem).toBe(problem);
  });

  test("a folder, a pipe, a link that leads nowhere, and a link to a program; nothing waits for the pipe", async () => {
    await program("cni");
    await mkdir(path.join(dir, "folder"));
    execFileSync("mkfifo", [path.join(dir, "pipe")]);
    await symlink("gone", path.join(dir, "dangling"));
    await symlink("loop", path.join(dir, "loop"));
    await symlink("cni", path.join(dir, "flannel"));
    const problems = Object.fromEntries((await look()).map(({ type, problem }) => [type, problem]));
    expect(problems).toEqual({ cni: undefined, folder: "directory", pipe: "unreadable", dangling: "unreadable", loop: "unreadable", flannel: undefined });
    expect(await one("flannel")).toMatchObject({ sha256: sha256(await readFile(path.join(dir, "cni"))) });
  });

  test("a script has no machine, and a text is no program of another one", async () => {
    await writeFile(path.join(dir, "script"), "#!/bin/sh\nexit 0\n", { mode: 0o755 });
    await writeFile(path.join(dir, "text"), "hello", { mode: 0o755 });
    expect(await one("script")).toMatchObject({ architecture: "script" });
    expect(await one("script")).not.toHaveProperty("problem");
    expect(await one("text")).not.toHaveProperty("architecture");
  });

  test("a folder that is not there lacks what is asked for; one that may not be listed may have it", async () => {
    const files = [conf("10-a.conflist", { type: "bridge" })];
    expect(await look(files, [], reader(), ["/none"])).toEqual([{ type: "bridge", problem: "absent", wantedBy: ["10-a.conflist"] }]);
    await symlink("loop", path.join(root, "loop"));
    const part = await reader().look(["/loop", "/opt/cni/bin"], files, []);
    expect(part).toEqual({ looked: true, items: [], unread: [expect.stringMatching(/^\/loop: /)] });
  });

  test("more than the bound are cut, those that somebody asks for first", async () => {
    for (let at = 0; at < MAX_BINARIES + 10; at += 1) await writeFile(path.join(dir, `a${String(at)}`), "");
    await writeFile(path.join(dir, "zz-wanted"), "");
    const part = await reader().look(["/opt/cni/bin"], [], ["zz-wanted"]);
    expect(part).toMatchObject({ looked: true, truncated: true });
    const items = await look([], ["zz-wanted"]);
    expect(items).toHaveLength(MAX_BINARIES);
    expect(items[0]).toMatchObject({ type: "zz-wanted", wantedBy: ["NAD"] });
  });
});

describe("reading programs", () => {
  const digests = async (from: BinariesReader): Promise<string> => (await look([], [], from)).filter(({ sha256: digest }) => digest !== undefined).map(({ type }) => type).join();

  test("is shared among rounds by a budget of bytes, and what was read is kept", async () => {
    for (const name of ["a", "b", "c"]) await program(name);
    const from = reader(AMD64_BYTES + 1);
    expect(await digests(from)).toBe("a");
    expect(await digests(from)).toBe("a,b");
    expect(await digests(from)).toBe("a,b,c");
    expect(await digests(from)).toBe("a,b,c");
  });

  test("has its turn for a program that is larger than the budget", async () => {
    await program("a");
    expect(await digests(reader(1_000))).toBe("a");
  });

  test("happens again when a program is replaced under its name, though size and time are the old ones", async () => {
    const from = reader();
    await program("a");
    await utimes(path.join(dir, "a"), 1_700_000_000, 1_700_000_000);
    const [before] = await look([], [], from);
    await program("b");
    await writeFile(path.join(dir, "b"), Buffer.concat([(await readFile(path.join(dir, "b"))).subarray(0, -1), Buffer.from("x")]));
    await utimes(path.join(dir, "b"), 1_700_000_000, 1_700_000_000);
    await rename(path.join(dir, "b"), path.join(dir, "a"));
    const [after] = await look([], [], from);
    expect(after?.modifiedMs).toBe(before?.modifiedMs);
    expect(after?.sizeBytes).toBe(before?.sizeBytes);
    expect(after?.sha256).not.toBe(before?.sha256);
  });

  test("says so where a file is not of the size that it was", async () => {
    await program("a");
    await expect(readProgram(path.join(dir, "a"), AMD64_BYTES - 1)).rejects.toThrow("grew while it was read");
    await expect(readProgram(path.join(dir, "a"), AMD64_BYTES + 1)).rejects.toThrow("changed while it was read");
  });
});

test("no bytes make the readers of headers throw", async () => {
  const real = Buffer.concat([await recorded("amd64.header"), await recorded("amd64.note")]);
  const mutated = fc.array(fc.tuple(fc.nat(2_047), fc.nat(255)), { maxLength: 20 }).map((changes) => {
    const bytes = Buffer.from(real);
    for (const [at, value] of changes) bytes[at] = value;
    return bytes;
  });
  fc.assert(
    fc.property(fc.oneof(mutated, fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes))), fc.nat(2_048), (bytes, cut) => {
      programHeader(bytes.subarray(0, cut));
      goVersion(bytes.subarray(1_024).subarray(0, cut));
    }),
    { numRuns: 2_000 },
  );
});

test("recorded: every program of the node, and the one that a network attachment asks for in vain", async () => {
  const node = await makeRecordedNode(root, "missing");
  const items = await look([conf("00-multus.conflist", { type: "multus-shim" })], ["sriov-like", "macvlan"]);
  expect(items.filter(({ dir: where }) => where !== undefined).map(({ type }) => type).sort()).toEqual([...node.binaries].sort());
  expect(items.find(({ type }) => type === "multus-shim")).toMatchObject({ sizeBytes: 35_733_666, wantedBy: ["00-multus.conflist"] });
  expect(items.filter(({ problem }) => problem === "absent")).toEqual([{ type: "sriov-like", problem: "absent", wantedBy: ["NAD"] }]);
});
