import { describe, expect, it } from "vitest";
import { advanceGone } from "./advance";
import { CAUSE_HOLD_MS, FLICKER_MS, KEEP_AROUND_MS, MAX_KEPT_STRETCH_MS, NO_HOLD_MS, RECOVERY_HOLD_MS, REOPEN_GRACE_MS } from "./timing";
import { cause, Follower, MINUTE, SECOND, T0, unseen, waitingPod } from "./testing/looks";
import { MAX_ENTRIES } from "./types";
import { natureOf, titleOf } from "./words";

/** A node that has been well for a while, so that its turn is seen. */
function followed(): Follower {
  const node = new Follower();
  node.stay({ fresh: true }, 30 * SECOND);
  return node;
}
const opened = (): Follower => {
  const node = followed();
  node.stay({ state: "no" }, NO_HOLD_MS + 10 * SECOND);
  expect(node.incident?.state).toBe("open");
  return node;
};
const closed = (): Follower => {
  const node = opened();
  node.stay({ fresh: true }, RECOVERY_HOLD_MS + 10 * SECOND);
  expect(node.incident?.state).toBe("closed");
  return node;
};

describe("an incident opens", () => {
  it("by the first cause that holds, and remembers when it began", () => {
    const node = followed();
    const sinceMs = node.nowMs + 3 * SECOND;
    node.stay({ causes: [cause("stale-socket", sinceMs)] }, CAUSE_HOLD_MS - 3 * SECOND);
    expect(node.incident?.state).toBe("watched");
    node.stay({ causes: [cause("stale-socket", sinceMs)] }, 9 * SECOND);
    expect(node.incident).toMatchObject({ state: "open", signMs: sinceMs, severity: "blocks", turnSeen: true });
    expect(node.told).toEqual(["sign", "cause-began", "opened"]);
  });

  it("by a no that lasts and that no cause explains, its first sign being the pod that waited first", () => {
    const node = followed();
    const waitMs = node.nowMs - 90 * SECOND;
    node.stay({ state: "no", oldestWaitMs: waitMs }, NO_HOLD_MS - 6 * SECOND);
    expect(node.incident?.state).toBe("watched");
    node.stay({ state: "no", oldestWaitMs: waitMs }, 9 * SECOND);
    expect(node.incident).toMatchObject({ state: "open", signMs: waitMs });
  });

  it("by no single flicker, and leaves no trace of it", () => {
    const node = followed();
    node.stay({ causes: [cause("daemon-down", node.nowMs)] }, 9 * SECOND);
    expect(node.incident?.state).toBe("watched");
    node.stay({ fresh: true }, FLICKER_MS + 10 * SECOND);
    expect(node.incident).toBeUndefined();
    expect(node.told).not.toContain("opened");
  });

  it("by the third flicker that comes soon after the one before", () => {
    const node = followed();
    for (let times = 0; times < 3; times += 1) {
      expect(node.incident?.state).not.toBe("open");
      node.stay({ fresh: true }, 20 * SECOND);
      node.look({ causes: [cause("daemon-down", node.nowMs + 3 * SECOND)] });
    }
    expect(node.incident?.state).toBe("open");
    expect(node.entries.find(({ kind }) => kind === "opened")?.detail).toBe("3 short signs within 5 min of one another.");
  });

  it("by no text alone while no pod is stuck, and by a text where one is", () => {
    const node = followed();
    const told = cause("host-link-conflict", node.nowMs, { certainty: "suspected" });
    node.stay({ causes: [told], atRisk: false }, 10 * MINUTE, 15 * SECOND);
    expect(node.incident).toBeUndefined();
    node.stay({ causes: [told], atRisk: true, pods: [waitingPod("web-1")] }, MINUTE);
    expect(node.incident?.state).toBe("open");
  });

  it("by no finding that nothing says why, and is named after none", () => {
    const node = followed();
    const nothing = cause("unknown", node.nowMs, { certainty: "suspected" });
    node.stay({ causes: [nothing], atRisk: true, pods: [waitingPod("web-1")] }, 10 * MINUTE, 15 * SECOND);
    expect(node.incident).toBeUndefined();
    node.stay({ state: "no", causes: [nothing], pods: [waitingPod("web-1")] }, NO_HOLD_MS + 6 * SECOND);
    expect(node.incident).toMatchObject({ state: "open", causes: [{ code: "unknown" }] });
    expect(titleOf(node.incident ?? fail())).toBe("node-07 cannot start pods");
  });

  it("by no notice, and by no unknown alone", () => {
    const node = followed();
    node.stay({ causes: [cause("oom-victim-candidate", T0, { severity: "notice" })] }, 10 * MINUTE, 15 * SECOND);
    node.stay({ state: "unknown" }, 10 * MINUTE, 15 * SECOND);
    expect(node.incident).toBeUndefined();
  });
});

