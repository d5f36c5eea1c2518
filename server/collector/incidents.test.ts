import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { NO_HOLD_MS, RECOVERY_HOLD_MS, REOPEN_GRACE_MS, UNSEEN_AFTER_MS } from "../domain/incident/timing";
import type { Incident } from "../domain/incident/types";
import type { DaemonSetObject, PodObject } from "../domain/model";
import type { Observation } from "../domain/observation";
import { backfill } from "./backfill";
import type { Pipeline } from "./pipeline";
import { REVISIONS_WAIT_MS } from "./incidents";
import { PipelineHarness } from "./testing/harness";

let h: PipelineHarness;
beforeEach(() => (h = new PipelineHarness()));
afterEach(() => h.close());

const ALL = ["open", "unknown", "recovering", "closed"] as const;
const running = (sinceMs: number): Partial<PodObject> => ({ phase: "Running", readyToStart: { status: true, sinceMs }, containerStartedMs: sinceMs, hasIp: true });
const listed = (): readonly Incident[] => h.reader.incidents({ states: ALL, members: true, limit: 100 }).rows.map(({ incident }) => incident);
const only = (): Incident => {
  const [incident] = listed();
  if (incident === undefined || listed().length !== 1) throw new Error(`there are ${listed().length} incidents`);
  return incident;
};

/** Its story without its causes. */
const states = (): readonly string[] => (h.reader.incident(only().id)?.entries ?? []).map(({ kind }) => kind).filter((kind) => !kind.startsWith("cause"));

/** Time passes while every watch goes on. */
function pass(ms: number, everyMs = 3_000): void {
  for (let passed = 0; passed < ms; passed += everyMs) {
    for (const kind of ["nodes", "pods", "events", "daemonsets"] as const) h.kind(kind);
    h.tick(everyMs);
  }
}

/** Each node starts a pod, then has one that it cannot start. */
function turnSick(nodes: readonly string[], everyMs = 0): void {
  h.ready(nodes, nodes.map((node) => `ok-${node}`));
  for (const node of nodes) h.pod(`ok-${node}`, node, running(h.nowMs));
  pass(30_000);
  for (const node of nodes) {
    h.pod(`stuck-${node}`, node, { owner: "ReplicaSet/web-6d5f8c7b9f" });
    pass(everyMs);
  }
}
const mend = (node: string): void => h.pod(`stuck-${node}`, node, { ...running(h.nowMs), owner: "ReplicaSet/web-6d5f8c7b9f" });
const UNTIL_OPEN_MS = 90_000 + NO_HOLD_MS + 12_000;

