import fc from "fast-check";
import { expect, test } from "vitest";
import { fullJitterMs } from "./backoff";
import { reportBuffer, type Held } from "./buffer";
import { countLosses } from "./losses";

const held = (sequence: number, bytes = 10): Held => ({ atMs: sequence * 1_000, sequence, body: Buffer.alloc(bytes) });

test("what was sent or refused leaves, the rest stays in order", () => {
  const buffer = reportBuffer({ maxAgeMs: 1e9, maxBytes: 1e9 }, () => undefined);
  for (const sequence of [1, 2, 3]) buffer.add(held(sequence));
  buffer.remove(1);
  buffer.remove(99);
  expect([buffer.first()?.sequence, buffer.length, buffer.bytes]).toEqual([2, 2, 20]);
});

test("over the bound of bytes, the older half is thinned, the newest always stays, and the loss is told", () => {
  const lost: string[] = [];
  const buffer = reportBuffer({ maxAgeMs: 1e9, maxBytes: 80 }, (gone, reason) => lost.push(`${String(gone.length)} ${reason}`));
  for (let sequence = 1; sequence <= 9; sequence += 1) buffer.add(held(sequence));
  const left: number[] = [];
  for (let one = buffer.first(); one !== undefined; one = buffer.first()) {
    left.push(one.sequence);
    buffer.remove(one.sequence);
  }
  expect(left).toEqual([2, 4, 6, 7, 8, 9]);
  expect(lost).toEqual(["3 thinned"]);
});

test("a report that gives way while it is being sent counts as lost only where it does not arrive", () => {
  for (const arrives of [true, false]) {
    const lost: number[] = [];
    const buffer = reportBuffer({ maxAgeMs: 1e9, maxBytes: 30 }, (gone) => lost.push(...gone.map(({ sequence }) => sequence)));
    for (const sequence of [1, 2, 3]) buffer.add(held(sequence));
    expect(buffer.first()?.sequence).toBe(1);
    buffer.add(held(4));
    expect([buffer.length, lost]).toEqual([3, []]);
    if (arrives) buffer.remove(1);
    else buffer.unsent(1);
    expect(lost).toEqual(arrives ? [] : [1]);
    expect(buffer.first()?.sequence).toBe(2);
  }
});

test("what was given up is told by its number and reason and the span of time that it was made in, and nothing is told where nothing was", () => {
  const losses = countLosses();
  expect(losses.told()).toEqual({ thinned: 0, tooOld: 0 });
  losses.add([held(4), held(2)], "thinned");
  losses.add([held(1)], "too old");
  losses.add([held(3)], "thinned");
  expect(losses.told()).toEqual({ thinned: 3, tooOld: 1, fromMs: 1_000, toMs: 4_000 });
});

test("what is older than the bound of age leaves, and the loss is told", () => {
  const lost: string[] = [];
  const buffer = reportBuffer({ maxAgeMs: 5_000, maxBytes: 1e9 }, (gone, reason) => lost.push(`${String(gone.length)} ${reason}`));
  for (let sequence = 1; sequence <= 8; sequence += 1) buffer.add(held(sequence));
  expect([buffer.first()?.sequence, buffer.length]).toEqual([3, 6]);
  expect(lost).toEqual(["1 too old", "1 too old"]);
});

test("whatever comes, the bounds hold, the newest is kept and every report is either there or told lost", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 120 }), { minLength: 1, maxLength: 60 }), (sizes) => {
      let lost = 0;
      const buffer = reportBuffer({ maxAgeMs: 20_000, maxBytes: 200 }, (gone) => (lost += gone.length));
      sizes.forEach((size, at) => {
        buffer.add(held(at + 1, size));
        expect(buffer.bytes <= 200 || buffer.length === 1).toBe(true);
      });
      expect(buffer.length + lost).toBe(sizes.length);
      let newest = 0;
      for (let one = buffer.first(); one !== undefined; one = buffer.first()) {
        expect(one.sequence).toBeGreaterThan(newest);
        newest = one.sequence;
        buffer.remove(one.sequence);
      }
      expect(newest).toBe(sizes.length);
      expect(buffer.bytes).toBe(0);
    }),
  );
});

test("the wait after a failure lies between nothing and a ceiling that doubles up to its bound", () => {
  const almostOne = 1 - Number.EPSILON;
  expect([1, 2, 3, 4, 50].map((failures) => Math.round(fullJitterMs(failures, 1_000, 6_000, almostOne)))).toEqual([1_000, 2_000, 4_000, 6_000, 6_000]);
  expect(fullJitterMs(5, 1_000, 6_000, 0)).toBe(0);
});
