import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RuntimeReading } from "./agent-report";
import type { AnswerRow } from "./answer";
import { judge, withSince } from "./judge";
import { NO_HELD_PODS, type AgentFacts, type HeldPods, type JudgeInput } from "./judge-input";
import type { NodeCondition } from "./model";
import type { SourceStatus } from "./sources";
import { judgeInput, NOW_MS, secondsAgo } from "./testing/builders";

const ready = (status: NodeCondition["status"], message = "kubelet is posting ready status"): NodeCondition => ({ type: "Ready", status, message });
const runtime = (networkReady: boolean): RuntimeReading => ({
  name: "containerd",
  version: "2.4.2",
  conditions: [
    { type: "RuntimeReady", status: true, reason: "", message: "" },
    { type: "NetworkReady", status: networkReady, reason: networkReady ? "" : "NetworkPluginNotReady", message: networkReady ? "" : "Network plugin returns error: cni plugin not initialized" },
  ],
});
const agentFresh: SourceStatus = { source: "agent", freshness: "fresh", lastMs: NOW_MS };
const agentWith = (agent: Partial<AgentFacts>): Pick<JudgeInput, "agent" | "agentStatus"> => ({ agentStatus: agentFresh, agent: { sockets: [], ...agent } });
/** So many stuck pods; the first began to wait 300 s ago, the last 200 s ago. */
const stuck = (count: number, over: Partial<HeldPods> = {}): HeldPods => ({ ...NO_HELD_PODS, waiting: count, stuck: count, stuckTried: count, oldestWaitMs: secondsAgo(300), oldestStuckMs: secondsAgo(300), newestStuckMs: secondsAgo(200), ...over });

/* ------------------------------------------------------------------ the truth table: every cell must be filled ---- */

const API = {
  fresh: { source: "api", freshness: "fresh", lastMs: NOW_MS },
  stale: { source: "api", freshness: "stale", lastMs: secondsAgo(400), reason: "nothing for 6 min 40 s" },
  absent: { source: "api", freshness: "absent", reason: "the first list is not finished" },
} as const satisfies Record<string, SourceStatus>;
const BLOCKER = { none: {}, measured: agentWith({ runtime: runtime(false) }) } as const satisfies Record<string, Partial<JudgeInput>>;
const STUCK = { none: NO_HELD_PODS, some: stuck(3) } as const satisfies Record<string, HeldPods>;
const FRESH = {
  never: {},
  /** Before the window, and before any pod that waits. */
  longAgo: { lastFreshMs: secondsAgo(3_000) },
  /** In the window, before the oldest stuck pod began to wait. */
  before: { lastFreshMs: secondsAgo(301) },
  /** After the oldest and before the newest stuck pod began to wait. */
  between: { lastFreshMs: secondsAgo(250) },
  /** In the very second in which the newest stuck pod began to wait. */
  since: { lastFreshMs: secondsAgo(200) },
} as const satisfies Record<string, Partial<JudgeInput>>;
const LOOKS = {
  nothing: {},
  holds: { ready: ready("True") },
  broken: { ready: ready("True"), daemons: [{ name: "kube-system/kube-multus-ds", ready: false }] },
} as const satisfies Record<string, Partial<JudgeInput>>;

type Cell = `${AnswerRow} ${"no" | "yes" | "yes at risk" | "yes idle" | "unknown"}`;
type Cells = Readonly<Record<keyof typeof FRESH, Readonly<Record<keyof typeof LOOKS, Cell>>>>;
type Table = Readonly<Record<keyof typeof API, Readonly<Record<keyof typeof BLOCKER, Readonly<Record<keyof typeof STUCK, Cells>>>>>>;

const all = (cell: Cell): Cells => {
  const row = { nothing: cell, holds: cell, broken: cell } as const;
  return { never: row, longAgo: row, before: row, between: row, since: row };
};
const each = (cell: Cell): Cells["never"] => ({ nothing: cell, holds: cell, broken: cell });
const idle: Cells["never"] = { nothing: "6 unknown", holds: "6 yes idle", broken: "6 unknown" };
const unheard = { none: { none: all("1 unknown"), some: all("1 unknown") }, measured: { none: all("2 no"), some: all("2 no") } } as const;