describe("from observations to an incident", () => {
  test("a node whose pod is stuck gets one incident with its story and who is hurt; a start closes it once that has held", () => {
    turnSick(["a"]);
    const waitMs = h.nowMs;
    pass(UNTIL_OPEN_MS);
    expect(only()).toMatchObject({ state: "open", node: "a", severity: "blocks", signMs: waitMs, turnSeen: true, hurt: [{ kind: "Deployment", name: "web", waiting: 1 }] });
    pass(20_000);
    expect(only()).toMatchObject({ hurt: [{ started: 0, replicas: 1 }] });
    mend("a");
    pass(6_000);
    expect(only().state).toBe("recovering");
    pass(RECOVERY_HOLD_MS);
    expect(only()).toMatchObject({ state: "closed", closedBecause: "recovered" });
    expect(states()).toEqual(["sign", "opened", "recovering", "closed"]);
    expect(h.reader.openIncidents().open).toBe(0);
  });

  test("its samples from an hour before are kept with it, and no longer than an hour after", () => {
    turnSick(["a"]);
    pass(UNTIL_OPEN_MS);
    const noMs = h.answer("a")?.sinceMs ?? 0;
    mend("a");
    pass(6_000);
    const [stretch] = h.reader.incident(only().id)?.kept ?? [];
    expect(stretch?.fromMs).toBeLessThanOrEqual(noMs - 3_600_000);
    expect(stretch?.fromMs).toBeGreaterThan(noMs - 3_600_000 - 300_000);
    expect(stretch?.toMs).toBeLessThanOrEqual(h.nowMs + 3_600_000 + 300_000);
  });

  test("a restart of Sandglass, at whatever tick, gives the same incident as none", () => {
    const story = (restartAt: number): unknown => {
      h.close();
      h = new PipelineHarness();
      turnSick(["a"]);
      let ticks = 0;
      const step = (ms: number): void => {
        for (let passed = 0; passed < ms; passed += 3_000) {
          if (ticks === restartAt) {
            h.restart(0);
            h.ready(["a"], ["ok-a", "stuck-a"]);
            h.pod("ok-a", "a", running(startedMs));
            h.pod("stuck-a", "a", { owner: "ReplicaSet/web-6d5f8c7b9f", ...(mended.atMs === undefined ? { scheduledMs: waitMs, readyToStart: { status: false, sinceMs: waitMs } } : running(mended.atMs)) });
          }
          h.node("a"); // so that it is looked at every time, and the looks are the same with and without a restart
          pass(3_000);
          ticks += 1;
        }
      };
      const waitMs = h.nowMs;
      const startedMs = waitMs - 30_000;
      const mended: { atMs?: number } = {};
      step(UNTIL_OPEN_MS);
      mended.atMs = h.nowMs;
      mend("a");
      step(RECOVERY_HOLD_MS + 12_000);
      const whole = h.reader.incident(only().id);
      return { ...only(), hurt: [], entries: whole?.entries, kept: whole?.kept };
    };
    const undisturbed = story(-1);
    for (const at of [1, 20, 30, 40, 52, 56, 58, 70, 120, 155]) expect(story(at), `a restart at tick ${at}`).toEqual(undisturbed);
  }, 120_000);

  test("while Sandglass was away for long nothing recovered: the hold begins anew", () => {
    turnSick(["a"]);
    pass(UNTIL_OPEN_MS);
    mend("a");
    pass(RECOVERY_HOLD_MS - 60_000);
    expect(only().state).toBe("recovering");
    h.restart(UNSEEN_AFTER_MS + 60_000);
    h.ready(["a"], ["ok-a", "stuck-a"]);
    h.pod("ok-a", "a", running(h.nowMs));
    mend("a");
    pass(RECOVERY_HOLD_MS - 60_000);
    expect(only().state).toBe("recovering");
    pass(90_000);
    expect(only().state).toBe("closed");
  });

  test("an API server that goes away makes it unknown, not closed, and a node that leaves ends it", () => {
    turnSick(["a", "b"]);
    pass(UNTIL_OPEN_MS);
    h.kind("pods", { state: "failing", reason: "connection refused", failingSinceMs: h.nowMs });
    for (let ticks = 0; ticks < 100; ticks += 1) h.tick(3_000);
    expect(listed().map(({ state }) => state)).toEqual(["unknown", "unknown"]);
    h.listed("pods", ["ok-a", "stuck-a"]);
    h.listed("nodes", ["a"]);
    pass(3_000);
    expect(listed().map((incident) => [incident.scope === "node" ? incident.node : "", incident.state])).toEqual([["b", "closed"], ["a", "open"]]);
  });

  test("a fault in keeping incidents costs no node its answer", () => {
    const broken = { id: 1, scope: "node", node: "a", state: "no such state", causes: [], hurt: [] } as unknown as Incident; // as a damaged file might hold it
    h.ingest.loadIncidents = () => ({ items: [broken], lastId: 1, lastLookMs: h.nowMs });
    h.pipeline = h.makePipeline();
    turnSick(["a", "b"]);
    pass(UNTIL_OPEN_MS);
    expect([h.answer("a")?.state, h.answer("b")?.state]).toEqual(["no", "no"]);
    expect(listed().map((incident) => incident.scope === "node" && incident.node)).toEqual(["b"]);
  });

  test("what the store could not take for a while is there once it can be written, whole", () => {
    turnSick(["a"]);
    const { write } = h.ingest;
    h.ingest.write = () => {
      throw new Error("no");
    };
    pass(UNTIL_OPEN_MS);
    h.ingest.write = write;
    expect(listed()).toEqual([]);
    pass(3_000);
    expect(states()).toEqual(["sign", "opened"]);
  });
});

describe("many nodes", () => {
  test("that turn within minutes are one fleet incident over their own, which closes after them; a later one is not of it", () => {
    const nodes = ["a", "b", "c", "d"];
    turnSick(nodes, 15_000);
    pass(UNTIL_OPEN_MS);
    const [fleet, ...others] = h.reader.incidents({ states: ALL, limit: 10 }).rows;
    expect(others).toEqual([]);
    expect(fleet?.incident).toMatchObject({ scope: "fleet", state: "open", members: 4, nodes });
    expect(h.reader.openIncidents()).toEqual({ open: 1, blocking: 1 });
    const together = (node: string): string | undefined => h.pipeline.view(node)?.causes.find(({ code }) => code === "storm-of-nodes")?.summary;
    for (const node of nodes) expect(together(node)).toContain("one of 4 nodes that turned within");
    for (const node of nodes) mend(node);
    pass(RECOVERY_HOLD_MS + 30_000);
    expect(listed().every(({ state }) => state === "closed")).toBe(true);
    expect(nodes.flatMap((node) => together(node) ?? [])).toEqual([]);
    pass(REOPEN_GRACE_MS + 60_000, 15_000);
    h.pod("late", "a");
    pass(UNTIL_OPEN_MS);
    expect(h.reader.incidents({ states: ["open"], limit: 10 }).rows.map(({ incident }) => incident.scope)).toEqual(["node"]);
  });
});

