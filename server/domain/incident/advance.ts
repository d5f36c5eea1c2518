import type { WaitingPod } from "../answer";
import { countWords, durationWords, instantWords } from "../words";
import { conditionOf, isApiFresh, severityOf, sickSinceMs, signsOf, type Condition } from "./condition";
import { trackHurt, type CountReplicas } from "./hurt";
import { trackKept } from "./keep";
import { FORGOTTEN, IMPOSSIBLE, INCIDENT_TABLE, type IncidentInput, type IncidentState } from "./machine";
import type { Traits } from "./shared-traits";
import { CAUSE_HOLD_MS, FLICKER_MS, FLICKERS_TO_OPEN, NO_HOLD_MS, RECOVERY_HOLD_MS, REOPEN_GRACE_MS, SIGN_BEFORE_MS, UNSEEN_AFTER_MS } from "./timing";
import { trackCauses } from "./track-causes";
import { MAX_ENTRIES, type Advanced, type IncidentEntry, type NodeIncident, type NodeLook } from "./types";

/** What is known beside the look itself. */
export interface LookContext {
  readonly nowMs: number;
  /** The look before at this node, in this life of Sandglass or the one before; absent where there was none. */
  readonly previousMs?: number;
  /** Asked only where an incident begins or becomes worse. */
  readonly traits: () => Traits;
  readonly waitingPods: readonly WaitingPod[];
  readonly count: CountReplicas;
  /** The number of an incident that begins; called once where one does. */
  readonly newId: () => number;
}

/** Nothing is there and nothing began. */
const NOTHING: Advanced = { entries: [], changed: false, keep: [] };

/**
 * One look at a node: what becomes of its incident. Pure; the same looks give the same incident, wherever Sandglass ended
 * and started between two of them, since all that counts is in the incident and in the look.
 */
export function advance(before: NodeIncident | undefined, look: NodeLook, context: LookContext): Advanced {
  const { nowMs } = context;
  const held = before !== undefined && isSettled(before, nowMs) ? undefined : before;
  const current = held === undefined ? begin(look, context) : resume(held, context);
  if (current === undefined) return NOTHING;
  const { causes, entries: causeEntries } = current.state === "closed" ? { causes: current.causes, entries: [] } : trackCauses(current.causes, look, nowMs);
  const condition = conditionOf(look, current.state === "closed" ? [] : causes);
  const looked = withSigns({ ...current, causes }, condition, nowMs);
  const input = inputOf(looked, condition, look, nowMs);
  const next = INCIDENT_TABLE[looked.state][input];
  if (next === FORGOTTEN) return { entries: [], changed: true, keep: [] };
  if (next === IMPOSSIBLE) throw new Error(`an incident that is ${looked.state} cannot meet "${input}"`); // inputOf asks for it of no such state
  const reopens = looked.state === "closed" && next === "open";
  const caused = reopens ? trackCauses(causes, look, nowMs) : { causes, entries: causeEntries };
  const moved = move({ ...looked, causes: caused.causes }, next, condition, look, nowMs);
  const observed = looked.state === "closed" && next === "closed" ? moved.incident : observe(moved.incident, condition, look, context);
  const { incident, keep } = keepSamples(observed, look, nowMs);
  const entries = [...(held === undefined ? [signEntry(incident, look)] : []), ...moved.entries, ...caused.entries, ...worseEntry(current, incident, look, nowMs)];
  return finish(current, incident, entries, keep, held === undefined);
}

/** The node left the cluster: what is watched is forgotten, what is open ends and says why. */
export function advanceGone(before: NodeIncident, nowMs: number): Advanced {
  const next = INCIDENT_TABLE[before.state].gone;
  if (next === FORGOTTEN) return { entries: [], changed: true, keep: [] };
  if (next === IMPOSSIBLE || before.state === "closed") return { incident: before, entries: [], changed: false, keep: [] };
  const { wellMs: _well, ...kept } = before;
  const { keep, incident } = cutKept({ ...kept, state: next, stateMs: nowMs, closedMs: nowMs, closedBecause: "node-gone" }, nowMs);
  return finish(before, incident, [{ atMs: nowMs, kind: "closed", text: "Closed: the node left the cluster", detail: "Whether it recovered before is not known." }], keep, false);
}