const TABLE: Table = {
  fresh: {
    none: {
      none: { never: idle, longAgo: idle, before: each("5 yes"), between: each("5 yes"), since: each("5 yes") },
      some: { never: each("3 no"), longAgo: each("3 no"), before: each("3 no"), between: each("3 no"), since: each("4 yes at risk") },
    },
    measured: { none: all("2 no"), some: all("2 no") },
  },
  stale: unheard,
  absent: unheard,
};

const keys = <T extends object>(record: T): readonly (keyof T)[] => Object.keys(record) as (keyof T)[];
const cellOf = (input: JudgeInput): string => {
  const { row, state, atRisk, idle: isIdle } = judge(input);
  return `${row} ${state}${atRisk ? " at risk" : ""}${isIdle ? " idle" : ""}`;
};

describe("the rows of the answer, over every combination of what they rest on", () => {
  for (const api of keys(API)) {
    for (const blocker of keys(BLOCKER)) {
      for (const held of keys(STUCK)) {
        it(`api ${api}, blocker ${blocker}, stuck pods ${held}`, () => {
          for (const fresh of keys(FRESH)) {
            for (const looks of keys(LOOKS)) {
              const input = judgeInput({ api: API[api], held: STUCK[held], ...FRESH[fresh], ...LOOKS[looks], ...BLOCKER[blocker] });
              expect(cellOf(input), `fresh sandbox ${fresh}, preconditions ${looks}`).toBe(TABLE[api][blocker][held][fresh][looks]);
            }
          }
        });
      }
    }
  }
});

/* ------------------------------------------------------------------------------------------- row by row ---- */

describe("row 1: what is stale makes the answer unknown", () => {
  it("names the source, its reason and its age", () => {
    const { summary, proof } = judge(judgeInput({ api: API.stale, held: stuck(5), lastFreshMs: secondsAgo(10) }));
    expect(summary).toBe("The Kubernetes API tells nothing current about this node: nothing for 6 min 40 s. Last heard 03:06:00 UTC.");
    expect(proof).toEqual([expect.objectContaining({ look: "could-not-look", reason: "nothing for 6 min 40 s", source: "api" })]);
  });

  it("where pods cannot be seen at all", () => {
    expect(judge(judgeInput({ pods: { seen: false, reason: "pods is forbidden" }, ready: ready("True") }))).toMatchObject({ state: "unknown", row: 1, summary: "The node's pods cannot be seen: pods is forbidden." });
  });

  it("where events cannot be seen, stuck pods may wait for a volume: unknown, unless a start or an attempt was seen", () => {
    const events = { seen: false, reason: "events is forbidden" } as const;
    expect(judge(judgeInput({ events, held: stuck(2, { stuckTried: 0 }) }))).toMatchObject({ state: "unknown", row: 1 });
    expect(judge(judgeInput({ events, held: stuck(2, { stuckTried: 1 }) }))).toMatchObject({ state: "no", row: 3 });
    expect(judge(judgeInput({ events, held: stuck(2, { stuckTried: 0 }), lastFreshMs: secondsAgo(100) }))).toMatchObject({ state: "yes", atRisk: true, row: 4 });
    expect(judge(judgeInput({ events, lastFreshMs: secondsAgo(100) }))).toMatchObject({ state: "yes", row: 5 });
  });
});

