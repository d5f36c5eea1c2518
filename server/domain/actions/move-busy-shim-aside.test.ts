import { describe, expect, it } from "vitest";
import type { NodeView } from "../node-view";
import { planMoveBusyShimAside, verifyMoveBusyShimAside } from "./move-busy-shim-aside";
import { nodeViewOf } from "./testing/node-view";
import type { ActionReading } from "./types";

/** As multus' installer said it on a real node. */
const MESSAGE = "exit code 1: cp: cannot create regular file '/host/opt/cni/bin/multus-shim': Text file busy";
const deadlock = (value: string, certainty: "named" | "suspected" = "named"): NodeView["causes"] => [
  { code: "install-deadlock", state: "firing", certainty, title: "", severity: "blocks", sinceMs: 0, summary: "", evidence: [{ what: "Last end of init container", look: "seen", value, source: "api" }], consequences: [] },
];
const plan = (causes: NodeView["causes"], params = {}) => planMoveBusyShimAside({ view: nodeViewOf({ causes }), fleet: { nodes: 3 }, params });

describe("the plan", () => {
  it("takes the one file that the installer's message names, and shows both calls and the gap between", () => {
    const made = plan(deadlock(MESSAGE));
    expect(made).toMatchObject({ title: "Move multus-shim of node-1 aside until its installer has made a new one", params: { program: "multus-shim", waitSeconds: 330 }, refusals: [] });
    expect(made.steps.flatMap(({ nodeCall }) => nodeCall?.what ?? [])).toEqual(["rename BIN_DIR/multus-shim → BIN_DIR/.multus-shim.TIME.sandglass-aside", "link BIN_DIR/.multus-shim.TIME.sandglass-aside → BIN_DIR/multus-shim, then unlink the dated name"]);
    expect(made.hazards[0]?.title).toBe("Until the installer's next try there is no multus-shim.");
  });

  it("is refused while no installer fails that way, where it is only suspected, and where no file is named", () => {
    for (const causes of [[], deadlock(MESSAGE, "suspected")]) expect(plan(causes).refusals).toMatchObject([{ message: expect.stringContaining("No installer here is failing") }]);
    expect(plan(deadlock("exit code 1: no message")).refusals).toMatchObject([{ message: expect.stringContaining("does not name the file") }]);
    expect(plan(deadlock("exit code 1: Text file busy")).refusals).toHaveLength(1);
    expect(plan(deadlock(MESSAGE), { waitSeconds: 5 }).refusals).toMatchObject([{ field: "waitSeconds" }]);
  });

  it("is void once the cause is", () => {
    expect(plan([]).version).not.toBe(plan(deadlock(MESSAGE)).version);
  });
});

it("the verdict follows fresh sandboxes and waiting pods", () => {
  const reading = (over: Partial<ActionReading> = {}): ActionReading => ({ atMs: 0, answer: "no", atRisk: false, oomKillsMs: [], waiting: 25, stuck: 25, ...over });
  const verdict = (after: Partial<ActionReading>, isLast = true) => verifyMoveBusyShimAside(reading(), reading(after), 1_000, isLast).verdict;
  expect(verdict({ waiting: 0, stuck: 0, lastFreshMs: 2_000 }, false)).toBe("worked");
  expect(verdict({ waiting: 20, lastFreshMs: 2_000 }, false)).toBe("too-early");
  expect(verdict({ waiting: 20, lastFreshMs: 2_000 })).toBe("worked");
  expect(verdict({ waiting: 25, lastFreshMs: 500 })).toBe("no-effect");
  expect(verdict({ answer: "unknown" })).toBe("could-not-verify");
});
