import { describe, expect, it } from "vitest";
import { explain } from "../messages/explain";
import type { EventObject } from "../model";
import { event } from "../testing/builders";
import { groupAttempts, MAX_PODS_IN_GROUP } from "./attempts";
import { fleetStory, MAX_EVENT_GROUPS, MAX_STORY_ITEMS, nodeStory, type NodeStoryParts } from "./story";
import { MINUTE, SECOND, T0 } from "./testing/looks";
import type { FleetIncident, NodeIncident } from "./types";

const REFUSED = (id: string): string => `Failed to create pod sandbox: rpc error: code = Unknown desc = failed to setup network for sandbox "${id}": plugin type="multus-shim" name="multus-cni-network" failed (add): CmdAdd (shim): CNI request failed with status 400: 'failed to send CNI request: Post "http://dummy/cni": dial unix /run/multus/multus.sock: connect: connection refused'`;
const failed = (pod: string, firstMs: number, over: Partial<EventObject> = {}): EventObject => event("FailedCreatePodSandBox", firstMs, { message: REFUSED("0123456789abcdef0123"), about: { kind: "Pod", namespace: "shop", name: pod, uid: pod }, firstMs, lastMs: firstMs, ...over });

const incident = { scope: "node", node: "node-07", id: 1 } as NodeIncident; // a story reads nothing else of it
const parts = (over: Partial<NodeStoryParts>): NodeStoryParts => ({ incident, entries: [], answers: [], gaps: [], events: [], changes: [], runs: [], people: [], explain, ...over });
const titles = (over: Partial<NodeStoryParts>): readonly string[] => nodeStory(parts(over)).items.map(({ title }) => title);

describe("attempts", () => {
  it("are numbered for each pod, over all that its errors mean, and grouped by what they mean", () => {
    const groups = groupAttempts(
      [
        failed("web-1", T0, { count: 2, lastMs: T0 + MINUTE }),
        failed("web-1", T0 + 2 * MINUTE, { message: REFUSED("fedcba9876543210fedc") }),
        failed("web-1", T0 + 3 * MINUTE, { message: "Failed to create pod sandbox: rpc error: code = DeadlineExceeded desc = context deadline exceeded" }),
        failed("web-2", T0 + MINUTE),
      ],
      explain,
    );
    expect(groups.map(({ events, pods }) => [events, pods])).toEqual([[4, 2], [1, 1]]);
    expect(groups[0]?.cause).not.toBe("unknown");
    expect(groups[0]?.named[0]).toMatchObject({ pod: "shop/web-1", attempts: 3, runs: [{ from: 1, to: 2, firstMs: T0, lastMs: T0 + MINUTE }, { from: 3, to: 3 }] });
    expect(groups[1]?.named[0]?.runs).toMatchObject([{ from: 4, to: 4 }]);
    expect(groups[0]).toMatchObject({ firstMs: T0, lastMs: T0 + 2 * MINUTE });
  });

  it("of hundreds of pods name a bounded number of them and count all", () => {
    const [group] = groupAttempts(Array.from({ length: 300 }, (_, pod) => failed(`web-${pod}`, T0 + pod)), explain);
    expect([group?.pods, group?.events, group?.named.length]).toEqual([300, 300, MAX_PODS_IN_GROUP]);
  });

  it("whose texts name their pods mean one thing, however many pods there are", () => {
    const reserved = (pod: number): EventObject => {
      const [name, uid] = [`web-${pod.toString(36)}f7-${pod.toString(36)}x`, `${pod.toString(16).padStart(8, "a")}-bcde-4abc-9def-0123456789ab`];
      return failed(name, T0 + pod, { message: `Failed to create pod sandbox: rpc error: code = Unknown desc = failed to reserve sandbox name "${name}_shop_${uid}_0": name "${name}_shop_${uid}_0" is reserved for "${pod.toString(16).padStart(64, "e")}"` });
    };
    const groups = groupAttempts(Array.from({ length: 400 }, (_, pod) => reserved(pod)), explain);
    expect(groups.map(({ cause, pods }) => [cause, pods])).toEqual([["runtime-stuck-or-slow", 400]]);
  });

  it("of too many texts that differ are said not to have been read, never that their text says nothing", () => {
    const letters = (index: number): string => [...String(index)].map((digit) => "ghijklmnop".charAt(Number(digit))).join("");
    const told = titles({ events: Array.from({ length: 300 }, (_, index) => failed(`web-${index}`, T0 + index, { message: `dial unix /run/${letters(index)}.sock: connect: connection refused` })) });
    expect(told).toHaveLength(2);
    expect(told[1]).toContain("were not read");
  });

  it("with a hostile text are one line, cut", () => {
    const [group] = groupAttempts([failed("web-1", T0, { message: `\u001b[31m${"x\n".repeat(50_000)}` })], explain);
    expect(group?.text.length).toBeLessThanOrEqual(600);
    expect(group?.text).not.toMatch(/[\u0000-\u001f]/);
  });
});