describe("row 3: stuck pods and no fresh sandbox", () => {
  it("is told with the window, the pods, the system's among them, and both times", () => {
    const held = stuck(220, { waitingSystem: 11, oldestWaitMs: secondsAgo(2_839), oldestStuckMs: secondsAgo(2_839) });
    const { summary } = judge(judgeInput({ held, lastFreshMs: Date.parse("2026-03-17T02:26:04Z") }));
    expect(summary).toBe("0 fresh sandboxes in 10 min, 220 pods waiting (11 system), oldest 47 min. Last fresh sandbox 02:26:04 UTC, 46 min ago.");
  });

  it("claims no longer a silence than was seen", () => {
    expect(judge(judgeInput({ held: stuck(2) })).summary).toBe("0 fresh sandboxes in 5 min, 2 pods waiting, oldest 5 min.");
    expect(judge(judgeInput({ held: stuck(2), lastFreshMs: secondsAgo(310) })).summary).toBe("0 fresh sandboxes in 5 min 10 s, 2 pods waiting, oldest 5 min. Last fresh sandbox 03:07:30 UTC, 5 min 10 s ago.");
  });

  it("has its counts and times as proof", () => {
    const { proof } = judge(judgeInput({ held: stuck(3, { ownRequest: 2, other: 1 }), lastFreshMs: secondsAgo(3_000) }));
    expect(proof).toEqual([
      { what: "Last fresh sandbox", look: "not-seen", value: new Date(secondsAgo(3_000)).toISOString(), atMs: secondsAgo(3_000), source: "api" },
      { what: "Pods waiting for a sandbox", look: "seen", value: 3, unit: "count", atMs: secondsAgo(300), source: "api" },
      { what: "Waiting pods stuck for 1 min 30 s or more", look: "seen", value: 3, unit: "count", atMs: secondsAgo(300), source: "api" },
      { what: "Pods held by their own request, not counted", look: "seen", value: 2, unit: "count", source: "api" },
      { what: "Pods that wait for a volume or claim first, not counted", look: "seen", value: 1, unit: "count", source: "api" },
    ]);
  });
});

describe("row 4: some start, some do not", () => {
  it("says so, with both times", () => {
    expect(judge(judgeInput({ held: stuck(1), lastFreshMs: secondsAgo(143) })).summary).toBe("Some start, some do not: 1 pod stuck, oldest 5 min. Last fresh sandbox 03:10:17 UTC, 2 min 23 s ago.");
  });

  it("ends when nothing started for the whole window", () => {
    const held = stuck(1, { oldestStuckMs: secondsAgo(900), newestStuckMs: secondsAgo(900) });
    expect(cellOf(judgeInput({ held, lastFreshMs: secondsAgo(600) }))).toBe("4 yes at risk");
    expect(cellOf(judgeInput({ held, lastFreshMs: secondsAgo(601) }))).toBe("3 no");
  });
});

describe("row 5: a fresh sandbox and none stuck", () => {
  it("holds to the end of the window and no longer", () => {
    expect(cellOf(judgeInput({ lastFreshMs: secondsAgo(600), ready: ready("True") }))).toBe("5 yes");
    expect(cellOf(judgeInput({ lastFreshMs: secondsAgo(601), ready: ready("True") }))).toBe("6 yes idle");
  });

  it("tells nothing that changes by the second, so that a healthy node's answer stays as it is", () => {
    const at = (nowMs: number) => judge(judgeInput({ nowMs, lastFreshMs: secondsAgo(20) }));
    expect(at(NOW_MS)).toEqual(at(NOW_MS + 15_000));
    expect(at(NOW_MS).summary).toBe("Last fresh sandbox 03:12:20 UTC.");
  });

  it("tells the pods that it does not count", () => {
    expect(judge(judgeInput({ lastFreshMs: secondsAgo(20), held: { ...NO_HELD_PODS, waiting: 3, ownRequest: 1, other: 2 } })).summary).toBe(
      "Last fresh sandbox 03:12:20 UTC, 3 pods waiting, none stuck. 1 pod held by its own request. 2 pods wait for something else.",
    );
  });
});

