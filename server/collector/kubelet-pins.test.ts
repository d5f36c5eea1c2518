import { expect, test } from "vitest";
import type { Clock } from "../clock";
import type { KubeletKey } from "../store/types";
import { kubeletPins } from "./kubelet-pins";

function setUp(stored: readonly KubeletKey[] = []) {
  let nowMs = 1_000_000;
  const clock: Clock = { now: () => nowMs, after: () => () => {}, rate: 1 };
  const told: KubeletKey[] = [];
  const store = new Map(stored.map((key) => [key.node, key]));
  return { pins: kubeletPins({ clock, storedKeys: () => store, onKey: (key) => told.push(key) }), told, store, pass: (ms: number) => (nowMs += ms) };
}
const kept: KubeletKey = { node: "a", sha256: "old", seenMs: 1 };

test("another key is offered once, however often it is shown", () => {
  const { pins, told } = setUp([kept]);
  pins.changed("a", "new");
  pins.changed("a", "new");
  expect(told).toEqual([{ ...kept, offeredSha256: "new" }]);
});

test("a kubelet that shows its accepted key again offers no other any more, and that is told once", () => {
  const { pins, told } = setUp([kept]);
  pins.shown("a");
  pins.changed("a", "new");
  pins.shown("a");
  pins.shown("a");
  expect(told).toEqual([{ ...kept, offeredSha256: "new" }, kept]);
});

test("a key that a person accepted counts after ten seconds, also by a clock that steps back", () => {
  for (const ms of [10_001, -10_001]) {
    const { pins, store, pass } = setUp([kept]);
    store.set("a", { ...kept, sha256: "new" });
    expect(pins.known("a")).toBe("old");
    pass(ms);
    expect(pins.known("a")).toBe("new");
  }
});

test("a key that the store does not have yet stays known", () => {
  const { pins, pass } = setUp();
  pins.firstSeen("a", "first");
  pass(10_001);
  expect(pins.known("a")).toBe("first");
});