/** Closed for longer than the grace: a later sign is another incident. */
export const isSettled = (incident: Pick<NodeIncident, "state" | "closedMs">, nowMs: number): boolean => incident.state === "closed" && nowMs - (incident.closedMs ?? nowMs) > REOPEN_GRACE_MS;

function begin(look: NodeLook, context: LookContext): NodeIncident | undefined {
  if (conditionOf(look, []) !== "sick") return undefined;
  const { nowMs } = context;
  const turnMs = sickSinceMs(look, nowMs);
  return {
    id: context.newId(),
    scope: "node",
    node: look.name,
    state: "watched",
    stateMs: nowMs,
    severity: severityOf(look),
    signMs: firstSignMs(look, turnMs),
    relapses: 0,
    reopened: 0,
    entries: 0,
    traits: context.traits(),
    turnMs,
    turnSeen: isContinuous(context),
    signs: 0,
    answer: answerOf(look),
    peak: { waiting: 0, waitingSystem: 0, atMs: nowMs },
    causes: [],
    hurt: [],
  };
}

/** A pod that waited before the answer became *no* was the first sign of it. */
function firstSignMs({ answer, counts }: NodeLook, turnMs: number): number {
  const waitMs = answer.state === "no" ? counts.oldestWaitMs : undefined;
  return waitMs !== undefined && waitMs < turnMs && turnMs - waitMs <= SIGN_BEFORE_MS ? waitMs : turnMs;
}

const isContinuous = ({ nowMs, previousMs }: LookContext): boolean => previousMs !== undefined && nowMs - previousMs <= UNSEEN_AFTER_MS;

/** Time in which nobody looked is no recovery: the hold begins anew. A clock that stepped back makes no hold of the future. */
function resume(held: NodeIncident, context: LookContext): NodeIncident {
  if (held.wellMs === undefined) return held;
  return { ...held, wellMs: isContinuous(context) ? Math.min(held.wellMs, context.nowMs) : context.nowMs };
}

/** Counts separate signs, and since when the node is well. */
function withSigns(incident: NodeIncident, condition: Condition, nowMs: number): NodeIncident {
  if (condition === "well") {
    const wellMs = incident.wellMs ?? nowMs;
    return { ...incident, wellMs, signs: incident.state === "closed" && nowMs - wellMs >= FLICKER_MS ? 0 : incident.signs };
  }
  const { wellMs, ...kept } = incident;
  const isNewSign = condition === "sick" && (wellMs !== undefined || incident.signs === 0);
  return { ...kept, signs: isNewSign ? kept.signs + 1 : kept.signs };
}

function inputOf(incident: NodeIncident, condition: Condition, look: NodeLook, nowMs: number): IncidentInput {
  if (condition === "sick") return isHeld(look, nowMs) || incident.signs >= FLICKERS_TO_OPEN ? "sick-held" : "sick";
  if (condition !== "well") return condition;
  const wellForMs = nowMs - (incident.wellMs ?? nowMs);
  if (incident.state === "watched") return wellForMs >= FLICKER_MS ? "well-held" : "well";
  return incident.state === "recovering" && wellForMs >= RECOVERY_HOLD_MS ? "well-held" : "well";
}

function isHeld(look: NodeLook, nowMs: number): boolean {
  if (look.answer.state === "no" && nowMs - look.answer.sinceMs >= NO_HOLD_MS) return true;
  return signsOf(look).some(({ sinceMs }) => nowMs - sinceMs >= CAUSE_HOLD_MS);
}

