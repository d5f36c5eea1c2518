import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { inRoot } from "./paths.mjs";
import { Sentence, signalGroup } from "./steps.mjs";

const POLL_MS = 250;
const MAX_WAIT_MS = 30 * 60_000;

/** The process's start time in ticks, so that a pid names one process for good; "" where the system does not tell, or it has ended. */
function startTicks(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\) /s, "").split(" ");
    return fields[0] === "Z" ? "" : fields[19];
  } catch (error) {
    if (error.code === "ENOENT" || error.code === "ESRCH") return "";
    throw error;
  }
}

function alive({ pid, ticks }) {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (error.code === "ESRCH") return false;
    if (error.code !== "EPERM") throw error;
  }
  return startTicks(pid) === ticks;
}

function writeOwner(folder, owner) {
  const file = path.join(folder, "owner.json");
  writeFileSync(`${file}.new`, JSON.stringify(owner));
  renameSync(`${file}.new`, file);
}

function ownerOf(folder) {
  try {
    return JSON.parse(readFileSync(path.join(folder, "owner.json"), "utf8"));
  } catch (error) {
    if (error.code === "ENOENT") return undefined;
    throw error;
  }
}

const named = (pid) => ({ pid, ticks: startTicks(pid) });

/**
 * One install or build at a time in a checkout. The lock is a folder that is renamed into place with its owner already
 * in it, so it never stands there without one. The lock of a process that is gone is moved aside, and the command that
 * it left running is ended first. Resolves to `give`, which gives the lock back, and `note`, which writes down the
 * command that the owner runs now.
 */
export async function takeLock(folder = inRoot("dist/.lock"), { waiting = () => {} } = {}) {
  const me = named(process.pid);
  const mine = `${folder}.${process.pid}`;
  rmSync(mine, { recursive: true, force: true });
  mkdirSync(mine, { recursive: true });
  writeOwner(mine, me);
  const note = (pid) => writeOwner(folder, { ...me, command: named(pid) });
  const give = () => {
    if (ownerOf(folder)?.pid === me.pid) rmSync(folder, { recursive: true, force: true });
  };
  const deadline = Date.now() + MAX_WAIT_MS;
  for (let told = false; ; ) {
    try {
      renameSync(mine, folder);
      return { give, note };
    } catch (error) {
      if (!["ENOTEMPTY", "EEXIST", "EPERM"].includes(error.code)) throw error;
    }
    const owner = ownerOf(folder);
    if (owner !== undefined && !alive(owner)) {
      if (owner.command !== undefined && alive(owner.command)) signalGroup(owner.command, "SIGKILL");
      moveAside(folder, owner);
      continue;
    }
    if (Date.now() > deadline) {
      rmSync(mine, { recursive: true, force: true });
      throw new Sentence(`Process ${owner?.pid} has been installing or building in this folder for ${MAX_WAIT_MS / 60_000} minutes: end it and start again.`);
    }
    if (owner !== undefined && !told) waiting(owner.pid);
    told ||= owner !== undefined;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

function moveAside(folder, dead) {
  const aside = `${folder}.dead.${process.pid}`;
  try {
    renameSync(folder, aside);
  } catch (error) {
    if (error.code === "ENOENT") return; // somebody else moved it
    throw error;
  }
  const found = ownerOf(aside);
  // Between look and move another one may have taken the place: give it back.
  if (found !== undefined && (found.pid !== dead.pid || found.ticks !== dead.ticks)) renameSync(aside, folder);
  else rmSync(aside, { recursive: true, force: true });
}