test("a rollout is written down with what differs, and a daemon that is killed for memory with when", () => {
  const daemon = (over: Partial<NonNullable<PodObject["daemon"]>>): Partial<PodObject> => ({ ...running(h.nowMs), owner: "DaemonSet/kube-multus-ds", namespace: "kube-system" as PodObject["namespace"], hostNetwork: true, daemon: { containers: [], restarts: 0, ready: true, running: [], terminations: [], waitingReasons: [], ...over } });
  h.ready(["a"], ["m"]);
  h.daemonSet("kube-system", "kube-multus-ds");
  h.pod("m", "a", daemon({}));
  h.listed("daemonsets", ["kube-multus-ds"]);
  pass(3_000);
  h.pod("m", "a", daemon({ restarts: 1, terminations: [{ container: "kube-multus-ds", init: false, reason: "OOMKilled", exitCode: 137, finishedMs: h.nowMs }] }));
  h.daemonSet("kube-system", "kube-multus-ds", { generation: 2, images: ["multus:v5"] });
  const rolledMs = h.nowMs;
  pass(3_000);
  const told = () => h.reader.clusterChanges({ node: "a", fromMs: 0, toMs: h.nowMs, limit: 10 });
  expect(told().map(({ kind, text }) => [kind, text])).toEqual([["daemon-oom-killed", "kube-multus-ds was killed for memory, without a limit of its own"]]);
  const reading = { looked: true, from: 1, to: 2, lines: ["+ kube-multus-ds: argument --x"], others: [] } as const;
  const revisions = (generation: number): void => h.pipeline.observe({ source: "api", type: "revisions", atMs: h.nowMs, uid: "kube-multus-ds", generation, reading });
  revisions(1); // of a generation before
  revisions(2);
  revisions(2);
  pass(1_000);
  expect(told().filter(({ kind }) => kind === "rollout")).toEqual([{ kind: "rollout", atMs: rolledMs, subject: "kube-system/kube-multus-ds", text: "Generation 1 to 2, revision 1 to 2", diff: "+ kube-multus-ds: argument --x" }]);
});

test("a rollout of whose revisions nobody tells is told without them after a while, or at the end, each once", () => {
  h.ready(["a"], []);
  h.daemonSet("kube-system", "kube-multus-ds");
  h.listed("daemonsets", ["kube-multus-ds"]);
  pass(1_000);
  const texts = () => h.reader.clusterChanges({ node: "a", fromMs: 0, toMs: h.nowMs, limit: 10 }).map(({ text }) => text.split(";")[0]);
  h.daemonSet("kube-system", "kube-multus-ds", { generation: 2 });
  pass(REVISIONS_WAIT_MS - 6_000);
  expect(texts()).toEqual([]);
  h.kind("nodes");
  h.kind("pods");
  pass(9_000);
  expect(texts()).toEqual(["Generation 1 to 2"]);
  h.daemonSet("kube-system", "kube-multus-ds", { generation: 3 });
  h.daemonSet("kube-system", "kube-multus-ds", { generation: 4 });
  h.pipeline.end();
  pass(1_000);
  expect(texts()).toEqual(["Generation 1 to 2", "Generation 2 to 3", "Generation 3 to 4"]);
});

