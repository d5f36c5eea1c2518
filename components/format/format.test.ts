import { describe, expect, it } from "vitest";
import { formatBytes, formatCores, formatSeconds, formatSecondsRange, formatShare, plural } from "./numbers";
import { formatClock, formatDuration, formatInstant, formatWhen, isZone, zoneLabel } from "./time";

const AT = Date.UTC(2026, 2, 17, 2, 36, 4);

describe("times", () => {
  it("shows one instant in UTC and in another zone, and names the zone", () => {
    expect(formatClock(AT, "UTC")).toBe("02:36:04");
    expect(formatClock(AT, "Europe/Berlin", "minute")).toBe("03:36");
    expect(formatInstant(AT, "UTC")).toBe("17 Mar 2026, 02:36:04 UTC");
    expect(zoneLabel("America/New_York")).toBe("New York");
  });

  it("adds the day where an instant is not of today", () => {
    expect(formatWhen(AT, AT + 60_000, "UTC", "minute")).toBe("02:36");
    expect(formatWhen(AT, AT + 86_400_000, "UTC", "minute")).toBe("17 Mar 02:36");
  });

  it("knows a zone from a text that is none", () => {
    expect(isZone("Asia/Tokyo")).toBe(true);
    expect(isZone("Nowhere/Land")).toBe(false);
    expect(isZone("x".repeat(80))).toBe(false);
  });

  it.each([
    [0, "0 s"], [-4, "0 s"], [51.9, "51 s"], [60, "1 min"], [250, "4 min 10 s"], [605, "10 min"], [2_160, "36 min"],
    [3_600, "1 h"], [4_440, "1 h 14 min"], [10_920, "3 h 02 min"], [100_800, "1 d 4 h"], [172_800, "2 d"],
  ])("writes %d seconds as %s", (seconds, text) => {
    expect(formatDuration(seconds)).toBe(text);
  });
});

describe("numbers", () => {
  it.each([[0, "0 s"], [0.0004, "1 ms"], [0.012, "12 ms"], [1.42, "1.4 s"], [14.2, "14 s"], [119, "119 s"], [250, "4 min 10 s"]])("writes a latency of %d as %s", (value, text) => {
    expect(formatSeconds(value)).toBe(text);
  });

  it("writes a percentile inside a bucket as a range, and above the last bucket as more than its edge", () => {
    expect(formatSecondsRange(119.2, 298)).toBe("119–298 s");
    expect(formatSecondsRange(1.2207, 3.0518)).toBe("1.2–3.1 s");
    expect(formatSecondsRange(0.03125, 0.078)).toBe("31–78 ms");
    expect(formatSecondsRange(0, 0.005)).toBe("0–5 ms");
    expect(formatSecondsRange(745.06, undefined)).toBe("> 745 s");
  });

  it("writes bytes and cores as manifests do", () => {
    expect(formatBytes(684 * 1_024 ** 2)).toBe("684 Mi");
    expect(formatBytes(4 * 1_024 ** 3)).toBe("4 Gi");
    expect(formatBytes(1.757 * 1_024 ** 3)).toBe("1.76 Gi");
    expect(formatCores(0.1)).toBe("100m");
    expect(formatCores(2)).toBe("2");
  });

  it("never rounds something down to nothing", () => {
    expect(formatShare(0)).toBe("0 %");
    expect(formatShare(0.004)).toBe("< 1 %");
    expect(formatShare(0.996)).toBe("100 %");
  });

  it("counts with the right word", () => {
    expect(plural(1, "node")).toBe("1 node");
    expect(plural(420, "node")).toBe("420 nodes");
  });
});
