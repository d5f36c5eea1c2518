import type { Evidence } from "../answer";
import { countWords, durationWords, numberWords, rangeWords, spanWords } from "../words";
import { agentPart } from "./agent-part";
import { fresh } from "./cpu-readings";
import { couldNotLook, notSeen, seen } from "./evidence";
import { textEvidence } from "./findings";
import { callsOlderThan, liveCalls } from "./slow-calls";
import type { CauseInput, ErrorGroup } from "./types";

/** A deadline that was met longer ago is over, unless sandboxes still cannot be ended. */
export const DEADLINE_RECENT_MS = 600_000;
/** Connections beyond the calls that wait for an answer: so many, and so many times as many, are requests that nobody waits for. */
export const ABANDONED = 20;
export const ABANDONED_TIMES = 3;

/** Something that shows that calls outlive the kubelet's deadline. */
export interface Sign {
  readonly words: string;
  /** Measured, or only to be concluded. */
  readonly certain: boolean;
}

export interface Outlived {
  readonly signs: readonly Sign[];
  readonly evidence: readonly Evidence[];
  /** Why something of it could not be looked at; empty where all was. */
  readonly unseen: readonly string[];
}

/** The kubelet's own words for a call that it gave up; a plugin's "context deadline exceeded" says nothing of that. */
export const saysDeadline = ({ text }: ErrorGroup): boolean => text.includes("code = DeadlineExceeded") || text.includes("operation timeout: context deadline exceeded");

/** DESIGN "Judging", *outlived its deadline*: the kubelet says so, a call is older than it, requests outlive their callers, or errors took as long. */
export function outlived(input: CauseInput): Outlived {
  const parts = [byTexts(input), byAge(input), byConnections(input), byDurations(input)];
  return { signs: parts.flatMap(({ signs }) => signs), evidence: parts.flatMap(({ evidence }) => evidence), unseen: parts.flatMap(({ unseen }) => unseen) };
}

function byTexts(input: CauseInput): Outlived {
  const groups = input.errors.filter(saysDeadline);
  const what = "Pods whose call the kubelet gave up at its deadline";
  const events = input.kind("events");
  if (groups.length === 0) return events.seen ? { signs: [], evidence: [notSeen(what, "api")], unseen: [] } : { signs: [], evidence: [couldNotLook(what, "api", events.reason)], unseen: [`Events cannot be seen: ${events.reason}`] };
  const count = groups.reduce((most, group) => Math.max(most, group.count), 0);
  const lastMs = Math.max(...groups.map((group) => group.lastMs));
  const isOver = input.nowMs - lastMs > DEADLINE_RECENT_MS && (fresh(input.signal("cri.stop_sandbox.errors")) ?? 0) === 0;
  return { signs: isOver ? [] : [{ words: `${countWords(count, "pod")} met the kubelet's deadline, the last ${spanWords(lastMs, input.nowMs)} ago`, certain: true }], evidence: textEvidence(groups), unseen: [] };
}

function byAge(input: CauseInput): Outlived {
  const what = "Calls in flight that are older than the deadline";
  const live = liveCalls(input);
  if (!live.looked) return { signs: [], evidence: [couldNotLook(what, "agent", live.reason)], unseen: [live.reason] };
  const old = callsOlderThan(live.calls, input.nowMs, input.deadline.seconds * 1_000);
  const atMs = input.report?.atMs;
  const reading = { value: old.length, unit: "count", ...(atMs === undefined ? {} : { atMs }) };
  const [oldest] = old;
  return { signs: oldest === undefined ? [] : [{ words: `${countWords(old.length, "call")} of ${oldest.program} ${old.length === 1 ? "is" : "are"} older than the deadline`, certain: true }], evidence: [(old.length > 0 ? seen : notSeen)(what, "agent", reading)], unseen: [] };
}

function byConnections(input: CauseInput): Outlived {
  const what = "Connections on the daemon's socket, and calls that wait on them";
  const use = agentPart(input, "socketUse");
  if (!use.looked) return { signs: [], evidence: [couldNotLook(what, "agent", use.reason)], unseen: [use.reason] };
  const atMs = input.report?.atMs;
  const at = atMs === undefined ? {} : { atMs };
  const evidence = use.items.map(({ path, connections, liveShims }) => seen(`Connections on ${path}, and live calls`, "agent", { value: `${numberWords(connections)} connections, ${liveShims} calls`, ...at }));
  const signs = use.items.flatMap(({ path, connections, liveShims }): readonly Sign[] =>
    connections >= ABANDONED + ABANDONED_TIMES * liveShims ? [{ words: `${numberWords(connections)} connections are open on ${path} for ${countWords(liveShims, "live call")}: requests that nobody waits for any more, and that the daemon works off all the same`, certain: true }] : [],
  );
  return { signs, evidence, unseen: [] };
}

function byDurations(input: CauseInput): Outlived {
  const what = "RunPodSandbox latency, 99th percentile of the last 5 min";
  const low = input.signal("cri.run_sandbox.p99.low");
  const lowSeconds = fresh(low);
  if (lowSeconds === undefined) return { signs: [], evidence: [couldNotLook(what, "kubelet", low?.reason ?? "nothing tells it")], unseen: [] };
  const highSeconds = fresh(input.signal("cri.run_sandbox.p99.high"));
  const errors = fresh(input.signal("cri.run_sandbox.errors")) ?? 0;
  const reaches = highSeconds === undefined || highSeconds >= input.deadline.seconds;
  const range = rangeWords(lowSeconds, highSeconds);
  return {
    signs: reaches && errors > 0 ? [{ words: `RunPodSandbox takes ${range} in the 99th percentile, and ${countWords(errors, "call")} failed in the last 5 min: the deadline of ${durationWords(input.deadline.seconds)} lies there`, certain: false }] : [],
    evidence: [seen(what, low?.source ?? "kubelet", { value: range, ...(low?.atMs === undefined ? {} : { atMs: low.atMs }) })],
    unseen: [],
  };
}