describe("a rollout that began while Sandglass was away", () => {
  const rollouts = () => h.reader.clusterChanges({ node: "a", fromMs: 0, toMs: h.nowMs, limit: 10 }).filter(({ kind }) => kind === "rollout");
  const see = (generation: number, over: Partial<DaemonSetObject> = {}): void => {
    h.ready(["a"], []);
    h.daemonSet("kube-system", "kube-multus-ds", { generation, ...over });
    h.listed("daemonsets", [over.uid ?? "kube-multus-ds"]);
    pass(3_000);
  };

  test("is told at the start, with when its revision was made and what differs, and once", () => {
    see(1);
    const leftMs = h.nowMs;
    h.restart(3_600_000);
    const foundMs = h.nowMs;
    see(4, { images: ["multus:v5"] });
    expect(rollouts(), "its revisions are waited for").toEqual([]);
    h.pipeline.observe({ source: "api", type: "revisions", atMs: h.nowMs, uid: "kube-multus-ds", generation: 4, reading: { looked: true, from: 1, to: 3, madeMs: leftMs + 600_000, lines: ["+ kube-multus-ds: image multus:v5"], others: [] } });
    pass(3_000);
    const told = [{ kind: "rollout", atMs: leftMs + 600_000, subject: "kube-system/kube-multus-ds", text: "Generation 1 to 4, while Sandglass did not look, from 02:00:03 UTC to 03:00:03 UTC, revision 1 to 3", diff: "+ kube-multus-ds: image multus:v5" }];
    expect(foundMs - leftMs).toBe(3_600_000);
    expect(rollouts()).toEqual(told);
    h.restart(60_000);
    see(4, { images: ["multus:v5"] });
    pass(REVISIONS_WAIT_MS);
    expect(rollouts()).toEqual(told);
  });

  test("is told with what the DaemonSet tells where nobody tells of its revisions", () => {
    see(1);
    h.restart(3_600_000);
    const foundMs = h.nowMs;
    see(2, { images: ["multus:v5"] });
    pass(REVISIONS_WAIT_MS);
    expect(rollouts()).toMatchObject([{ atMs: foundMs, diff: "+ image multus:v5", text: expect.stringContaining("did not look") as string }]);
  });

  test("is told of a DaemonSet that was deleted and made anew in the pause, with when it was made and what is known to differ, and once", () => {
    see(3, { uid: "old" });
    const leftMs = h.nowMs;
    h.restart(3_600_000);
    const anew = { uid: "new", createdMs: leftMs + 900_000, images: ["multus:v5"] };
    see(1, anew);
    const told = [{ kind: "rollout", atMs: leftMs + 900_000, subject: "kube-system/kube-multus-ds", diff: "+ image multus:v5", text: "Deleted and made anew, while Sandglass did not look, from 02:00:03 UTC to 03:00:03 UTC; its revisions went with the old one, so that arguments and environment cannot be compared" }];
    expect(rollouts()).toEqual(told);
    h.restart(60_000);
    see(1, anew);
    expect(rollouts()).toEqual(told);
  });

  test("is told of one that was deleted and made anew while it looked, as what it is", () => {
    see(3, { uid: "old" });
    h.pipeline.observe({ source: "api", type: "daemonset-gone", atMs: h.nowMs, uid: "old" });
    pass(3_000);
    expect(rollouts()).toEqual([]);
    const anewMs = h.nowMs;
    see(1, { uid: "new", createdMs: anewMs - 1_000 });
    expect(rollouts()).toMatchObject([{ atMs: anewMs - 1_000, text: "Deleted and made anew; its revisions went with the old one, so that arguments and environment cannot be compared" }]);
  });

  test("is not lost by a kill before it was told", () => {
    see(1);
    h.daemonSet("kube-system", "kube-multus-ds", { generation: 2 });
    pass(3_000); // waits for its revisions
    h.restart(0);
    see(2);
    pass(REVISIONS_WAIT_MS);
    expect(rollouts()).toHaveLength(1);
  });
});

test("a past that is filled in gives the incident that is open now its beginning, and keeps its number", async () => {
  turnSick(["a"]);
  pass(UNTIL_OPEN_MS);
  const live = only();
  const agoMs = 3_600_000;
  const past = new PipelineHarness();
  try {
    past.nowMs = live.signMs - agoMs;
    const observations: Observation[] = [];
    const record: Pick<Pipeline, "observe"> = { observe: (observation) => void observations.push(observation) };
    past.pipeline = record as Pipeline; // nothing else of it is asked for
    for (let step = 0; step < 20; step += 1) {
      past.ready(["a"], ["ok-a", "old-stuck"]);
      past.pod("ok-a", "a", running(live.signMs - agoMs - 60_000));
      past.pod("old-stuck", "a", { scheduledMs: live.signMs - agoMs, readyToStart: { status: false, sinceMs: live.signMs - agoMs } });
      past.nowMs += 15_000;
    }
    const found = await backfill({ observations, fromMs: live.signMs - agoMs, toMs: past.nowMs, ingest: h.ingest, thresholds: { stuckAfterSeconds: 90, windowSeconds: 600 }, cniDaemons: [], status: () => h.status(), log: h.log, signal: new AbortController().signal, onProgress: () => {} });
    if (found === undefined) throw new Error("the past was not filled in");
    h.pipeline.adoptIncidents(found.incidents);
    pass(3_000);
    const now = only();
    expect([now.id, now.state]).toEqual([live.id, "open"]);
    expect(now.signMs).toBeLessThan(live.signMs - agoMs + 60_000);
    expect(h.reader.incident(now.id)?.entries.filter(({ kind }) => kind === "opened")).toHaveLength(1);
  } finally {
    past.close();
  }
});