describe("the story of a node's incident", () => {
  it("has, in order: rollout, restart, attempts, cause, answer, action, verdict, recovery", () => {
    const story = titles({
      entries: [
        { atMs: T0 + 2 * MINUTE, kind: "cause-began", text: "The CNI daemon is down" },
        { atMs: T0 + 2 * MINUTE + 30 * SECOND, kind: "opened", text: "Incident opened" },
        { atMs: T0 + 9 * MINUTE, kind: "recovering", text: "The node can start pods again" },
      ],
      answers: [
        { fromMs: T0 - MINUTE, toMs: T0 + 3 * MINUTE, state: "yes", atRisk: false, idle: false, summary: "" },
        { fromMs: T0 + 3 * MINUTE, toMs: T0 + 9 * MINUTE, state: "no", atRisk: false, idle: false, summary: "0 fresh sandboxes in 10 min." },
      ],
      events: [failed("web-1", T0 + MINUTE)],
      changes: [{ kind: "rollout", atMs: T0, subject: "kube-system/kube-multus-ds", text: "Generation 7 to 8", diff: "- image a\n+ image b" }, { kind: "daemon-restarted", atMs: T0 + 30 * SECOND, node: "node-07", subject: "kube-system/kube-multus-ds", text: "kube-multus restarted, 1 restart by now" }],
      runs: [{ requestId: "request-1", title: "Set kube-multus to 2 CPU and 4Gi", actor: "anna", startedMs: T0 + 6 * MINUTE, state: "applied", seenMs: T0 + 7 * MINUTE, checks: [{ doneMs: T0 + 8 * MINUTE, verdict: "worked", because: "3 fresh sandboxes." }] }],
    });
    expect(story).toEqual([
      "Rollout of kube-system/kube-multus-ds", "kube-multus restarted, 1 restart by now", expect.stringMatching(/^1 failed sandbox of 1 pod: /), "The CNI daemon is down", "Incident opened", "The answer turned to no",
      "Set kube-multus to 2 CPU and 4Gi", "The change was seen on the node", "Verdict: worked", "The node can start pods again",
    ]);
  });

  it("marks what is told again of a cause, and never that it began", () => {
    const kinds = ["sign", "cause-began", "cause-named", "cause-ended", "cause-again", "cause-unseen", "cause-seen-again", "opened"] as const;
    const { items } = nodeStory(parts({ entries: kinds.map((kind, index) => ({ atMs: T0 + index, kind, text: kind })) }));
    expect(items.filter(({ repeats }) => repeats === true).map(({ title }) => title)).toEqual(["cause-ended", "cause-again", "cause-unseen", "cause-seen-again"]);
  });

  it("tells a stretch without data as what it is, once for all sources that had it", () => {
    const gap = { fromMs: T0, toMs: T0 + 3 * MINUTE, reason: "No collector was at work." };
    const { items } = nodeStory(parts({ gaps: [{ source: "api", ...gap }, { source: "kubelet", ...gap }, { source: "agent", fromMs: T0 + MINUTE, toMs: T0 + 2 * MINUTE, reason: "no push" }] }));
    expect(items.map(({ title, tone }) => [title, tone])).toEqual([["No data from the API and the kubelet for 3 min", "unknown"], ["No data from the agent for 1 min", "unknown"]]);
  });

  it("says the first answer of the range to nobody: it changed before", () => {
    expect(titles({ answers: [{ fromMs: T0, toMs: T0 + 1, state: "no", atRisk: false, idle: false, summary: "" }] })).toEqual([]);
  });

  it("groups other events by reason with counts and spans, and leaves out what goes well", () => {
    const warned = (pod: string, atMs: number): EventObject => event("FailedKillPod", atMs, { message: "error killing pod", count: 3, about: { kind: "Pod", namespace: "shop", name: pod } });
    const { items } = nodeStory(parts({ events: [warned("a", T0), warned("b", T0 + MINUTE), event("Pulled", T0), event("Rebooted", T0, { type: "Warning", message: "Node node-07 has been rebooted", about: { kind: "Node", name: "node-07" } })] }));
    expect(items.map(({ title, toMs }) => [title, toMs])).toEqual([["FailedKillPod, 6 times of 2 pods", T0 + MINUTE], ["Rebooted", undefined]]);
  });

  it("says that lines of other events are left out, and keeps the first and the last, in whatever order they are read", () => {
    const events = Array.from({ length: MAX_EVENT_GROUPS + 2 }, (_, index) => event(`Reason${index}`, T0 + index * MINUTE, { type: "Warning" })).reverse();
    const { items, truncated } = nodeStory(parts({ events }));
    expect([items.length, truncated]).toEqual([MAX_EVENT_GROUPS, true]);
    expect([items[0]?.atMs, items.at(-1)?.atMs]).toEqual([T0, T0 + (MAX_EVENT_GROUPS + 1) * MINUTE]);
    expect(nodeStory(parts({ events: events.slice(2) })).truncated).toBe(false);
  });

  it("is bounded, and keeps how it began and how it ended", () => {
    const entries = Array.from({ length: 2 * MAX_STORY_ITEMS }, (_, index) => ({ atMs: T0 + index, kind: "cause-began" as const, text: String(index) }));
    const { items, truncated } = nodeStory(parts({ entries }));
    expect([items.length, truncated, items[0]?.title, items.at(-1)?.title]).toEqual([MAX_STORY_ITEMS, true, "0", String(2 * MAX_STORY_ITEMS - 1)]);
  });
});

it("the story of a fleet incident says when each node turned and was well again", () => {
  const member = (node: string, turnMs: number, over: Partial<NodeIncident> = {}): NodeIncident => ({ node, turnMs, severity: "blocks", causes: [], state: "open", ...over }) as unknown as NodeIncident; // a story reads nothing else of it
  const story = fleetStory({ incident: {} as FleetIncident, entries: [{ atMs: T0 + 5, kind: "opened", text: "Fleet incident opened" }], members: [member("a", T0), member("b", T0 + 9, { state: "closed", recoveredMs: T0 + MINUTE })], changes: [], runs: [], people: [] });
  expect(story.items.map(({ title }) => title)).toEqual(["a turned", "Fleet incident opened", "b turned", "b is well again"]);
});