describe("row 6: nothing proves a start and nothing is stuck", () => {
  it("names each precondition that holds", () => {
    const input = judgeInput({ ready: ready("True"), daemons: [{ name: "kube-system/kube-multus-ds", ready: true }] });
    expect(judge(input).summary).toBe("Idle: no fresh sandbox seen in 10 min, nothing waits; the kubelet is ready and kube-system/kube-multus-ds is ready.");
  });

  it("is unknown where the kubelet is not ready for a reason that is no blocker", () => {
    const { state, summary } = judge(judgeInput({ ready: ready("False", "PLEG is not healthy: pleg was last seen active 3m5s ago; threshold is 3m0s") }));
    expect(state).toBe("unknown");
    expect(summary).toContain("the kubelet is not ready (PLEG is not healthy: pleg was last seen active 3m5s ago");
  });

  it("looks at what a fresh agent tells, and at nothing of a stale one", () => {
    const config = { dir: "/etc/cni/net.d", pluginTypes: [], sockets: [], missingBinaries: [], binDirs: ["/opt/cni/bin"] };
    expect(cellOf(judgeInput({ ...agentWith({ runtime: runtime(true), config: { ...config, effectiveFile: "10-bridge.conflist" } }) }))).toBe("6 yes idle");
    expect(cellOf(judgeInput({ ready: ready("True"), ...agentWith({ runtime: runtime(true), config }) })), "no usable config").toBe("6 unknown");
    expect(cellOf(judgeInput({ ...agentWith({ runtime: runtime(true) }), agentStatus: { source: "agent", freshness: "stale", reason: "nothing for 2 min" } }))).toBe("6 unknown");
  });

  it("is unknown after a sandbox that failed in the window, until one becomes ready or the window is over", () => {
    const input = judgeInput({ ready: ready("True"), lastFailureMs: secondsAgo(30), held: { ...NO_HELD_PODS, waiting: 1, oldestWaitMs: secondsAgo(40) } });
    expect(judge(input)).toMatchObject({ state: "unknown", row: 6, summary: "The last sandbox that was tried failed, at 03:12:10 UTC, and no pod has waited long enough to tell, 1 pod waiting, oldest 40 s." });
    expect(cellOf({ ...input, lastFailureMs: secondsAgo(600) })).toBe("6 yes idle");
    expect(cellOf({ ...input, lastFreshMs: secondsAgo(10) })).toBe("5 yes");
  });
});

/* ------------------------------------------------------------------------------------------- properties ---- */

const agoArb = fc.integer({ min: 0, max: 4_000 }).map(secondsAgo);
const freshness = fc.constantFrom("fresh", "stale", "absent" as const);
const statusArb = (source: SourceStatus["source"]): fc.Arbitrary<SourceStatus> => freshness.map((one) => ({ source, freshness: one, ...(one === "fresh" ? { lastMs: NOW_MS } : { reason: "for a reason" }) }));
const optional = <K extends string, T>(key: K, value: fc.Arbitrary<T>): fc.Arbitrary<Partial<Record<K, T>>> => fc.option(value, { nil: undefined }).map((one) => (one === undefined ? {} : ({ [key]: one } as Partial<Record<K, T>>)));

/** Waiting pods as the seconds since which each waits; the rest are only counts. */
const podsArb = fc.record({ waits: fc.array(fc.integer({ min: 0, max: 4_000 }), { maxLength: 6 }), ownRequest: fc.nat(3), other: fc.nat(3) });
function heldOf({ waits, ownRequest, other }: { readonly waits: readonly number[]; readonly ownRequest: number; readonly other: number }): HeldPods {
  const long = waits.filter((seconds) => seconds >= 90);
  return {
    ...NO_HELD_PODS,
    waiting: waits.length,
    stuck: long.length,
    stuckTried: long.length,
    ownRequest,
    other,
    ...(waits.length === 0 ? {} : { oldestWaitMs: secondsAgo(Math.max(...waits)) }),
    ...(long.length === 0 ? {} : { oldestStuckMs: secondsAgo(Math.max(...long)), newestStuckMs: secondsAgo(Math.min(...long)) }),
  };
}
const agentArb: fc.Arbitrary<AgentFacts> = fc.record({
  runtime: fc.boolean().map(runtime),
  sockets: fc.array(
    fc.record({ name: fc.constantFrom("multus", "cri"), path: fc.constant("/run/multus/multus.sock"), state: fc.constantFrom("answers", "silent", "refuses", "absent" as const), effective: fc.boolean() }),
    { maxLength: 2 },
  ),
});
const inputArb: fc.Arbitrary<JudgeInput & { readonly heldFrom: Parameters<typeof heldOf>[0] }> = fc
  .tuple(
    podsArb,
    statusArb("api"),
    statusArb("agent"),
    optional("lastFreshMs", agoArb),
    optional("lastFailureMs", agoArb),
    optional("ready", fc.constantFrom(ready("True"), ready("False", "container runtime is down"), ready("False", "PLEG is not healthy"), ready("Unknown"))),
    optional("agent", agentArb),
    fc.boolean(),
  )
  .map(([heldFrom, api, agentStatus, fresh, failure, condition, agent, seesEvents]) => ({
    ...judgeInput({ api, agentStatus, held: heldOf(heldFrom), events: seesEvents ? { seen: true } : { seen: false, reason: "forbidden" }, ...fresh, ...failure, ...condition, ...agent }),
    heldFrom,
  }));

