import { describe, expect, it } from "vitest";
import { advanceFleet, beginFleet, planFleets } from "./fleet";
import { FLEET_WINDOW_MS, fleetThreshold, NO_HOLD_MS, RECOVERY_HOLD_MS } from "./timing";
import { cause, Follower, MINUTE, SECOND, T0 } from "./testing/looks";
import { stormFinding } from "./storm-finding";
import type { FleetIncident, NodeIncident } from "./types";
import { leadOf, titleOf } from "./words";

let ids = 0;
function incident(node: string, turnMs: number, over: Partial<NodeIncident> = {}): NodeIncident {
  ids += 1;
  return {
    id: ids, scope: "node", node, state: "open", stateMs: turnMs, severity: "blocks", signMs: turnMs, openedMs: turnMs + MINUTE, relapses: 0, reopened: 0, entries: 3, traits: { pool: "edge", kernel: "6.8.0-55" }, turnMs, turnSeen: true, signs: 1,
    answer: { state: "no", atRisk: false, idle: false, sinceMs: turnMs, summary: "No." }, noMs: turnMs, peak: { waiting: 0, waitingSystem: 0, atMs: turnMs }, causes: [], hurt: [], ...over,
  };
}
const several = (count: number, everyMs: number, over: Partial<NodeIncident> = {}): NodeIncident[] => Array.from({ length: count }, (_, index) => incident(`edge-${index}`, T0 + index * everyMs, over));
const context = (well = 20) => ({ nowMs: T0 + 10 * MINUTE, wellTraits: () => Array.from({ length: well }, () => ({ pool: "general", kernel: "6.8.0-52" })) });
const begun = (nodes: readonly NodeIncident[]): FleetIncident => beginFleet(900, nodes, undefined, context()).incident ?? fail();

describe("many nodes that turn within minutes", () => {
  it("are one group, and fewer than many are none", () => {
    expect(planFleets(several(3, MINUTE), [], 24).groups.map(({ nodes }) => nodes.length)).toEqual([3]);
    expect(planFleets(several(2, MINUTE), [], 24).groups).toEqual([]);
  });

  it("are more of a large fleet than of a small one, and never more than ten", () => {
    expect([3, 24, 150, 400, 5_000].map(fleetThreshold)).toEqual([3, 3, 3, 8, 10]);
  });

  it("are no group where each turned long after the one before", () => {
    expect(planFleets(several(5, FLEET_WINDOW_MS + SECOND), [], 24).groups).toEqual([]);
  });

  it("join the fleet incident that is open, as long as they turn soon after the last of it", () => {
    const fleet = begun(several(3, MINUTE));
    const soon = incident("edge-8", fleet.lastTurnMs + 4 * MINUTE);
    const late = incident("edge-9", fleet.lastTurnMs + 6 * MINUTE);
    expect(planFleets([soon, late], [fleet], 24).joins).toEqual([{ node: soon, fleet: 900 }]);
  });

  it("are not mixed with nodes that are only at risk, and a risk that becomes a block leaves the others", () => {
    expect(planFleets([...several(2, MINUTE), ...several(2, MINUTE, { severity: "risks" })], [], 24).groups).toEqual([]);
    const risks = several(3, MINUTE, { severity: "risks" });
    const fleet = begun(risks);
    const [first, ...others] = risks.map((one) => ({ ...one, fleet: 900 }));
    const plan = planFleets([{ ...(first ?? fail()), severity: "blocks" }, ...others], [fleet], 24);
    expect(plan.leaves.map(({ node }) => node)).toEqual(["edge-0"]);
    expect(plan.joins).toEqual([]);
  });

  it("that were sick at the first look are brought together by the same cause alone", () => {
    const seen = (code: "daemon-down" | "stale-socket", count: number) => several(count, 0, { turnSeen: false, causes: [{ ...cause(code, T0), severity: "blocks", state: "firing", firstMs: T0, seenMs: T0, times: 1 }] });
    expect(planFleets([...seen("daemon-down", 2), ...seen("stale-socket", 2)], [], 24).groups).toEqual([]);
    expect(planFleets([...seen("daemon-down", 3), ...seen("stale-socket", 1)], [], 24).groups).toMatchObject([{ sameCause: "daemon-down", nodes: [{}, {}, {}] }]);
  });
});

