import { expect, test } from "vitest";
import { planChanges } from "./plan-changes";
import { plan } from "./testing/plan";

test("another hand's new values are said with the old ones", () => {
  const after = plan({ version: "uid:16:no", diff: plan().diff.map((line) => (line.text === "      cpu: 100m" ? { ...line, text: "      cpu: 200m" } : line)) });
  expect(planChanges(plan(), after)).toEqual(["The container's values changed: it had limits cpu: 100m; it has limits cpu: 200m."]);
});

test("a value that vanished and one that came are both said", () => {
  const without = plan({ diff: plan().diff.filter((line) => line.text !== "      cpu: 100m") });
  expect(planChanges(plan(), without)).toEqual(["The container's values changed: it had limits cpu: 100m."]);
  expect(planChanges(without, plan())).toEqual(["The container's values changed: it has limits cpu: 100m."]);
});

test("a limit that changed is told from a request that has the same value", () => {
  const requests = [{ kind: "same" as const, text: "    requests:" }, { kind: "same" as const, text: "      cpu: 100m" }];
  const before = plan({ diff: [...plan().diff, ...requests] });
  const after = plan({ diff: [...plan().diff.map((line) => (line.text === "      cpu: 100m" ? { ...line, text: "      cpu: 200m" } : line)), ...requests] });
  expect(planChanges(before, after)).toEqual(["The container's values changed: it had limits cpu: 100m; it has limits cpu: 200m."]);
});

test("width, pods, hazards, refusals and evidence are each compared", () => {
  const after = plan({
    affected: { nodes: 1, ofNodes: 24, podsRestarted: 0, atOnce: "none by itself" },
    hazards: [{ title: "No pod changes by itself.", detail: "" }],
    refusals: [{ message: "The container has exactly these values already." }],
    evidence: [{ what: "Pods stuck", look: "seen", value: 3, unit: "pods", source: "api" }],
  });
  expect(planChanges(plan(), after)).toEqual([
    "It rolls 1 node; it was 24.",
    "At once: none by itself; it was 10%.",
    "It restarts 0 pods; it was 24.",
    "New hazard: No pod changes by itself.",
    "No longer a hazard: Rolls all 24 nodes, 10% at once.",
    "Refused now: The container has exactly these values already.",
    "The answer rests on: Pods stuck: 3 pods.",
  ]);
});

test("a new version without a visible difference says so instead of saying nothing", () => {
  expect(planChanges(plan(), plan({ version: "uid:16:no" }))).toEqual(["The DaemonSet or the node's answer was written anew, in nothing that this plan shows."]);
});
