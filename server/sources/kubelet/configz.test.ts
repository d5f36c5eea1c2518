import { describe, expect, it } from "vitest";
import { parseGoDuration } from "@/server/domain/go-duration";
import { readRuntimeRequestTimeout } from "./configz";

describe("a duration as Go writes it", () => {
  it.each([
    ["2m0s", 120],
    ["15s", 15],
    ["15m0s", 900],
    ["1h30m0s", 5400],
    ["1.5s", 1.5],
    ["100ms", 0.1],
    ["5µs", 5e-6],
    ["0", 0],
    ["0s", 0],
    ["", undefined],
    ["2", undefined],
    ["-2m", undefined],
    ["2 m", undefined],
    ["m", undefined],
    ["2d", undefined],
  ])("%s is %s s", (text, seconds) => {
    if (seconds === undefined) expect(parseGoDuration(text)).toBeUndefined();
    else expect(parseGoDuration(text)).toBeCloseTo(seconds, 9);
  });
});

it("a time-out of nothing is no time-out that anything can be judged by", () => {
  expect(() => readRuntimeRequestTimeout('{"kubeletconfig":{"runtimeRequestTimeout":"0s"}}')).toThrow("runtimeRequestTimeout");
});
