import { describe, expect, it } from "vitest";
import { nodeViewOf } from "./testing/node-view";
import { unavailable } from "./node-plan";
import { planPurgeDeadSandboxes, verifyPurgeDeadSandboxes } from "./purge-dead-sandboxes";
import { ACTIONS, NODE_OFFERS, NODE_PLANS } from "./registry";
import type { ActionReading } from "./types";
import { NODE_ACTIONS } from "./work-order";

const plan = (over: Parameters<typeof nodeViewOf>[0] = {}, params = {}) => planPurgeDeadSandboxes({ view: nodeViewOf(over), fleet: { nodes: 24 }, params });

describe("the plan", () => {
  it("shows the runtime's calls, needs the right to change the node, and has no undo", () => {
    const made = plan();
    expect(made.steps.flatMap(({ nodeCall }) => nodeCall?.what.split(" ")[0] ?? [])).toEqual(["runtime.v1.RuntimeService/StopPodSandbox", "runtime.v1.RuntimeService/RemovePodSandbox"]);
    expect(made).toMatchObject({ object: { kind: "Node", name: "node-1" }, affected: { nodes: 1, podsRestarted: 0, atOnce: "1 sandbox" }, needs: { verb: "patch", resource: "nodes", name: "node-1" }, undo: { possible: false }, refusals: [] });
  });

  it("is refused where the agent is not heard, takes no orders, or does not allow this one, and says which", () => {
    expect(unavailable(nodeViewOf({ agent: "stale" }), "purge-dead-sandboxes")).toMatch(/is not heard/);
    expect(unavailable(nodeViewOf({ nodeActions: undefined }), "purge-dead-sandboxes")).toMatch(/takes no orders/);
    expect(unavailable(nodeViewOf({ nodeActions: ["move-busy-shim-aside"] }), "purge-dead-sandboxes")).toMatch(/--enable-actions purge-dead-sandboxes/);
    expect(plan({ nodeActions: [] }).refusals).toHaveLength(1);
  });

  it("is refused for more than four at a time, and where nothing is dead", () => {
    expect(plan({}, { parallel: 5 }).refusals).toMatchObject([{ field: "parallel" }]);
    expect(plan({ dead: 0 }).refusals).toMatchObject([{ message: "The runtime lists no dead sandbox." }]);
  });

  it("changes its version with the node's answer and with what was chosen", () => {
    const versions = [plan(), plan({ answer: "yes" }), plan({}, { parallel: 2 })].map(({ version }) => version);
    expect(new Set(versions).size).toBe(3);
    expect(plan().version).toBe(versions[0]);
  });

  it("names a daemon that is not ready as a hazard, since each DEL goes to it", () => {
    expect(plan({ daemonReady: false }).hazards.map(({ title }) => title)).toContain("kube-multus is not ready.");
    expect(plan().hazards.map(({ title }) => title)).not.toContain("kube-multus is not ready.");
  });

  it("says beforehand that most removals fail while the daemon is buried in calls", () => {
    const titles = (code: "retry-storm" | "daemon-down"): readonly string[] => plan({ causes: [{ code, state: "firing", certainty: "named", title: "", severity: "blocks", sinceMs: 0, summary: "", evidence: [], consequences: [] }] }).hazards.map(({ title }) => title);
    expect(titles("retry-storm")).toContain("The CNI daemon does not keep up with its calls.");
    expect(titles("daemon-down")).not.toContain("The CNI daemon does not keep up with its calls.");
  });
});

describe("the verdict", () => {
  const reading = (dead: number | undefined, answer: ActionReading["answer"] = "no"): ActionReading => ({ atMs: 0, answer, atRisk: false, oomKillsMs: [], ...(dead === undefined ? {} : { dead }) });
  const verdict = (before: ActionReading, after: ActionReading, isLast = true, seenMs: number | undefined = 1) => verifyPurgeDeadSandboxes(before, after, seenMs, isLast).verdict;

  it("follows the runtime's list, and what is not known is no success", () => {
    expect(verdict(reading(600), reading(12), false)).toBe("worked");
    expect(verdict(reading(600), reading(590), false)).toBe("too-early");
    expect(verdict(reading(600), reading(590))).toBe("no-effect");
    expect(verdict(reading(600), reading(700))).toBe("worse");
    expect(verdict(reading(600, "yes"), reading(0, "no"))).toBe("worse");
    expect(verdict(reading(600), reading(undefined))).toBe("could-not-verify");
    expect(verdict(reading(600), reading(0, "unknown"))).toBe("could-not-verify");
    expect(verifyPurgeDeadSandboxes(reading(600), reading(0), undefined, true).verdict).toBe("could-not-verify");
  });
});

it("every action that an agent may be ordered to do is planned, offered and verified", () => {
  for (const action of NODE_ACTIONS) expect([action, NODE_PLANS[action]({ view: nodeViewOf(), fleet: { nodes: 1 }, params: NODE_OFFERS[action].params }).action, ACTIONS[action] !== undefined]).toEqual([action, action, true]);
});