describe("whatever is put in", () => {
  it("only a fresh API makes a yes, and without any fresh source the answer is unknown", () => {
    fc.assert(
      fc.property(inputArb, (input) => {
        const { state } = judge(input);
        if (input.api.freshness !== "fresh") expect(state).not.toBe("yes");
        if (input.api.freshness !== "fresh" && input.agentStatus.freshness !== "fresh") expect(state).toBe("unknown");
      }),
    );
  });

  it("losing a source never turns an answer into yes", () => {
    fc.assert(
      fc.property(inputArb, fc.constantFrom("stale", "absent" as const), (input, lost) => {
        const before = judge(input).state;
        const without = judge({ ...input, api: { source: "api", freshness: lost, reason: "lost" }, agentStatus: { source: "agent", freshness: lost, reason: "lost" } });
        expect(without.state).toBe("unknown");
        if (before !== "yes") expect(judge({ ...input, api: { source: "api", freshness: lost, reason: "lost" } }).state).not.toBe("yes");
      }),
    );
  });

  it("a stuck pod more never turns a no into a yes, nor makes a yes better", () => {
    fc.assert(
      fc.property(inputArb, fc.integer({ min: 90, max: 4_000 }), (input, seconds) => {
        const before = judge(input);
        const after = judge({ ...input, held: heldOf({ ...input.heldFrom, waits: [...input.heldFrom.waits, seconds] }) });
        if (before.state === "no") expect(after.state).toBe("no");
        if (before.state === "yes" && before.atRisk) expect(after.state === "yes" ? after.atRisk : true).toBe(true);
        expect(after.state === "yes" && !after.atRisk).toBe(false);
      }),
    );
  });

  it("pods held by their own request or by a volume change no answer", () => {
    fc.assert(
      fc.property(inputArb, fc.nat(50), fc.nat(50), (input, ownRequest, other) => {
        const cell = (held: HeldPods) => cellOf({ ...input, held });
        expect(cell({ ...input.held, ownRequest, other })).toBe(cell({ ...input.held, ownRequest: 0, other: 0 }));
      }),
    );
  });

  it("a newer fresh sandbox never makes an answer worse", () => {
    const rank = { no: 0, unknown: 1, yes: 2 } as const;
    fc.assert(
      fc.property(inputArb, agoArb, (input, lastFreshMs) => {
        if (input.lastFreshMs !== undefined && lastFreshMs < input.lastFreshMs) return;
        expect(rank[judge({ ...input, lastFreshMs }).state]).toBeGreaterThanOrEqual(rank[judge(input).state]);
      }),
    );
  });

  it("an answer has a sentence, a proof, and no mark but on a yes", () => {
    fc.assert(
      fc.property(inputArb, (input) => {
        const { state, atRisk, idle: isIdle, summary, proof } = judge(input);
        expect(summary).toMatch(/^[A-Z0-9].*\.$/);
        expect(summary).not.toMatch(/undefined|NaN|\n/);
        expect(proof.length).toBeGreaterThan(0);
        expect((atRisk || isIdle) && state !== "yes").toBe(false);
        expect(proof.every(({ look, reason }) => (look === "could-not-look") === (reason !== undefined))).toBe(true);
      }),
    );
  });
});

describe("since when", () => {
  it("is kept while state and marks stay, and begins anew when one of them changes", () => {
    const first = withSince(undefined, judge(judgeInput({ lastFreshMs: secondsAgo(20) })), 1_000);
    expect(first.sinceMs).toBe(1_000);
    expect(withSince(first, judge(judgeInput({ lastFreshMs: secondsAgo(5), held: { ...NO_HELD_PODS, waiting: 2 } })), 2_000).sinceMs).toBe(1_000);
    const atRisk = withSince(first, judge(judgeInput({ lastFreshMs: secondsAgo(5), held: stuck(1) })), 3_000);
    expect(atRisk).toMatchObject({ sinceMs: 3_000, state: "yes", atRisk: true });
    expect(withSince(atRisk, judge(judgeInput({ held: stuck(1) })), 4_000)).toMatchObject({ sinceMs: 4_000, state: "no" });
  });
});
