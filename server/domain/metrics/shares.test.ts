import { describe, expect, it } from "vitest";
import { deadline } from "./deadline";
import { pressureShare, throttledShare } from "./shares";

describe("shares", () => {
  it.each([
    [100, 25, 0.25],
    [100, 0, 0],
    [0, 0, undefined],
    [10, 11, 1],
    [NaN, 1, undefined],
    [10, NaN, undefined],
  ])("of %s periods, %s throttled, are %s", (periods, throttledPeriods, share) => {
    expect(throttledShare(periods, throttledPeriods)).toBe(share);
  });

  it("of waiting say why where they had to be cut off at 1", () => {
    expect(pressureShare(15, 60)).toEqual({ share: 0.25 });
    expect(pressureShare(61, 60)).toEqual({ share: 1, clamped: "61.0 s of waiting were told for 60.0 s: the readings' times are not exact" });
  });
  it.each([
    [1, 0],
    [1, -5],
    [-1, 5],
    [NaN, 5],
    [1, NaN],
  ])("of waiting are not known for %s s in %s s", (waiting, elapsed) => {
    expect(pressureShare(waiting, elapsed)).toBeUndefined();
  });
});

describe("the deadline of RunPodSandbox", () => {
  it.each([
    [15, { seconds: 30, assumed: false }],
    [900, { seconds: 1800, assumed: false }],
    [undefined, { seconds: 240, assumed: true }],
    [0, { seconds: 240, assumed: true }],
    [NaN, { seconds: 240, assumed: true }],
  ])("with runtimeRequestTimeout %s is %o", (timeout, expected) => {
    expect(deadline(timeout)).toEqual(expected);
  });
});
