import { expect, it } from "vitest";
import { nextDueMs, offsetMs } from "./schedule";
import { createSlots } from "./slots";

it("no more run at once than there are slots, and those that wait enter in order", () => {
  const slots = createSlots(2);
  const entered: string[] = [];
  for (const name of ["a", "b", "c", "d"]) slots.request(() => entered.push(name));
  expect(entered).toEqual(["a", "b"]);
  expect([slots.taken, slots.waiting]).toEqual([2, 2]);
  slots.release();
  expect(entered).toEqual(["a", "b", "c"]);
  for (let index = 0; index < 3; index += 1) slots.release();
  expect([slots.taken, slots.waiting]).toEqual([0, 0]);
});

it("one that no longer waits does not enter", () => {
  const slots = createSlots(1);
  const entered: string[] = [];
  slots.request(() => entered.push("a"));
  const leave = slots.request(() => entered.push("b"));
  slots.request(() => entered.push("c"));
  leave();
  slots.release();
  expect(entered).toEqual(["a", "c"]);
});

it("a node's turn is always ahead, at its place in the period", () => {
  for (const now of [0, 14_999, 15_000, 1_800_000_000_123]) {
    const offset = offsetMs("node-1 metrics", 15_000);
    const due = nextDueMs(now, offset, 15_000);
    expect(due).toBeGreaterThan(now);
    expect(due - now).toBeLessThanOrEqual(15_000);
    expect(due % 15_000).toBe(offset);
  }
});
