import { describe, expect, it } from "vitest";
import { formatSeconds } from "./numbers";
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

  it("writes a length of time as summaries do, and shorter in a gutter", () => {
    expect(formatDuration(250)).toBe("4 min 10 s");
    expect(formatDuration(250, "short")).toBe("4 m 10 s");
    expect(formatDuration(4_440, "short")).toBe("1 h 14 m");
    expect(formatDuration(-4)).toBe("0 s");
  });
});

describe("numbers", () => {
  it.each([[0, "0 s"], [0.0004, "1 ms"], [0.012, "12 ms"], [1.42, "1.4 s"], [14.2, "14 s"], [119, "119 s"], [250, "4 min 10 s"]])("writes a latency of %d as %s", (value, text) => {
    expect(formatSeconds(value)).toBe(text);
  });
});
