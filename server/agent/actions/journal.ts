import { constants } from "node:fs";
import { mkdir, open, readdir, unlink } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { mergeObjects, OBJECT_OUTCOMES, type WorkObject, type WorkOrder } from "../../domain/actions/work-order";
import { codeOf } from "../host-fs";
import { storedOrder } from "./order";

/**
 * What this agent was ordered to do, on the disk before it is done: an id that is here is never begun again, whatever restarts in
 * between. One file an order, a line a fact.
 */
export interface Journal {
  /** False where the order is known already. Throws where it cannot be written: then nothing may be done. */
  begin(order: WorkOrder): Promise<boolean>;
  object(id: string, object: WorkObject): Promise<void>;
  note(id: string, note: Readonly<Record<string, string>>): Promise<void>;
  end(id: string, reason: string | undefined): Promise<void>;
  /** The server has the last word on it. */
  settled(id: string): Promise<void>;
  read(id: string): Promise<JournalEntry | undefined>;
  /** Orders whose end the server has not taken yet, oldest first. */
  open(): Promise<readonly JournalEntry[]>;
  /** Forgets orders that could not be carried out again anyway. */
  tidy(nowMs: number): Promise<void>;
}

export interface JournalEntry {
  readonly order: WorkOrder;
  readonly objects: readonly WorkObject[];
  readonly notes: readonly Readonly<Record<string, string>>[];
  readonly end?: { readonly reason?: string };
  readonly settled: boolean;
}

/** Orders that are remembered. An expired one is refused by its time, so older ones need no memory. */
const MAX_ENTRIES = 512;
const MAX_FILE_BYTES = 4 * 1024 * 1024;
const SETTLED_KEPT_MS = 3_600_000;
const UNSETTLED_KEPT_MS = 24 * 3_600_000;
const SUFFIX = ".jsonl";

const Line = z.object({
  object: z.object({ id: z.string(), name: z.string(), outcome: z.enum(OBJECT_OUTCOMES), reason: z.string().exactOptional() }).exactOptional(),
  note: z.record(z.string(), z.string()).exactOptional(),
  end: z.object({ reason: z.string().exactOptional() }).exactOptional(),
  settled: z.literal(true).exactOptional(),
});

export async function openJournal(dir: string): Promise<Journal> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const fileOf = (id: string): string => path.join(dir, `${id}${SUFFIX}`);
  const ids = async (): Promise<readonly string[]> => (await readdir(dir)).filter((name) => name.endsWith(SUFFIX)).map((name) => name.slice(0, -SUFFIX.length)).sort();

  const append = async (id: string, line: object, flags: number): Promise<void> => {
    const file = await open(fileOf(id), flags | constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW, 0o600);
    try {
      await file.appendFile(`${JSON.stringify(line)}\n`);
      await file.datasync();
    } finally {
      await file.close();
    }
  };
  const read = async (id: string): Promise<JournalEntry | undefined> => {
    let text: string;
    try {
      text = await textOf(fileOf(id));
    } catch (error) {
      if (codeOf(error) === "ENOENT") return undefined;
      throw error;
    }
    return entryOf(text);
  };

  return {
    begin: async (order) => {
      if ((await ids()).length >= MAX_ENTRIES) throw new Error(`${dir} remembers ${String(MAX_ENTRIES)} orders, and no more fit`);
      try {
        await append(order.id, { order }, constants.O_CREAT | constants.O_EXCL);
      } catch (error) {
        if (codeOf(error) === "EEXIST") return false;
        throw error;
      }
      // The name has to be on the disk too, or a power loss forgets the order.
      const folder = await open(dir, constants.O_RDONLY | constants.O_DIRECTORY);
      await folder.sync().finally(() => folder.close());
      return true;
    },
    object: (id, object) => append(id, { object }, 0),
    note: (id, note) => append(id, { note }, 0),
    end: (id, reason) => append(id, { end: reason === undefined ? {} : { reason } }, 0),
    settled: (id) => append(id, { settled: true }, 0),
    read,
    open: async () => {
      const entries = await Promise.all((await ids()).map(read));
      return entries.flatMap((entry) => (entry === undefined || entry.settled ? [] : [entry])).sort((a, b) => a.order.issuedMs - b.order.issuedMs);
    },
    tidy: async (nowMs) => {
      for (const id of await ids()) {
        const entry = await read(id);
        if (entry !== undefined && nowMs > entry.order.expiresMs + (entry.settled ? SETTLED_KEPT_MS : UNSETTLED_KEPT_MS)) await unlink(fileOf(id));
      }
    },
  };
}

async function textOf(path: string): Promise<string> {
  const file = await open(path, constants.O_RDONLY);
  try {
    const { size } = await file.stat();
    if (size > MAX_FILE_BYTES) throw new Error(`${path} is longer than an order's record can be`);
    return await file.readFile("utf8"); // written by this process alone, a line at a time
  } finally {
    await file.close();
  }
}

/** Undefined where not even its first line was written whole: then nothing was begun. A last line that was cut off is no fact. */
function entryOf(text: string): JournalEntry | undefined {
  const [first = "", ...rest] = text.split("\n");
  const order = storedOrder(jsonOf(first));
  if (order === undefined) return undefined;
  const lines = rest.flatMap((line) => Line.safeParse(jsonOf(line)).data ?? []);
  const end = lines.flatMap((line) => line.end ?? [])[0];
  return {
    order,
    objects: mergeObjects([], lines.flatMap((line) => line.object ?? [])),
    notes: lines.flatMap(({ note }) => (note === undefined ? [] : [note])),
    settled: lines.some((line) => line.settled === true),
    ...(end === undefined ? {} : { end }),
  };
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
