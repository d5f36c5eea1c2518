import type { Answer, AnswerRow, Evidence, Judgement } from "./answer";
import { definiteBlockers, preconditions } from "./blockers";
import type { HeldPods, JudgeInput } from "./judge-input";
import { countWords, durationWords, instantWords, listWords, spanWords } from "./words";

/**
 * Whether the node can start a pod now: the rows of DESIGN "Judging", in order, the first that matches wins. Rests on
 * fresh sources only; what is stale makes the answer unknown and never yes. Pure: the same input gives the same judgement.
 *
 * Rows 3 and 4 compare the newest fresh sandbox with the beginning of *each* stuck pod's wait, and let it prove
 * something for `windowSeconds` at most (docs/decisions/0025).
 */
export function judge(input: JudgeInput): Judgement {
  const blockers = definiteBlockers(input);
  const [first] = blockers;
  if (first !== undefined) return verdict(2, "no", {}, `${first.words}.${waitingWords(input) ?? " Nothing waits yet."}`, [...blockers.map(({ evidence }) => evidence), ...podEvidence(input)]);
  if (input.api.freshness !== "fresh") return unknownByApi(input);
  if (!input.pods.seen) return verdict(1, "unknown", {}, `The node's pods cannot be seen: ${input.pods.reason}.`, [couldNotLook("Pods of the node", input.pods.reason)]);

  const { held } = input;
  if (held.stuck > 0) return judgeStuck(input);
  if (isFreshInWindow(input)) {
    const risk = held.waiting > 0 ? `, ${countWords(held.waiting, "pod")} waiting, none stuck` : "";
    return verdict(5, "yes", {}, `Last fresh sandbox ${instantWords(input.lastFreshMs ?? input.nowMs, input.nowMs)}${risk}.${heldWords(held)}`, podEvidence(input));
  }
  return judgeIdle(input);
}

function judgeStuck(input: JudgeInput): Judgement {
  const { held, nowMs, lastFreshMs, thresholds } = input;
  const dwell = held.oldestStuckMs === undefined ? "" : `, oldest ${spanWords(held.oldestStuckMs, nowMs)}`;
  const provenForAll = lastFreshMs !== undefined && held.newestStuckMs !== undefined && lastFreshMs >= held.newestStuckMs;
  if (provenForAll && isFreshInWindow(input)) {
    return verdict(4, "yes", { atRisk: true }, `Some start, some do not: ${countWords(held.stuck, "pod")} stuck${dwell}.${lastFreshWords(input)}${heldWords(held)}`, podEvidence(input));
  }
  if (!input.events.seen && held.stuckTried === 0) {
    // Without events a pod that waits for a volume looks the same as one that waits for a sandbox.
    const summary = `${countWords(held.stuck, "pod")} without a sandbox${dwell}, and why cannot be told: events cannot be seen (${input.events.reason}).`;
    return verdict(1, "unknown", {}, summary, [couldNotLook("Events of the pods", input.events.reason), ...podEvidence(input)]);
  }
  const sinceMs = lastFreshMs ?? held.oldestStuckMs ?? nowMs;
  const span = durationWords(Math.min(thresholds.windowSeconds, (nowMs - sinceMs) / 1_000));
  return verdict(3, "no", {}, `0 fresh sandboxes in ${span}${waitingList(input)}.${lastFreshWords(input)}${heldWords(held)}`, podEvidence(input));
}

/** Nothing is stuck and nothing proves a start: rows 6 and what lies beside it. */
function judgeIdle(input: JudgeInput): Judgement {
  const { held, nowMs, thresholds, lastFailureMs } = input;
  const found = preconditions(input);
  const proof = [...podEvidence(input), ...found.map(({ evidence }) => evidence)];
  const window = durationWords(thresholds.windowSeconds);
  // A failure in the window is newer than any fresh sandbox here: one in the window would have been row 5.
  if (lastFailureMs !== undefined && nowMs - lastFailureMs < thresholds.windowSeconds * 1_000) {
    return verdict(6, "unknown", {}, `The last sandbox that was tried failed, at ${instantWords(lastFailureMs, nowMs)}, and no pod has waited long enough to tell${waitingList(input)}.${heldWords(held)}`, proof);
  }
  const broken = found.filter(({ holds }) => !holds);
  if (broken.length > 0) return verdict(6, "unknown", {}, `No fresh sandbox seen in ${window}, nothing stuck, and ${listWords(broken.map(({ words }) => words))}.${heldWords(held)}`, proof);
  if (found.length === 0) return verdict(6, "unknown", {}, `No fresh sandbox seen in ${window}, nothing stuck, and no precondition can be looked at.${heldWords(held)}`, proof);
  const tried = held.waiting > 0 ? `${countWords(held.waiting, "pod")} waiting, none stuck` : "nothing waits";
  return verdict(6, "yes", { idle: true }, `Idle: no fresh sandbox seen in ${window}, ${tried}; ${listWords(found.map(({ words }) => words))}.${heldWords(held)}`, proof);
}