describe("causes of one node", () => {
  it("are merged into the one incident, each with since when, and a consequence under its cause", () => {
    const node = followed();
    const t = node.nowMs;
    const { consequences: _none, ...slow } = cause("daemon-slow", t, { severity: "risks" });
    const throttled = cause("daemon-cpu-throttled", t, { severity: "risks", consequences: [slow] });
    node.stay({ causes: [throttled] }, 40 * SECOND);
    node.stay({ state: "no", causes: [throttled, cause("retry-storm", t + 40 * SECOND)] }, MINUTE);
    expect(node.ids.size).toBe(1);
    expect(node.incident?.causes.map(({ code, state, under }) => [code, state, under])).toEqual([["daemon-cpu-throttled", "firing", undefined], ["daemon-slow", "firing", "daemon-cpu-throttled"], ["retry-storm", "firing", undefined]]);
    expect(node.incident?.severity).toBe("blocks");
    expect(node.told.filter((kind) => kind === "worse")).toHaveLength(1);
  });

  it("that were only suspected are named once a mechanism is measured, and stay named", () => {
    const node = followed();
    const t = node.nowMs;
    node.stay({ state: "no", causes: [cause("stale-socket", t, { certainty: "suspected" })] }, 40 * SECOND);
    node.look({ state: "no", causes: [cause("stale-socket", t)] });
    node.look({ state: "no", causes: [cause("stale-socket", t, { certainty: "suspected" })] });
    expect(node.incident?.causes[0]?.certainty).toBe("named");
    expect(node.told.filter((kind) => kind === "cause-named")).toHaveLength(1);
  });

  it("that end and begin again are one cause that began twice", () => {
    const node = opened();
    node.look({ state: "no", causes: [cause("daemon-down", node.nowMs)] });
    node.look({ state: "no" });
    node.look({ state: "no", causes: [cause("daemon-down", node.nowMs)] });
    expect(node.incident?.causes).toMatchObject([{ code: "daemon-down", times: 2, state: "firing" }]);
  });
});