function move(incident: NodeIncident, next: IncidentState, condition: Condition, look: NodeLook, nowMs: number): { readonly incident: NodeIncident; readonly entries: readonly IncidentEntry[] } {
  if (next === incident.state) return { incident, entries: [] };
  const { recoveredMs, ...kept } = incident;
  const to: NodeIncident = { ...kept, state: next, stateMs: nowMs, ...(next === "recovering" ? { recoveredMs: nowMs } : next === "closed" && recoveredMs !== undefined ? { recoveredMs } : {}) };
  const tell = (kind: IncidentEntry["kind"], text: string, detail?: string): IncidentEntry => ({ atMs: nowMs, kind, text, ...(detail === undefined ? {} : { detail }) });
  switch (incident.state) {
    case "watched":
      return { incident: { ...to, openedMs: nowMs }, entries: [tell("opened", "Incident opened", openedBecause(incident, look, nowMs))] };
    case "closed": {
      const { closedMs, closedBecause: _because, ...open } = to;
      return { incident: { ...open, reopened: open.reopened + 1 }, entries: [tell("reopened", `Reopened, ${durationWords((nowMs - (closedMs ?? nowMs)) / 1_000)} after it had closed`, look.answer.summary)] };
    }
    case "recovering":
      if (next === "closed") return { incident: { ...to, signs: 0, closedMs: nowMs, closedBecause: "recovered" }, entries: [tell("closed", `Closed: recovery has held for ${durationWords(RECOVERY_HOLD_MS / 1_000)}`, recoveredBy(look, nowMs))] };
      if (next === "open") return { incident: { ...to, relapses: to.relapses + 1 }, entries: [tell("relapsed", "It came back before recovery had held", look.answer.summary)] };
      return { incident: to, entries: [tell("unknown", "Whether it recovered cannot be told", blindBecause(incident, look))] };
    case "open":
    case "unknown":
      if (next === "recovering") return { incident: to, entries: [tell("recovering", incident.severity === "blocks" ? "The answer is yes, and nothing that was measured goes on" : "The risk is not seen any more", recoveredBy(look, nowMs))] };
      if (next === "unknown") return { incident: to, entries: [tell("unknown", "Whether it goes on cannot be told", blindBecause(incident, look))] };
      return { incident: to, entries: [tell("seen-again", condition === "sick" ? "It is seen again, and goes on" : "It is seen again: some pods start, some do not", look.answer.summary)] };
  }
}

function openedBecause(incident: NodeIncident, look: NodeLook, nowMs: number): string {
  const cause = signsOf(look).find(({ sinceMs }) => nowMs - sinceMs >= CAUSE_HOLD_MS);
  if (cause !== undefined) return `${cause.title} for ${durationWords((nowMs - cause.sinceMs) / 1_000)}.`;
  if (look.answer.state === "no" && nowMs - look.answer.sinceMs >= NO_HOLD_MS) return `The answer is no for ${durationWords((nowMs - look.answer.sinceMs) / 1_000)}.`;
  return `${countWords(incident.signs, "short sign")} within ${durationWords(FLICKER_MS / 1_000)} of one another.`;
}

/** What the recovery rests on; without a fresh sandbox it rests on the rest, and that is said. */
function recoveredBy({ lastFreshMs, answer }: NodeLook, nowMs: number): string {
  return answer.idle || lastFreshMs === undefined ? `No sandbox has become ready since. ${answer.summary}` : `Newest fresh sandbox ${instantWords(lastFreshMs, nowMs)}.`;
}

function blindBecause(incident: NodeIncident, look: NodeLook): string {
  const unseen = incident.causes.find(({ state }) => state === "unseen");
  return look.answer.state === "unknown" || unseen === undefined ? look.answer.summary : `${unseen.title}: ${unseen.reason ?? "it cannot be looked for"}.`;
}

/** Figures and facts of this look; where the API is stale, those that it gave stay as they were. */
function observe(incident: NodeIncident, condition: Condition, look: NodeLook, context: LookContext): NodeIncident {
  const { nowMs } = context;
  const { answer, counts } = look;
  const noMs = incident.noMs ?? (answer.state === "no" ? answer.sinceMs : undefined);
  const started = condition === "sick" && (look.lastFreshMs ?? 0) > Math.max(incident.turnMs, noMs ?? 0) ? look.lastFreshMs : incident.startedMs;
  const worse = incident.severity === "risks" && condition === "sick" && severityOf(look) === "blocks";
  return {
    ...incident,
    ...(worse ? { severity: "blocks" as const, turnMs: sickSinceMs(look, nowMs, "blocks"), turnSeen: isContinuous(context), traits: context.traits() } : {}),
    answer: answerOf(look),
    ...(noMs === undefined ? {} : { noMs }),
    ...(started === undefined ? {} : { startedMs: started }),
    ...(isApiFresh(look)
      ? {
          peak: counts.waiting > incident.peak.waiting ? { waiting: counts.waiting, waitingSystem: counts.waitingSystem, atMs: nowMs } : incident.peak,
          hurt: trackHurt(incident.hurt, hurtPods(incident, look, context.waitingPods), context.count, nowMs),
        }
      : {}),
  };
}

