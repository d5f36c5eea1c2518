import { appendFile, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { WorkOrder } from "../../domain/actions/work-order";
import { holdAlone } from "./alone";
import { openJournal } from "./journal";

const order = (id: string): WorkOrder => ({ id, node: "node-1", action: "purge-dead-sandboxes", dry: false, planVersion: "v1", requestedBy: "anna", issuedMs: 1_000, expiresMs: 2_000, params: {}, objects: ["a"] });
const HOUR_MS = 3_600_000;

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), "sg-journal-"));
});
afterEach(async () => {
  await rm(dir, { recursive: true, force: true });
});

it("begins an order once, also for another process and after a restart", async () => {
  const [one, other] = [await openJournal(dir), await openJournal(dir)];
  const begun = await Promise.all([one, other, one, other].map((journal) => journal.begin(order("order-0001"))));
  expect(begun.filter((first) => first)).toHaveLength(1);
  expect(await (await openJournal(dir)).begin(order("order-0001"))).toBe(false);
});

it("gives back what was written, in its order; a line that was cut off is no fact", async () => {
  const journal = await openJournal(dir);
  await journal.begin(order("order-0001"));
  await journal.note("order-0001", { begins: "a" });
  await journal.object("order-0001", { id: "a", name: "default/web-0", outcome: "done" });
  await appendFile(path.join(dir, "order-0001.jsonl"), '{"object":{"id":"b","na');
  expect(await journal.read("order-0001")).toEqual({ order: order("order-0001"), objects: [{ id: "a", name: "default/web-0", outcome: "done" }], notes: [{ begins: "a" }], settled: false });
  expect(await journal.open()).toHaveLength(1);
  await journal.end("order-0001", "told to end");
  await journal.settled("order-0001");
  expect(await journal.open()).toEqual([]);
});

it("writes through no link that stands in an order's place", async () => {
  await mkdir(path.join(dir, "elsewhere"));
  await symlink(path.join(dir, "elsewhere/file"), path.join(dir, "order-0001.jsonl"));
  const journal = await openJournal(dir);
  expect(await journal.begin(order("order-0001"))).toBe(false);
});

it("remembers an order longer than it is good for, and a told one less long than one that nobody took", async () => {
  const journal = await openJournal(dir);
  await journal.begin(order("order-0001"));
  await journal.begin(order("order-0002"));
  await journal.settled("order-0001");
  await journal.tidy(2_000 + HOUR_MS);
  expect(await journal.read("order-0001")).toBeDefined();
  await journal.tidy(2_001 + HOUR_MS);
  expect([await journal.read("order-0001"), (await journal.read("order-0002"))?.order.id]).toEqual([undefined, "order-0002"]);
  await journal.tidy(2_001 + 24 * HOUR_MS);
  expect(await journal.read("order-0002")).toBeUndefined();
});

it("is full at its bound, and says so rather than forget", async () => {
  const journal = await openJournal(dir);
  await Promise.all(Array.from({ length: 512 }, (_, index) => writeFile(path.join(dir, `order-${String(index)}.jsonl`), "")));
  await expect(journal.begin(order("one-more"))).rejects.toThrow(/no more fit/);
});

it("is held by one process at a time, and let go with it", async () => {
  const held = await holdAlone(dir);
  expect(held).toBeDefined();
  expect(await holdAlone(dir)).toBeUndefined();
  await held?.release();
  const again = await holdAlone(dir);
  expect(again).toBeDefined();
  await again?.release();
});
