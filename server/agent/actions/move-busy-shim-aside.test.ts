import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { copyFile, link, lstat, mkdtemp, readdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../../clock";
import { ORDER_VALID_MS, type WorkOrder } from "../../domain/actions/work-order";
import { moveBusyShimAside } from "./move-busy-shim-aside";
import { toolsOf } from "./testing/tools";

/** A real program that a real process runs: the kernel itself refuses to have it overwritten. */
const PROGRAM = "multus-shim";
const SLEEP = "/bin/sleep";
const cp = (from: string, to: string) => promisify(execFile)("cp", [from, to]);

let bin: string;
let shim: string;
let holder: ChildProcess;

beforeEach(async () => {
  bin = await mkdtemp(path.join(tmpdir(), "sg-bin-"));
  shim = path.join(bin, PROGRAM);
  await copyFile(SLEEP, shim);
  holder = spawn(shim, ["600"]);
  await once(holder, "spawn");
});
afterEach(async () => {
  holder.kill("SIGKILL");
  await rm(bin, { recursive: true, force: true });
});

const order = (objects: readonly string[] = [shim], waitSeconds = 20): WorkOrder => ({ id: "of-the-test", node: "node-1", action: "move-busy-shim-aside", dry: false, planVersion: "", requestedBy: "anna", issuedMs: Date.now(), expiresMs: Date.now() + ORDER_VALID_MS, params: { program: PROGRAM, waitSeconds }, objects });
const stage = () => toolsOf({ clock: systemClock, binDirs: [bin] });
const inodeOf = async (file: string): Promise<number> => (await lstat(file)).ino;
const asides = async (): Promise<readonly string[]> => (await readdir(bin)).filter((name) => name.startsWith(`.${PROGRAM}.`));

it("a plain cp over the busy program fails; after the move it succeeds, and the holder goes on running the old one", async () => {
  await expect(cp(SLEEP, shim)).rejects.toThrow(/Text file busy/);
  const { tools, told } = stage();
  const moving = moveBusyShimAside.carryOut(order(), tools);
  await expect.poll(asides, { timeout: 10_000 }).toHaveLength(1);
  await cp(SLEEP, shim);
  await moving;
  const [aside = ""] = await asides();
  expect(told).toEqual([{ id: shim, name: shim, outcome: "done", reason: `a new file stands there; the old one is ${path.join(bin, aside)}` }]);
  expect(aside).toMatch(/^\.multus-shim\.\d{8}T\d{6}Z\.sandglass-aside$/);
  expect(await inodeOf(path.join(bin, aside))).not.toBe(await inodeOf(shim));
  expect(holder.exitCode).toBeNull();
});

it("where no new file comes, the old one has its name back, the very same", async () => {
  const before = await inodeOf(shim);
  const { tools, told } = stage();
  await moveBusyShimAside.carryOut(order([shim], 1), tools);
  expect(told).toMatchObject([{ outcome: "undone", reason: "no new file came in 1 s: it has its name back" }]);
  expect([await inodeOf(shim), await asides()]).toEqual([before, []]);
});

it("a new file of no bytes is not taken for a new program, nor overwritten", async () => {
  const { tools, told } = stage();
  const moving = moveBusyShimAside.carryOut(order([shim], 1), tools);
  await expect.poll(asides, { timeout: 10_000 }).toHaveLength(1);
  await writeFile(shim, "");
  await moving;
  expect(told).toMatchObject([{ outcome: "failed", reason: expect.stringContaining("a new file of no bytes") }]);
  expect([(await lstat(shim)).size, (await asides()).length]).toEqual([0, 1]);
});

it("an agent that was killed while it waited puts the file back when it starts again, and leaves a new one alone", async () => {
  const before = await inodeOf(shim);
  const aside = path.join(bin, `.${PROGRAM}.20261130T200000Z.sandglass-aside`);
  await rename(shim, aside);
  const notes = [{ path: shim, aside }];
  const first = stage();
  await moveBusyShimAside.recover?.(order(), { notes, objects: [] }, first.tools);
  expect(first.told).toMatchObject([{ outcome: "undone", reason: expect.stringContaining("was restarted") }]);
  expect(await inodeOf(shim)).toBe(before);
  await rename(shim, aside);
  await copyFile(SLEEP, shim);
  const newer = await inodeOf(shim);
  const second = stage();
  await moveBusyShimAside.recover?.(order(), { notes, objects: [] }, second.tools);
  expect(second.told).toMatchObject([{ outcome: "done" }]);
  expect(await inodeOf(shim)).toBe(newer);
});

it("an agent that was killed while it gave the file back takes the dated name away, and tells of no new file", async () => {
  const before = await inodeOf(shim);
  const aside = path.join(bin, `.${PROGRAM}.20261130T200000Z.sandglass-aside`);
  await link(shim, aside);
  const { tools, told } = stage();
  await moveBusyShimAside.recover?.(order(), { notes: [{ path: shim, aside }], objects: [] }, tools);
  expect(told).toMatchObject([{ outcome: "undone" }]);
  expect([await inodeOf(shim), await asides()]).toEqual([before, []]);
});

it("a dry run names who runs it, and touches nothing", async () => {
  const before = await readdir(bin);
  const { tools } = stage();
  expect(await moveBusyShimAside.survey({ ...order(), dry: true, objects: [] }, tools)).toEqual([{ id: shim, name: shim, outcome: "would", reason: `process ${String(holder.pid)} runs it` }]);
  expect(await readdir(bin)).toEqual(before);
});

describe("left as it is, with the reason", () => {
  it.each([
    ["a path outside the folders of plugins", () => "/etc/passwd", "it is not the program in question, in a folder of CNI plugins"],
    ["another program of the same folder", () => path.join(bin, "bridge"), "it is not the program in question, in a folder of CNI plugins"],
    ["a way around", () => `${bin}/../${path.basename(bin)}/${PROGRAM}`, "it is not the program in question, in a folder of CNI plugins"],
  ])("%s", async (_what, target, reason) => {
    await copyFile(SLEEP, path.join(bin, "bridge"));
    const { tools, told } = stage();
    await moveBusyShimAside.carryOut(order([target()]), tools);
    expect(told).toMatchObject([{ outcome: "left", reason }]);
    expect((await readdir(bin)).sort()).toEqual(["bridge", PROGRAM]);
  });

  it("a program that no process runs", async () => {
    holder.kill("SIGKILL");
    await once(holder, "exit");
    const { tools, told } = stage();
    await moveBusyShimAside.carryOut(order(), tools);
    expect(told).toMatchObject([{ outcome: "left", reason: expect.stringMatching(/no process runs it|cannot be told/) }]);
    expect(await readdir(bin)).toEqual([PROGRAM]);
  });

  it("a link, though what it leads to is busy", async () => {
    await rename(shim, path.join(bin, "real"));
    await symlink(path.join(bin, "real"), shim);
    const { tools, told } = stage();
    await moveBusyShimAside.carryOut(order(), tools);
    expect(told).toMatchObject([{ outcome: "left", reason: "it is a link" }]);
    expect((await lstat(shim)).isSymbolicLink()).toBe(true);
  });

  it("everything, where the plan named no program", async () => {
    const { tools, told } = stage();
    await moveBusyShimAside.carryOut({ ...order(), params: {} }, tools);
    expect(told).toMatchObject([{ outcome: "left" }]);
  });
});
