import { DEFAULT_WAIT_SECONDS } from "../../domain/actions/move-busy-shim-aside";
import type { WorkObject, WorkOrder } from "../../domain/actions/work-order";
import { reasonOf } from "../host-fs";
import type { Entry } from "./host-files";
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
  const { files } = tools;
  try {
    const found = await look(path, params.program, tools);
    if (found.left !== undefined || found.entry === undefined) return { ...object, outcome: "left", reason: found.left ?? "it is gone already" };
    const aside = asideOf(path, tools.clock.now());
    if ((await files.look(aside)) !== undefined) return { ...object, outcome: "left", reason: `${aside} stands there already` };
    // It is given back by a link, which a kernel may refuse for a file of another user: known before anything is moved.
    await files.link(path, aside);
    await files.unlink(aside);
    await tools.note({ path, aside });
    await files.rename(path, aside);
    // Whatever was put at its name since it was looked at goes back there.
    if ((await files.look(aside))?.identity !== found.entry.identity) return { ...object, ...(await settle(path, aside, "it was replaced while it was looked at", tools)) };
    const waitMs = (params.waitSeconds ?? DEFAULT_WAIT_SECONDS) * 1_000;
    const untilMs = tools.clock.now() + waitMs;
    while (tools.clock.now() < untilMs && !tools.over() && !isWhole(await files.look(path))) await tools.sleep(LOOK_EVERY_MS);
    return { ...object, ...(await settle(path, aside, `no new file came in ${Math.round(waitMs / 1_000)} s`, tools)) };
  } catch (error) {
    return { ...object, outcome: "failed", reason: reasonOf(error) };
  }
}

/** What stands at the name now decides: a new file keeps it, and where there is none the old one gets it back. */
async function settle(path: string, aside: string, why: string, { files }: Tools): Promise<Pick<WorkObject, "outcome" | "reason">> {
  const old = await files.look(aside);
  if (old === undefined) return { outcome: "failed", reason: `${why}, and ${aside} is gone` };
  try {
    await files.link(aside, path); // fails where anything stands there: never over a new file
  } catch (error) {
    const now = await files.look(path);
    if (now === undefined) throw error;
    // The same file under both names was given back by an agent that ended right then.
    if (now.identity !== old.identity) return isWhole(now) ? { outcome: "done", reason: `a new file stands there; the old one is ${aside}` } : { outcome: "failed", reason: `a new file of no bytes stands there; the old one is ${aside}` };
  }
  await files.unlink(aside);
  return { outcome: "undone", reason: `${why}: it has its name back` };
}

interface Look {
  readonly busy?: string;
  readonly left?: string;
  readonly absent?: true;
  readonly entry?: Entry;
}

/** Only the one program that the order is about, as a plain file directly in a folder of plugins, while a process runs it. */
async function look(path: string, program: string | undefined, tools: Tools): Promise<Look> {
  const dir = binDirs(tools).find((one) => program !== undefined && path === `${one}/${program}`);
  if (dir === undefined || program === undefined || program.includes("/")) return { left: "it is not the program in question, in a folder of CNI plugins" };
  const entry = await tools.files.look(path);
  if (entry === undefined) return { absent: true, left: "it is gone already" };
  if (entry.kind !== "file") return { left: entry.kind === "link" ? "it is a link" : "it is no file" };
  // By device and inode, so a file of the same name elsewhere is none.
  const { pids, unseen } = await tools.files.holders(entry);
  if (pids.length === 0 && unseen > 0) return { left: `whether a process runs it cannot be told: ${unseen} could not be looked at` };
  if (pids.length === 0) return { left: "no process runs it: it is not busy" };
  const shut = await tools.files.unwritable(dir);
  if (shut !== undefined) return { left: shut };
  const said = `${pids.slice(0, MAX_HOLDERS_SAID).join(", ")}${pids.length > MAX_HOLDERS_SAID ? ` and ${pids.length - MAX_HOLDERS_SAID} more` : ""}`;
  return { busy: pids.length === 1 ? `process ${said} runs it` : `processes ${said} run it`, entry };
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

/** A copy that has only begun has no bytes yet. */
const isWhole = (entry: Entry | undefined): boolean => entry !== undefined && entry.sizeBytes > 0;
