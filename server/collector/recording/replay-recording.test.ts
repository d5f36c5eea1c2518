import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Clock } from "../../clock";
import { allFiring } from "../../domain/causes/diagnose";
import type { Observation } from "../../domain/observation";
import { DEFAULT_THRESHOLDS } from "../../domain/thresholds";
import { createLog } from "../../log";
import { history } from "../../simulator/history";
import { planScenario, SCENARIOS, type ScenarioName } from "../../simulator/scenarios";
import { openIngest } from "../../store/ingest";
import { openReader } from "../../store/reader";
import { tempStore } from "../../store/testing/temp-store";
import type { CollectorStatus } from "../../store/types";
import { Pipeline } from "../pipeline";
import { recordingHeader, tempFolder } from "../testing/recordings";
import { Writer } from "../writer";
import { readRecording } from "./read";
import { Recorder } from "./recorder";
import { replayRecording, type Replayed } from "./replay-recording";
import type { Story } from "./story";

const log = createLog("silent", "test");
const END_MS = Date.UTC(2026, 5, 1, 12);
/** Of the two hours that a scenario takes, those in which it happens. */
const FROM_MS = END_MS - 60 * 60_000;
/** A collector's is a second; what is compared does not depend on it. */
const TICK_MS = 10_000;

let folder: ReturnType<typeof tempFolder>;
beforeEach(() => {
  folder = tempFolder();
});
afterEach(() => folder.remove());

interface Stored {
  readonly fleet: ReturnType<ReturnType<typeof openReader>["fleet"]>["rows"][number]["view"][];
  readonly answers: ReturnType<ReturnType<typeof openReader>["answerChanges"]>;
  readonly incidents: readonly unknown[];
}

/** What a page would show of a data file: every node's view, causes with their evidence included, every answer that changed, every incident with its story. */
function storedIn(file: string): Stored {
  const reader = openReader({ file });
  try {
    const { rows } = reader.incidents({ states: ["open", "unknown", "recovering", "closed"], members: true, limit: 100 });
    return {
      fleet: reader.fleet().rows.map(({ view }) => view).sort((a, b) => (a.name < b.name ? -1 : 1)),
      answers: reader.answerChanges({ fromMs: 0, limit: 10_000 }),
      incidents: rows.map(({ incident }) => {
        const whole = reader.incident(incident.id);
        return { incident: whole?.incident, entries: whole?.entries, kept: whole?.kept };
      }),
    };
  } finally {
    reader.close();
  }
}

/** Watches observations as a collector does, judging again and again, and has them recorded on the way. */
function watchLive(observations: Iterable<Observation>, file: string, recording: string): void {
  let nowMs = FROM_MS;
  const clock: Clock = { now: () => nowMs, after: () => () => {}, rate: 1 };
  const ingest = openIngest({ file, nowMs });
  const pipeline = new Pipeline({ clock, log, thresholds: DEFAULT_THRESHOLDS, cniDaemons: [], writer: new Writer(ingest, log, () => {}, () => {}), views: [], expects: { kubelet: true, agents: true } });
  const recorder = new Recorder({ file: recording, header: recordingHeader({ clock: { startedMs: nowMs, rate: 1 } }), maxBytes: 1024 ** 3, onFull: (failure) => { throw failure ?? new Error("full"); } });
  const tick = (): void => {
    recorder.judged(nowMs);
    pipeline.tick(status(nowMs));
  };
  for (const observation of observations) {
    // A collector's clock goes on between what it sees, and what it sees comes a little after it happened.
    for (; nowMs + TICK_MS <= observation.atMs; nowMs += TICK_MS) tick();
    recorder.observe(observation, nowMs);
    pipeline.observe(observation);
  }
  tick();
  recorder.end("stopped", nowMs);
  ingest.close();
}

const status = (atMs: number): CollectorStatus => ({
  cluster: recordingHeader().cluster, startedMs: FROM_MS, atMs, kinds: [], api: { reachable: true, sinceMs: FROM_MS }, kubelet: { mode: "direct", tls: "verify", scraped: 0, failing: 0, skipped: 0, lateMs: 0 },
  agents: { listening: true, reporting: 0, dropped: {} }, store: { writable: true, pendingBatches: 0, droppedSamples: 0 }, actionsAllowed: false,
});

async function replayInto(file: string, over: { readonly stuckAfterSeconds?: number } = {}): Promise<Replayed> {
  const recording = await readRecording(folder.file("r"));
  const { thresholds, cniDaemons } = recording.header.settings;
  return replayRecording({ recording, file, settings: { thresholds: { ...thresholds, ...over }, cniDaemons }, log, signal: new AbortController().signal });
}