describe("a fleet incident", () => {
  it("says what its nodes share and when they turned", () => {
    const fleet = begun(several(6, 20 * SECOND));
    expect(fleet).toMatchObject({ state: "open", severity: "blocks", members: 6, now: { open: 6 }, signMs: T0, lastTurnMs: T0 + 100 * SECOND });
    expect(fleet.shared.shared.map(({ trait }) => trait)).toEqual(["kernel", "pool"]);
    expect(titleOf(fleet)).toBe("6 nodes cannot start pods, turned within 1 min 40 s");
    expect(leadOf(fleet, T0)).toBe("6 nodes sick.");
    expect(leadOf({ ...fleet, now: { open: 1, unknown: 0, recovering: 2, closed: 3 } }, T0)).toBe("1 node sick, 2 nodes recovering and 3 nodes closed.");
    expect(leadOf({ ...fleet, members: 0 }, T0)).toBe("Its nodes went over to other incidents.");
  });

  it("names its cause by what was measured, and says where nothing tells the nodes apart or nobody could compare", () => {
    const looks = (fleet: FleetIncident) => stormFinding(fleet).evidence.map(({ look }) => look);
    const fleet = begun(several(6, 20 * SECOND));
    expect(stormFinding(fleet).summary).toBe("6 nodes turned within 1 min 40 s. All 6 sick nodes have kernel 6.8.0-55; of 20 well nodes none has. All 6 sick nodes have pool edge; of 20 well nodes none has.");
    expect(looks({ ...fleet, shared: { ...fleet.shared, shared: [] } })).toEqual(["seen", "seen", "not-seen"]);
    expect(looks({ ...fleet, shared: { ...fleet.shared, shared: [], well: 0 } })).toEqual(["seen", "seen", "could-not-look"]);
  });

  it("is open while any node of it is, unknown while none is and some cannot be told, and closes once all have", () => {
    const nodes = several(3, MINUTE);
    let fleet = begun(nodes);
    const step = (...states: readonly NodeIncident["state"][]): FleetIncident["state"] => {
      fleet = advanceFleet(fleet, nodes.map((node, index) => ({ ...node, state: states[index] ?? "closed" })), context()).incident ?? fail();
      return fleet.state;
    };
    expect(step("recovering", "closed", "open")).toBe("open");
    expect(step("recovering", "closed", "unknown")).toBe("unknown");
    expect(step("recovering", "closed", "recovering")).toBe("recovering");
    expect(step("closed", "closed", "closed")).toBe("closed");
    expect(step("closed", "open", "closed")).toBe("open");
    expect(fleet.reopened).toBe(1);
    expect(step("closed", "closed", "closed")).toBe("recovering");
    expect(step("closed", "closed", "closed")).toBe("closed");
  });

  it("tells once of nodes that join, by name", () => {
    const nodes = several(3, MINUTE);
    const fleet = begun(nodes);
    const more = [...nodes, incident("edge-7", T0 + 4 * MINUTE)];
    const { incident: next = fail(), entries } = advanceFleet(fleet, more, context());
    expect(entries.map(({ text }) => text)).toContain("1 more node turned: edge-7");
    expect(advanceFleet(next, more, context())).toMatchObject({ entries: [], changed: false });
  });

  it("comes of nodes as they are followed: three that turn and recover make one fleet incident that closes", () => {
    const followers = ["a", "b", "c"].map((name) => new Follower(name));
    for (const node of followers) node.stay({ fresh: true }, 30 * SECOND);
    for (const node of followers) node.stay({ state: "no" }, NO_HOLD_MS + 6 * SECOND);
    const held = followers.map(({ incident: own }, index) => ({ ...(own ?? fail()), id: index + 1 }));
    const { groups } = planFleets(held, [], 24);
    expect(groups).toHaveLength(1);
    let fleet = beginFleet(900, groups[0]?.nodes ?? [], undefined, context()).incident ?? fail();
    for (const node of followers) node.stay({ fresh: true }, RECOVERY_HOLD_MS + MINUTE);
    const after = followers.map(({ incident: own }, index) => ({ ...(own ?? fail()), id: index + 1 }));
    for (let looks = 0; looks < 2; looks += 1) fleet = advanceFleet(fleet, after, context()).incident ?? fail();
    expect(fleet.state).toBe("closed");
  });
});

function fail(): never {
  throw new Error("there is no incident");
}
