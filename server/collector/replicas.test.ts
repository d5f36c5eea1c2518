import { expect, test } from "vitest";
import { hurtKey } from "../domain/incident/hurt";
import { namespace, pod, startedPod } from "../domain/testing/builders";
import { MAX_OWNERS_COUNTED, ReplicaCounts } from "./replicas";

const MINUTE_MS = 60_000;
const key = (name: string): string => hurtKey({ namespace: "shop", kind: "StatefulSet", name });
const want = (counts: ReplicaCounts, name: string, nowMs: number): void => counts.want("shop", `StatefulSet/${name}`, `${name}-0`, nowMs);
const podsOf = (name: string) => [startedPod(1, { uid: `${name}-0`, namespace: namespace("shop"), owner: `StatefulSet/${name}` }), pod({ uid: `${name}-1`, namespace: namespace("shop"), owner: `StatefulSet/${name}` })];

test("pods of an owner that waits are counted over the whole cluster, those with a sandbox apart", () => {
  const counts = new ReplicaCounts();
  want(counts, "db", 0);
  counts.refresh([...podsOf("db"), ...podsOf("other")], 0);
  expect(counts.of(key("db"))).toEqual({ started: 1, replicas: 2 });
  expect(counts.of(key("other"))).toBeUndefined();
});

test("owners that wait no longer make room: those of later rollouts are counted too, however many came before", () => {
  const counts = new ReplicaCounts();
  for (let index = 0; index < MAX_OWNERS_COUNTED; index += 1) want(counts, `old-${index}`, 0);
  want(counts, "db", 0);
  counts.refresh(podsOf("db"), 0);
  expect(counts.of(key("db"))).toBeUndefined();
  counts.refresh(podsOf("db"), 6 * MINUTE_MS);
  want(counts, "db", 6 * MINUTE_MS);
  counts.refresh(podsOf("db"), 7 * MINUTE_MS);
  expect(counts.of(key("db"))).toEqual({ started: 1, replicas: 2 });
});

test("an owner that still waits is counted for as long as it does", () => {
  const counts = new ReplicaCounts();
  for (let minute = 0; minute <= 20; minute += 1) {
    want(counts, "db", minute * MINUTE_MS);
    counts.refresh(podsOf("db"), minute * MINUTE_MS);
  }
  expect(counts.of(key("db"))).toEqual({ started: 1, replicas: 2 });
});

test("the cluster's pods are not gone through anew with every owner that is asked for", () => {
  const counts = new ReplicaCounts();
  let passes = 0;
  const pods = { *[Symbol.iterator]() { passes += 1; yield* podsOf("db"); } };
  for (let second = 0; second < 30; second += 1) {
    want(counts, `owner-${second}`, second * 1_000);
    counts.refresh(pods, second * 1_000);
  }
  expect(passes).toBe(10);
});