describe("a recorded scenario, replayed", () => {
  it.each(["retry-storm", "missing-binary", "silent-node"] as const)("%s comes to the same answers, causes with their evidence, and incidents as were stored live", async (scenario: ScenarioName) => {
    const plan = planScenario(scenario, { nodes: 3, seed: "1", nowMs: END_MS });
    const [live, again, other] = [tempStore({ nowMs: FROM_MS }), tempStore({ nowMs: FROM_MS }), tempStore({ nowMs: FROM_MS })];
    try {
      watchLive(history(plan, { fromMs: FROM_MS, toMs: END_MS, stepMs: 15_000 }), live.file, folder.file("r"));
      const replayed = await replayInto(again.file);
      const stored = storedIn(live.file);
      expect(storedIn(again.file)).toEqual(stored);
      expect(stored.answers.length).toBeGreaterThan(3); // something happened that could differ
      expectStory(replayed, stored);
      if (scenario === "silent-node") return; // nothing is known of it, so nothing is named
      expect(stored.incidents.length).toBeGreaterThan(0);
      expect(stored.fleet.some(({ causes }) => causes.length > 0)).toBe(true);
      if (scenario !== "missing-binary") return;
      expect(stored.fleet.some(({ counts }) => counts.stuck > 0)).toBe(true);
      const patient = await replayInto(other.file, { stuckAfterSeconds: 3_600 });
      expect(patient.views.every(({ counts }) => counts.stuck === 0), "judged with other settings where they are given").toBe(true);
    } finally {
      for (const store of [live, again, other]) store.remove();
    }
  }, 120_000);
});

/** As the store tells them: the mark *idle* alone makes no new answer. */
function answersOf({ entries }: Story): readonly (readonly [number, string, string, boolean])[] {
  const last = new Map<string, string>();
  return entries.flatMap((entry) => {
    if (entry.kind !== "answer") return [];
    const now = `${entry.state} ${String(entry.atRisk)}`;
    if (last.get(entry.node) === now) return [];
    last.set(entry.node, now);
    return [[entry.atMs, entry.node, entry.state, entry.atRisk] as const];
  }).sort(([a, an], [b, bn]) => a - b || (an < bn ? 1 : -1));
}

/** What is told is what was stored: each answer, each incident, and of the causes those that stand at the end. */
function expectStory({ story, incidents, views }: Replayed, stored: Stored): void {
  expect(story.leftOut).toBe(0);
  expect(story.entries.map(({ atMs }) => atMs)).toEqual(story.entries.map(({ atMs }) => atMs).sort((a, b) => a - b));
  expect(answersOf(story)).toEqual([...stored.answers].reverse().map(({ node, atMs, state, atRisk }) => [atMs, node, state, atRisk]));
  expect(incidents).toHaveLength(stored.incidents.length);
  expect(views).toEqual(stored.fleet);
  const standing = new Set<string>();
  for (const entry of story.entries) {
    if (entry.kind !== "cause" && entry.kind !== "cause-ended" && entry.kind !== "cause-unseen") continue;
    const key = `${entry.node}/${entry.code}/${entry.detail ?? ""}`;
    if (entry.kind === "cause") standing.add(key);
    else standing.delete(key);
  }
  expect([...standing].sort()).toEqual(views.flatMap((view) => allFiring(view).map(({ code, detail }) => `${view.name}/${code}/${detail ?? ""}`)).sort());
}

it("every scenario's observations can be recorded and read", async () => {
  for (const scenario of SCENARIOS) {
    const plan = planScenario(scenario, { nodes: 2, seed: "1", nowMs: END_MS });
    const recorder = new Recorder({ file: folder.file(scenario), header: recordingHeader(), maxBytes: 1024 ** 3, onFull: (failure) => { throw failure ?? new Error("full"); } });
    for (const observation of history(plan, { fromMs: END_MS - 120_000, toMs: END_MS, stepMs: 15_000 })) recorder.observe(observation, observation.atMs);
    recorder.end("stopped", END_MS);
    const { lines, found } = await readRecording(folder.file(scenario));
    let count = 0;
    for await (const line of lines) if (line.kind === "seen") count += 1;
    expect([scenario, found.badLines, found.firstBad, count]).toEqual([scenario, 0, undefined, recorder.observations]);
  }
}, 60_000);
