import type { BigIntStats } from "node:fs";
import { link, lstat, readdir, rename, stat, unlink } from "node:fs/promises";
import { DEFAULT_WAIT_SECONDS } from "../../domain/actions/move-busy-shim-aside";
import type { WorkObject, WorkOrder } from "../../domain/actions/work-order";
import { codeOf, isAbsent, reasonOf } from "../host-fs";
import { procRoot } from "../proc/proc-files";
import type { Doer, Tools } from "./types";

const LOOK_EVERY_MS = 500;
const MAX_HOLDERS_SAID = 5;

/** Gives a busy program of a bin dir another name until its installer has made a new one; else gives it its name back. */
export const moveBusyShimAside: Doer = {
  survey: async ({ params: { program } }, tools) => {
    const objects: WorkObject[] = [];
    for (const dir of program === undefined ? [] : binDirs(tools)) {
      const path = `${dir}/${program ?? ""}`;
      const found = await look(path, program, tools);
      if (found.absent === true) continue;
      objects.push({ id: path, name: path, ...(found.left === undefined ? { outcome: "would", reason: found.busy ?? "" } : { outcome: "left", reason: found.left }) });
    }
    return objects;
  },
  carryOut: async (order, tools) => {
    for (const path of order.objects) {
      if (tools.over()) return;
      await tools.tell(await moveOne(path, order, tools));
    }
  },
  recover: async (_order, { notes, objects }, tools) => {
    for (const { path, aside } of notes) {
      if (path === undefined || aside === undefined || objects.some(({ id }) => id === path)) continue;
      await tools.tell({ id: path, name: path, ...(await settle(path, aside, "the agent was restarted while it waited", tools)) });
    }
  },
};

async function moveOne(path: string, { params }: WorkOrder, tools: Tools): Promise<WorkObject> {
  const object = { id: path, name: path };
  try {
    const found = await look(path, params.program, tools);
    if (found.left !== undefined || found.here === undefined || found.stat === undefined) return { ...object, outcome: "left", reason: found.left ?? "it is gone already" };
    const aside = asideOf(path, tools.clock.now());
    const there = await tools.fs.resolve(aside);
    if (await isThere(there)) return { ...object, outcome: "left", reason: `${aside} stands there already` };
    await tools.note({ path, aside });
    await rename(found.here, there);
    // Whatever was put at its name since it was looked at goes back there.
    if ((await lstat(there, { bigint: true })).ino !== found.stat.ino) return { ...object, ...(await settle(path, aside, "it was replaced while it was looked at", tools)) };
    const waitMs = (params.waitSeconds ?? DEFAULT_WAIT_SECONDS) * 1_000;
    const untilMs = tools.clock.now() + waitMs;
    while (tools.clock.now() < untilMs && !tools.over() && !(await isWhole(found.here))) await tools.sleep(LOOK_EVERY_MS);
    return { ...object, ...(await settle(path, aside, `no new file came in ${Math.round(waitMs / 1_000)} s`, tools)) };
  } catch (error) {
    return { ...object, outcome: "failed", reason: reasonOf(error) };
  }
}

/** What stands at the name now decides: a new file keeps it, and where there is none the old one gets it back. */
async function settle(path: string, aside: string, why: string, tools: Tools): Promise<Pick<WorkObject, "outcome" | "reason">> {
  const [here, there] = [await tools.fs.resolve(path), await tools.fs.resolve(aside)];
  if (!(await isThere(there))) return { outcome: "failed", reason: `${why}, and ${aside} is gone` };
  try {
    await link(there, here); // fails where anything stands there: never over a new file
  } catch (error) {
    if (!(await isThere(here))) throw error;
    return (await isWhole(here)) ? { outcome: "done", reason: `a new file stands there; the old one is ${aside}` } : { outcome: "failed", reason: `a new file of no bytes stands there; the old one is ${aside}` };
  }
  await unlink(there);
  return { outcome: "undone", reason: `${why}: it has its name back` };
}

interface Look {
  readonly busy?: string;
  readonly left?: string;
  readonly absent?: true;
  readonly here?: string;
  readonly stat?: BigIntStats;
}

/** Only the one program that the order is about, as a plain file directly in a folder of plugins, while a process runs it. */
async function look(path: string, program: string | undefined, tools: Tools): Promise<Look> {
  const dir = binDirs(tools).find((one) => program !== undefined && path === `${one}/${program}`);
  if (dir === undefined || program === undefined || program.includes("/")) return { left: "it is not the program in question, in a folder of CNI plugins" };
  const here = `${await tools.fs.resolve(dir)}/${program}`;
  let found: BigIntStats;
  try {
    found = await lstat(here, { bigint: true });
  } catch (error) {
    if (isAbsent(error)) return { absent: true, left: "it is gone already" };
    throw error;
  }
  if (!found.isFile()) return { left: found.isSymbolicLink() ? "it is a link" : "it is no file" };
  const { holders, unseen } = await holdersOf(found, tools);
  if (holders.length === 0 && unseen > 0) return { left: `whether a process runs it cannot be told: ${unseen} could not be looked at` };
  if (holders.length === 0) return { left: "no process runs it: it is not busy" };
  return { busy: `${holders.length === 1 ? "process" : "processes"} ${holders.slice(0, MAX_HOLDERS_SAID).join(", ")}${holders.length > MAX_HOLDERS_SAID ? ` and ${holders.length - MAX_HOLDERS_SAID} more` : ""} ${holders.length === 1 ? "runs" : "run"} it`, here, stat: found };
}

/** By device and inode, so a file of the same name elsewhere is none. */
async function holdersOf(file: BigIntStats, { hostRoot }: Tools): Promise<{ readonly holders: readonly string[]; readonly unseen: number }> {
  const root = procRoot(hostRoot);
  const pids = (await readdir(root)).filter((name) => /^\d+$/.test(name));
  const holders: string[] = [];
  let unseen = 0;
  for (const pid of pids) {
    try {
      const exe = await stat(`${root}/${pid}/exe`, { bigint: true });
      if (exe.ino === file.ino && exe.dev === file.dev) holders.push(pid);
    } catch (error) {
      if (!isAbsent(error) && codeOf(error) !== "ESRCH") unseen += 1; // else a kernel thread, or one that has ended
    }
  }
  return { holders, unseen };
}

function binDirs(tools: Tools): readonly string[] {
  const config = tools.report()?.config;
  return config?.looked === true ? config.reading.binDirs : [];
}

/** "/opt/cni/bin/.multus-shim.20261130T201500Z.sandglass-aside": no conflist names a program that begins with a dot. */
function asideOf(path: string, nowMs: number): string {
  const slash = path.lastIndexOf("/");
  const time = new Date(nowMs).toISOString().replace(/\.\d+/, "").replaceAll(/[-:]/g, "");
  return `${path.slice(0, slash)}/.${path.slice(slash + 1)}.${time}.sandglass-aside`;
}

async function isThere(here: string): Promise<boolean> {
  try {
    await lstat(here);
    return true;
  } catch (error) {
    if (isAbsent(error)) return false;
    throw error;
  }
}

/** A copy that has only begun has no bytes yet. */
async function isWhole(here: string): Promise<boolean> {
  return (await isThere(here)) && (await lstat(here)).size > 0;
}
