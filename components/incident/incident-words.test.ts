import { expect, test } from "vitest";
import type { StoryItemOut } from "@/server/contract/incidents";
import { incident } from "./testing/incident";
import { attemptWords, foldRepeats, hurtWords, lastedWords, matches, nodeHref, repeatWords, replicaWords, stateView } from "./incident-words";

const NOW = Date.parse("2026-03-17T04:00:00Z");

test("a state is shown by a word and, where it is one of the four answers, by its shape; unknown is never the shape of yes", () => {
  expect(stateView(incident({ state: "open" }))).toEqual({ words: "Open", tone: "bad", look: "no" });
  expect(stateView(incident({ state: "open", severity: "risks" }))).toMatchObject({ tone: "warn", look: "risk" });
  expect(stateView(incident({ state: "unknown" }))).toMatchObject({ tone: "unknown", look: "unknown" });
  expect(stateView(incident({ state: "recovering" })).look).toBeUndefined();
  expect(stateView(incident({ state: "closed", closedBecause: "node-gone" })).look).toBeUndefined();
});

test("one that is over lasted until recovery, one that is not until now", () => {
  expect(lastedWords(incident({ sign: "2026-03-17T02:24:31Z" }), NOW)).toBe("1 h 35 min so far");
  expect(lastedWords(incident({ state: "closed", sign: "2026-03-17T02:25:00Z", recovered: "2026-03-17T03:14:00Z", closed: "2026-03-17T03:19:00Z" }), NOW)).toBe("49 min");
});

test("who is hurt names the system first, and nobody seen is not zero", () => {
  expect(hurtWords({ workloads: 0, waiting: 0, system: [] })).toBe("nobody seen");
  expect(hurtWords({ workloads: 3, waiting: 9, system: ["coredns", "csi-node", "webhook"] })).toBe("3 workloads, with coredns, csi-node …");
  expect([replicaWords({}), replicaWords({ started: 0, replicas: 2 })]).toEqual(["not counted", "0 of 2"]);
});

test("a filter finds number, title, node, pool and cause, all words of it", () => {
  const one = incident({ id: 12, title: "node-07 cannot start pods", pool: "edge" });
  expect(["12", "NODE-07", "edge start", "daemon-down"].map((typed) => matches(one, typed))).toEqual([true, true, true, true]);
  expect(matches(one, "edge other")).toBe(false);
});

test("attempts are counted as people do, and a node's link carries the range", () => {
  expect([attemptWords({ from: 3, to: 3 }), attemptWords({ from: 1, to: 4 })]).toEqual(["attempt 3", "attempts 1–4"]);
  expect(nodeHref("node-07", "2026-03-17T02:24:31.400Z", "2026-03-17T03:00:00.000Z")).toBe("/nodes/node-07?from=2026-03-17T02:24:31Z&to=2026-03-17T03:00:00Z");
});

test("causes that come and go fold to one entry, nothing is left out, and what is new stays a line of its own", () => {
  const line = (title: string, tone: StoryItemOut["tone"], repeats?: true): StoryItemOut => ({ at: "2026-03-17T02:24:31Z", kind: "cause", tone, title, ...(repeats === undefined ? {} : { repeats }) });
  const story = [line("a", "bad"), line("a over", "ok", true), line("b", "bad"), line("a again", "bad", true), line("b over", "ok", true), line("a hidden", "unknown", true), line("c", "bad")];
  const folded = foldRepeats(story);
  expect(folded.map((run) => run.map(({ title }) => title))).toEqual([["a"], ["a over"], ["b"], ["a again", "b over", "a hidden"], ["c"]]);
  expect(repeatWords(folded[3] ?? [])).toBe("3 changes of causes told before: 1 there again, 1 over, 1 out of sight");
});
