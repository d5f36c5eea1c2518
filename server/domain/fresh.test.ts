import { describe, expect, it } from "vitest";
import { freshMsOf, hasReadySandbox, trackFresh } from "./fresh";
import { NOW_MS, pod, secondsAgo, startedPod, waitingSince } from "./testing/builders";

describe("a fresh sandbox", () => {
  it("is that of a pod which is not on the host's network, from when its condition turned True", () => {
    expect(freshMsOf(startedPod(secondsAgo(40)))).toBe(secondsAgo(40));
    expect(freshMsOf(startedPod(secondsAgo(40), { hostNetwork: true }))).toBeUndefined();
    expect(freshMsOf(waitingSince(secondsAgo(40)))).toBeUndefined();
  });

  it("counts for a pod that is being deleted, which did start", () => {
    expect(freshMsOf(startedPod(secondsAgo(40), { deleting: true }))).toBe(secondsAgo(40));
  });

  it("has no time where none is told", () => {
    expect(freshMsOf(pod({ readyToStart: { status: true } }))).toBeUndefined();
    expect(freshMsOf(pod({ hasIp: true }))).toBeUndefined();
  });

  it("before 1.29, is proven by the first container's start and by no later one", () => {
    const began = pod({ hasIp: true, containerStartedMs: secondsAgo(300) });
    expect(freshMsOf(began)).toBe(secondsAgo(300));
    const crashedAndStarted = pod({ hasIp: true, containerStartedMs: secondsAgo(10) });
    expect(freshMsOf(crashedAndStarted, began)).toBeUndefined();
    expect(freshMsOf(began, pod())).toBe(secondsAgo(300));
    expect([hasReadySandbox(pod()), hasReadySandbox(pod({ hasIp: true })), hasReadySandbox(began)]).toEqual([false, true, true]);
  });

  it("is remembered after its pod is gone or lost it, and never moves back", () => {
    let lastFreshMs = trackFresh(undefined, startedPod(secondsAgo(40)), NOW_MS);
    lastFreshMs = trackFresh(lastFreshMs, startedPod(secondsAgo(90)), NOW_MS);
    lastFreshMs = trackFresh(lastFreshMs, waitingSince(secondsAgo(10)), NOW_MS);
    lastFreshMs = trackFresh(lastFreshMs, startedPod(secondsAgo(20), { phase: "Succeeded", readyToStart: { status: false, sinceMs: secondsAgo(5) } }), NOW_MS);
    expect(lastFreshMs).toBe(secondsAgo(40));
  });

  it("cannot prove the future, where a node's clock is ahead", () => {
    expect(trackFresh(undefined, startedPod(NOW_MS + 3_600_000), NOW_MS)).toBe(NOW_MS);
  });
});