function unknownByApi({ api, nowMs }: JudgeInput): Judgement {
  const age = api.lastMs === undefined ? "" : ` Last heard ${instantWords(api.lastMs, nowMs)}.`;
  const reason = api.reason ?? (api.freshness === "absent" ? "nothing was heard from it yet" : "it has told nothing for too long");
  return verdict(1, "unknown", {}, `The Kubernetes API tells nothing current about this node: ${reason}.${age}`, [couldNotLook("Pods, events and conditions of the node", reason, api.lastMs)]);
}

/** Whether the newest fresh sandbox still proves anything. */
function isFreshInWindow({ lastFreshMs, nowMs, thresholds }: JudgeInput): boolean {
  return lastFreshMs !== undefined && nowMs - lastFreshMs <= thresholds.windowSeconds * 1_000;
}

function podEvidence(input: JudgeInput): Evidence[] {
  if (input.api.freshness !== "fresh" || !input.pods.seen) return [];
  const { held, lastFreshMs } = input;
  const items: Evidence[] = [
    lastFreshMs === undefined
      ? { what: "Fresh sandbox", look: "not-seen", source: "api" }
      : { what: "Last fresh sandbox", look: isFreshInWindow(input) ? "seen" : "not-seen", value: new Date(lastFreshMs).toISOString(), atMs: lastFreshMs, source: "api" },
    { what: "Pods waiting for a sandbox", look: held.waiting > 0 ? "seen" : "not-seen", value: held.waiting, unit: "count", source: "api", ...(held.oldestWaitMs === undefined ? {} : { atMs: held.oldestWaitMs }) },
    { what: `Waiting pods stuck for ${durationWords(input.thresholds.stuckAfterSeconds)} or more`, look: held.stuck > 0 ? "seen" : "not-seen", value: held.stuck, unit: "count", source: "api", ...(held.oldestStuckMs === undefined ? {} : { atMs: held.oldestStuckMs }) },
  ];
  if (held.ownRequest > 0) items.push({ what: "Pods held by their own request, not counted", look: "seen", value: held.ownRequest, unit: "count", source: "api" });
  if (held.other > 0) items.push({ what: "Pods that wait for a volume or claim first, not counted", look: "seen", value: held.other, unit: "count", source: "api" });
  if (!input.events.seen) items.push(couldNotLook("Events of the pods", input.events.reason));
  return items;
}

const couldNotLook = (what: string, reason: string, atMs?: number): Evidence => ({ what, look: "could-not-look", reason, source: "api", ...(atMs === undefined ? {} : { atMs }) });

/** ", 220 pods waiting (11 system), oldest 47 min"; empty where none waits. */
function waitingList({ held, nowMs }: JudgeInput): string {
  if (held.waiting === 0) return "";
  const system = held.waitingSystem > 0 ? ` (${held.waitingSystem} system)` : "";
  const oldest = held.oldestWaitMs === undefined ? "" : `, oldest ${spanWords(held.oldestWaitMs, nowMs)}`;
  return `, ${countWords(held.waiting, "pod")} waiting${system}${oldest}`;
}

function waitingWords(input: JudgeInput): string | undefined {
  if (input.api.freshness !== "fresh" || !input.pods.seen) return "";
  return input.held.waiting === 0 ? undefined : ` ${waitingList(input).slice(2)}.`;
}

function lastFreshWords({ lastFreshMs, nowMs }: JudgeInput): string {
  return lastFreshMs === undefined ? "" : ` Last fresh sandbox ${instantWords(lastFreshMs, nowMs)}, ${spanWords(lastFreshMs, nowMs)} ago.`;
}

/** Pods that are shown apart and decide nothing. */
function heldWords({ ownRequest, other }: HeldPods): string {
  const own = ownRequest > 0 ? ` ${countWords(ownRequest, "pod")} held by ${ownRequest === 1 ? "its" : "their"} own request.` : "";
  return other > 0 ? `${own} ${countWords(other, "pod")} ${other === 1 ? "waits" : "wait"} for something else.` : own;
}

function verdict(row: AnswerRow, state: Judgement["state"], marks: { readonly atRisk?: boolean; readonly idle?: boolean }, summary: string, proof: readonly Evidence[]): Judgement {
  return { state, atRisk: marks.atRisk ?? false, idle: marks.idle ?? false, row, summary, proof };
}

/** The judgement with since when: it keeps the moment at which state and marks last became what they are. */
export function withSince(previous: Answer | undefined, judgement: Judgement, nowMs: number): Answer {
  const same = previous !== undefined && previous.state === judgement.state && previous.atRisk === judgement.atRisk && previous.idle === judgement.idle;
  return { ...judgement, sinceMs: same ? previous.sinceMs : nowMs };
}