/** Pods that wait because of it: any while the answer is *no*, else those that are stuck; once it recovers, only those that waited before; after it, none. */
function hurtPods({ state, stateMs }: NodeIncident, { answer }: NodeLook, pods: readonly WaitingPod[]): readonly WaitingPod[] {
  if (state === "closed") return [];
  return pods.filter(({ hold }) => hold.kind === "waiting" && (answer.state === "no" || hold.stuck) && (state !== "recovering" || hold.sinceMs < stateMs));
}

const answerOf = ({ answer }: NodeLook): NodeIncident["answer"] => ({ state: answer.state, atRisk: answer.atRisk, idle: answer.idle, sinceMs: answer.sinceMs, summary: answer.summary });

function keepSamples(incident: NodeIncident, look: NodeLook, nowMs: number): { readonly incident: NodeIncident; readonly keep: Advanced["keep"] } {
  if (incident.state === "watched" || incident.state === "closed") return incident.keeping === undefined ? { incident, keep: [] } : cutKept(incident, nowMs);
  return kept(incident, look.answer.state !== "yes", look.answer.sinceMs, nowMs);
}

const cutKept = (incident: NodeIncident, nowMs: number): ReturnType<typeof keepSamples> => kept(incident, false, nowMs, nowMs);

function kept(incident: NodeIncident, bad: boolean, sinceMs: number, nowMs: number): ReturnType<typeof keepSamples> {
  const { keeping, keep } = trackKept(incident.keeping, bad, sinceMs, nowMs);
  const { keeping: _before, ...rest } = incident;
  return { incident: keeping === undefined ? rest : { ...rest, keeping }, keep: keep.map((stretch) => ({ incident: incident.id, node: incident.node, ...stretch })) };
}

const signEntry = (incident: NodeIncident, look: NodeLook): IncidentEntry => ({
  atMs: incident.signMs,
  kind: "sign",
  text: incident.signMs < incident.turnMs ? "First sign: the oldest of its waiting pods began to wait" : "First sign",
  detail: signsOf(look)[0]?.summary ?? look.answer.summary,
});

function worseEntry(before: NodeIncident, after: NodeIncident, look: NodeLook, nowMs: number): readonly IncidentEntry[] {
  return before.severity === "risks" && after.severity === "blocks" ? [{ atMs: nowMs, kind: "worse", text: "What was a risk now keeps pods from starting", detail: look.answer.summary }] : [];
}

/** The first entries tell how it began, so once there are too many only states are still told. */
const ALWAYS_TOLD: ReadonlySet<string> = new Set(["opened", "reopened", "closed"]);

function finish(before: NodeIncident, incident: NodeIncident, entries: readonly IncidentEntry[], keep: Advanced["keep"], begins: boolean): Advanced {
  const told = entries.filter(({ kind }, index) => incident.entries + index < MAX_ENTRIES || ALWAYS_TOLD.has(kind));
  const counted = { ...incident, entries: incident.entries + told.length };
  return { incident: counted, entries: told, keep, changed: begins || told.length > 0 || keep.length > 0 || essence(before) !== essence(counted) };
}

/** What a list or page shows beside figures. */
const essence = ({ state, severity, signs, wellMs, answer, causes, hurt, fleet }: NodeIncident): string =>
  JSON.stringify([state, severity, signs, wellMs !== undefined, answer.state, answer.atRisk, fleet, causes.map((cause) => [cause.code, cause.detail, cause.state, cause.certainty]), hurt.map((one) => [one.namespace, one.kind, one.name, one.toMs === undefined])]);