describe("an incident closes", () => {
  it("by itself once recovery has held, and not before", () => {
    const node = opened();
    node.look({ fresh: true });
    expect(node.incident?.state).toBe("recovering");
    node.stay({ fresh: true }, RECOVERY_HOLD_MS - 6 * SECOND);
    expect(node.incident?.state).toBe("recovering");
    node.stay({ fresh: true }, 9 * SECOND);
    expect(node.incident).toMatchObject({ state: "closed", closedBecause: "recovered", relapses: 0 });
    expect(node.told.slice(-2)).toEqual(["recovering", "closed"]);
  });

  it("not while some pods start and some do not", () => {
    const node = opened();
    node.stay({ atRisk: true, fresh: true }, 20 * MINUTE, 15 * SECOND);
    expect(node.incident?.state).toBe("open");
  });

  it("never because data stopped: it becomes unknown, says so, and goes on once it is seen again", () => {
    const node = opened();
    node.stay({ state: "unknown" }, 60 * MINUTE, 15 * SECOND);
    expect(node.incident?.state).toBe("unknown");
    expect(node.told.at(-1)).toBe("unknown");
    node.look({ state: "no" });
    expect(node.incident?.state).toBe("open");
    expect(node.told.at(-1)).toBe("seen-again");
  });

  it("not by a yes while the cause that opened it cannot be looked for", () => {
    const node = followed();
    const t = node.nowMs;
    const risk = cause("stale-socket", t, { detail: "consumer", severity: "risks" });
    node.stay({ causes: [risk], fresh: true }, 40 * SECOND);
    node.stay({ fresh: true, unknownCauses: [unseen("stale-socket", "no agent reports from this node")] }, 30 * MINUTE, 15 * SECOND);
    expect(node.incident).toMatchObject({ state: "unknown", causes: [{ state: "unseen", reason: "no agent reports from this node" }] });
    node.stay({ fresh: true }, RECOVERY_HOLD_MS + MINUTE, 15 * SECOND);
    expect(node.incident?.state).toBe("closed");
  });

  it("although its cause cannot be looked for, where that one blocks and sandboxes have become ready since", () => {
    const node = followed();
    const t = node.nowMs;
    node.stay({ state: "no", causes: [cause("stale-socket", t, { detail: "host" })] }, 40 * SECOND);
    node.stay({ fresh: true, unknownCauses: [unseen("stale-socket")] }, RECOVERY_HOLD_MS + MINUTE);
    expect(node.incident).toMatchObject({ state: "closed", causes: [{ state: "ended" }] });
  });

  it("not by a view whose every source is stale, whatever causes it still holds", () => {
    const node = opened();
    node.look({ state: "no", stale: true, causes: [cause("daemon-down", T0)] });
    expect(node.incident?.state).toBe("unknown");
    expect(node.incident?.causes).toEqual([]);
  });

  it("with its node, saying that recovery is not known", () => {
    const node = opened();
    const { incident, entries } = advanceGone(node.incident ?? fail(), node.nowMs);
    expect(incident).toMatchObject({ state: "closed", closedBecause: "node-gone" });
    expect(entries.map(({ kind }) => kind)).toEqual(["closed"]);
  });

  it("and nothing of it is left firing, waiting or kept open", () => {
    const node = followed();
    node.stay({ state: "no", causes: [cause("daemon-down", node.nowMs)], pods: [waitingPod("web-1")] }, 2 * MINUTE);
    node.stay({ fresh: true }, RECOVERY_HOLD_MS + MINUTE);
    const { causes = [], hurt = [], keeping } = node.incident ?? {};
    expect(causes.map(({ state }) => state)).toEqual(["ended"]);
    expect(hurt.map(({ waiting, toMs }) => [waiting, toMs === undefined])).toEqual([[0, false]]);
    expect(keeping).toBeUndefined();
  });
});

describe("what comes back", () => {
  it("before recovery has held is a relapse of the same incident", () => {
    const node = opened();
    node.stay({ fresh: true }, MINUTE);
    node.look({ state: "no" });
    expect(node.incident).toMatchObject({ state: "open", relapses: 1 });
    expect(node.ids.size).toBe(1);
  });

  it("within the grace reopens the incident instead of making another", () => {
    const node = closed();
    node.stay({ fresh: true }, 10 * MINUTE, 15 * SECOND);
    node.stay({ state: "no" }, NO_HOLD_MS + 6 * SECOND);
    expect(node.incident).toMatchObject({ state: "open", reopened: 1 });
    expect(node.incident?.closedMs).toBeUndefined();
    expect(node.ids.size).toBe(1);
    expect(node.told.at(-1)).toBe("reopened");
  });

  it("within the grace for a moment does not reopen it, and the third such moment does", () => {
    const node = closed();
    for (let times = 1; times <= 3; times += 1) {
      node.stay({ fresh: true }, MINUTE);
      node.look({ state: "no" });
      expect(node.incident?.state).toBe(times < 3 ? "closed" : "open");
    }
  });

  it("after the grace is another incident", () => {
    const node = closed();
    node.stay({ fresh: true }, REOPEN_GRACE_MS + MINUTE, 15 * SECOND);
    node.stay({ state: "no" }, NO_HOLD_MS + 6 * SECOND);
    expect(node.ids.size).toBe(2);
    expect(node.incident).toMatchObject({ state: "open", reopened: 0 });
  });
});

