import { expect, it } from "vitest";
import { NO_HELD_PODS } from "../judge-input";
import type { NodeWindow } from "../node-window";
import { agentReport, event, nodeWindow, NOW_MS, secondsAgo, waitingSince, watching } from "../testing/builders";
import { DEFAULT_THRESHOLDS } from "../thresholds";
import type { Freshness } from "../sources";
import { causeInput } from "./input";

const pod = waitingSince(secondsAgo(120), { uid: "u" });
const failed = event("FailedCreatePodSandBox", secondsAgo(10), { about: { kind: "Pod", namespace: "default", name: pod.name, uid: "u" } });
const inputWith = (over: Partial<NodeWindow>, freshness: Freshness) =>
  causeInput(
    nodeWindow({ pods: new Map([["u", pod]]), eventsAbout: () => [failed], agent: { configured: true, freshForMs: 45_000, report: agentReport() }, nads: new Map([["default/a", { pluginTypes: [] }]]), ...over }),
    {
      answer: { state: "no", atRisk: false, idle: false, row: 3, summary: "", proof: [], sinceMs: NOW_MS },
      held: NO_HELD_PODS,
      waitingPods: [{ uid: "u", namespace: "default", name: pod.name, system: false, hold: { kind: "waiting", sinceMs: secondsAgo(120), stuck: true }, attemptsSeen: 1 }],
      daemons: [],
      sockets: [],
      signals: [],
      sources: (["api", "kubelet", "agent"] as const).map((source) => ({ source, freshness })),
      deadline: { seconds: 240, assumed: false },
    },
    NOW_MS,
    DEFAULT_THRESHOLDS,
  );
const without = (kind: "events" | "nads") => watching().map((status) => (status.kind === kind ? { ...status, state: "forbidden" as const } : status));

it("holds nothing of a source that is stale, so that no check can rest on it", () => {
  expect(inputWith({}, "fresh")).toMatchObject({ errors: [{ count: 1 }], report: { node: "node-07" }, nads: new Map([["default/a", { pluginTypes: [] }]]) });
  const stale = inputWith({}, "stale");
  expect(stale.errors).toEqual([]);
  expect(stale).not.toHaveProperty("report");
  expect(inputWith({ kinds: without("events") }, "fresh").errors).toEqual([]);
  expect(inputWith({ kinds: without("nads") }, "fresh")).not.toHaveProperty("nads");
});
