import { readFile } from "node:fs/promises";
import { reasonOf } from "./host-fs";

/**
 * Connections to a Unix socket that its process has not taken yet, from the kernel's own table. The table names a socket
 * by the path that its daemon bound, which may differ from the node's path (a daemon in a container binds /host/run/…), so
 * the last two parts decide.
 */
export type AcceptQueue = { readonly looked: true; readonly waiting: number } | { readonly looked: false; readonly reason: string };

const TABLE = "/proc/net/unix";
const LISTENING = "00010000";
/** A connection in the queue belongs to no process yet, so it has no inode. */
const NO_INODE = "0";

export async function acceptQueue(path: string, table: string = TABLE): Promise<AcceptQueue> {
  let text: string;
  try {
    text = await readFile(table, "utf8");
  } catch (error) {
    return { looked: false, reason: `${table} could not be read: ${reasonOf(error)}` };
  }
  return countWaiting(text, path);
}

/** Columns: Num RefCount Protocol Flags Type St Inode Path. */
export function countWaiting(text: string, path: string): AcceptQueue {
  const tail = `/${path.split("/").slice(-2).join("/")}`;
  let listening = false;
  let waiting = 0;
  for (const line of text.split("\n")) {
    if (!line.endsWith(tail)) continue;
    const columns = line.trim().split(/\s+/);
    if (columns[3] === LISTENING) listening = true;
    else if (columns[6] === NO_INODE) waiting += 1;
  }
  return listening ? { looked: true, waiting } : { looked: false, reason: "its process listens in another network namespace" };
}