describe("a flap and a wedge", () => {
  it("are told apart by fresh sandboxes: none since the no is a wedge", () => {
    const node = followed();
    const freshMs = node.nowMs;
    node.stay({ state: "no", freshMs }, 11 * MINUTE, 15 * SECOND);
    expect(natureOf(node.incident ?? fail(), node.nowMs)).toBe("wedge");
    expect(titleOf(node.incident ?? fail())).toBe("node-07 cannot start pods");
  });

  it("are told apart by fresh sandboxes: some, and sick again, is a flap", () => {
    const node = opened();
    expect(natureOf(node.incident ?? fail(), node.nowMs)).toBe("undecided");
    node.stay({ fresh: true }, MINUTE);
    const freshMs = node.nowMs;
    node.stay({ state: "no", freshMs }, 5 * MINUTE, 15 * SECOND);
    expect(natureOf(node.incident ?? fail(), node.nowMs)).toBe("flap");
  });

  it("are told apart by fresh sandboxes: one that started some and then none for long has become a wedge", () => {
    const node = opened();
    node.stay({ fresh: true }, MINUTE);
    node.stay({ state: "no", freshMs: node.nowMs }, 12 * MINUTE, 15 * SECOND);
    expect(natureOf(node.incident ?? fail(), node.nowMs)).toBe("wedge");
  });

  it("are not told apart by coming back alone: without a fresh sandbox in between it is no flap", () => {
    const node = opened();
    node.stay({ state: "yes" }, 30 * SECOND);
    node.look({ state: "no" });
    expect(node.incident?.relapses).toBe(1);
    expect(natureOf(node.incident ?? fail(), node.nowMs)).toBe("undecided");
  });
});

describe("a restart of Sandglass", () => {
  it("changes nothing, wherever it comes", () => {
    const shown = (at: number) => (at < 20 ? { state: "no" as const, causes: [cause("daemon-down", T0 + 33 * SECOND)], pods: [waitingPod("a")] } : at < 30 ? { fresh: true } : at < 40 ? { state: "no" as const } : { fresh: true });
    const run = (restartAt: number): unknown => {
      const node = followed();
      for (let at = 0; at < 160; at += 1) {
        if (at === restartAt) node.restart(0);
        node.look(shown(at));
      }
      return { incident: node.incident, entries: node.entries, ids: [...node.ids] };
    };
    const undisturbed = run(-1);
    for (let at = 0; at < 160; at += 1) expect(run(at), `restart before look ${at}`).toEqual(undisturbed);
  });

  it("that takes long is no recovery: the hold begins anew, and what turned meanwhile is not known to have turned now", () => {
    const node = opened();
    node.stay({ fresh: true }, RECOVERY_HOLD_MS - MINUTE);
    node.restart(60 * MINUTE);
    node.look({ fresh: true });
    expect(node.incident?.state).toBe("recovering");
    node.stay({ fresh: true }, RECOVERY_HOLD_MS + 6 * SECOND);
    expect(node.incident?.state).toBe("closed");
    const other = followed();
    other.restart(60 * MINUTE);
    other.look({ state: "no" });
    expect(other.incident?.turnSeen).toBe(false);
  });
});

describe("samples that are kept as they came", () => {
  it("are those from an hour before a no until an hour after it", () => {
    const node = followed();
    const noMs = node.nowMs + 3 * SECOND;
    node.stay({ state: "no" }, 5 * MINUTE);
    node.look({ fresh: true });
    expect(node.kept.at(-1)).toEqual({ incident: 1, node: "node-07", fromMs: noMs - KEEP_AROUND_MS, toMs: node.nowMs + KEEP_AROUND_MS });
    expect(node.incident?.keeping).toBeUndefined();
  });

  it("are bounded where it lasts for a day, and then its end is kept as well", () => {
    const node = followed();
    node.stay({ state: "no" }, 24 * 60 * MINUTE, 15 * SECOND);
    node.look({ fresh: true });
    const byStart = new Map(node.kept.map(({ fromMs, toMs }) => [fromMs, toMs - fromMs]));
    expect([...byStart.values()]).toEqual([MAX_KEPT_STRETCH_MS, 2 * KEEP_AROUND_MS]);
  });
});

it("a node that flaps for ever writes a bounded story, and still says when it opened and closed", () => {
  const node = opened();
  for (let times = 0; times < MAX_ENTRIES; times += 1) {
    node.look({ state: "no", causes: [cause("daemon-down", node.nowMs)] });
    node.look({ state: "no" });
  }
  node.stay({ fresh: true }, RECOVERY_HOLD_MS + MINUTE);
  expect(node.entries.length).toBeLessThanOrEqual(MAX_ENTRIES + 2);
  expect(node.told.at(-1)).toBe("closed");
});

function fail(): never {
  throw new Error("there is no incident");
}
