import { expect, it } from "vitest";
import type { WaitingPod } from "../answer";
import type { EventObject } from "../model";
import { event, NOW_MS, pod, secondsAgo } from "../testing/builders";
import { errorGroups } from "./error-groups";
import { MAX_PODS_NAMED } from "./types";

const waiting = (uid: string, sinceMs = secondsAgo(300)): WaitingPod => ({ uid, namespace: "default", name: `pod-${uid}`, system: false, hold: { kind: "waiting", sinceMs, stuck: true }, attemptsSeen: 1 });
const failed = (uid: string, message: string, lastMs = secondsAgo(10)): EventObject => event("FailedCreatePodSandBox", lastMs, { message, about: { kind: "Pod", namespace: "default", name: `pod-${uid}`, uid } });
const by = (events: readonly EventObject[]) => (uid: string): readonly EventObject[] => events.filter(({ about }) => about.uid === uid);

it("counts each pod once, names a bounded number of them, and keeps the newest text", () => {
  const uids = Array.from({ length: 3 * MAX_PODS_NAMED }, (_, i) => `u${i}`);
  const events = uids.flatMap((uid, i) => [failed(uid, "one thing", secondsAgo(100 + i)), failed(uid, "one thing", secondsAgo(50 + i))]);
  const groups = errorGroups(uids.map((uid, i) => waiting(uid, secondsAgo(i === 3 ? 300 : 200))), new Map(), by(events), NOW_MS);
  expect(groups).toHaveLength(1);
  expect(groups[0]).toMatchObject({ count: uids.length, lastMs: secondsAgo(50), firstMs: secondsAgo(100 + uids.length - 1) });
  expect(groups[0]?.pods).toHaveLength(MAX_PODS_NAMED);
  expect(groups[0]?.waitingSinceMs).toBe(secondsAgo(300));
});

it("leaves out what was said before the pod began to wait, and of pods that have a sandbox", () => {
  const events = [failed("a", "old", secondsAgo(900)), failed("b", "of a pod that runs")];
  expect(errorGroups([waiting("a")], new Map([["b", pod({ uid: "b" })]]), by(events), NOW_MS)).toEqual([]);
});

it("leaves out what a pod said before it said something else for longer than a try takes, and keeps both while it says them in turn", () => {
  const first = (uid: string, lastMs: number): EventObject => failed(uid, "rpc error: code = DeadlineExceeded desc = context deadline exceeded", lastMs);
  const since = (uid: string): EventObject => failed(uid, 'failed to reserve sandbox name "x": name "x" is reserved for "0f"', secondsAgo(5));
  const groups = errorGroups([waiting("past", secondsAgo(900)), waiting("turns", secondsAgo(900))], new Map(), by([first("past", secondsAgo(400)), since("past"), first("turns", secondsAgo(200)), since("turns")]), NOW_MS);
  expect(groups.map(({ text, pods }) => [text.includes("reserve"), [...pods].sort()])).toEqual([[true, ["default/pod-past", "default/pod-turns"]], [false, ["default/pod-turns"]]]);
});

it("takes in what keeps a pod from being torn down", () => {
  const event1 = event("FailedKillPod", secondsAgo(20), { message: "error killing pod", about: { kind: "Pod", namespace: "default", name: "pod-d", uid: "d" } });
  const groups = errorGroups([], new Map([["d", pod({ uid: "d", deleting: true })]]), by([event1]), NOW_MS);
  expect(groups.map(({ pods }) => pods)).toEqual([["default/pod-d"]]);
  expect(groups[0]).not.toHaveProperty("waitingSinceMs");
});
