import { expect, it } from "vitest";
import { createPace } from "./pace";

it("asks for no more than ten removals a second, however quick they are", () => {
  const pace = createPace();
  pace.done(1, 0);
  expect(pace.pauseMs()).toBe(100);
});

it("pauses longer and longer while removals take long, and goes on as before once they do not", () => {
  const pace = createPace();
  for (let call = 0; call < 5; call++) pace.done(600, undefined);
  expect(pace.pauseMs()).toBe(100);
  const pauses = [2_401, 30_000, 30_000, 30_000, 30_000, 30_000].map((tookMs) => {
    pace.done(tookMs, undefined);
    return pace.pauseMs();
  });
  expect(pauses).toEqual([5_000, 10_000, 20_000, 40_000, 60_000, 60_000]);
  pace.done(2_400, undefined);
  expect(pace.pauseMs()).toBe(100);
});

it("pauses while more callers wait than at its beginning, five forgiven", () => {
  const pace = createPace();
  pace.done(100, 3);
  pace.done(100, 8);
  expect(pace.pauseMs()).toBe(100);
  pace.done(100, 9);
  expect(pace.pauseMs()).toBe(5_000);
  pace.done(100, undefined);
  expect(pace.pauseMs()).toBe(100);
});
