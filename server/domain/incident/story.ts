import { causeOf } from "../causes/registry";
import type { ClusterChange } from "../cluster-changes";
import type { Explanation } from "../messages/types";
import type { EventObject } from "../model";
import type { Source } from "../sources";
import type { AnswerSpan, TimelineGap } from "../timeline";
import { countWords, lineWords, listWords, spanWords } from "../words";
import { groupAttempts, isAttempt, NOT_READ_DETAIL, type AttemptGroup } from "./attempts";
import type { FleetIncident, IncidentEntry, NodeIncident } from "./types";

export const STORY_KINDS = ["sign", "incident", "cause", "answer", "attempts", "events", "daemon", "rollout", "config", "action", "verdict", "gap", "person", "node"] as const;
export type StoryKind = (typeof STORY_KINDS)[number];
/** How it bears on the node: what harmed, what helped, what is only suspected, what nobody could see. */
export type StoryTone = "bad" | "ok" | "warn" | "unknown" | "plain";

/** One line of what happened. */
export interface StoryItem {
  readonly atMs: number;
  /** Where it went on for a while. */
  readonly toMs?: number;
  readonly kind: StoryKind;
  readonly tone: StoryTone;
  readonly title: string;
  readonly detail?: string;
  readonly node?: string;
  readonly source?: Source;
  /** Lines that begin with "+" or "-". */
  readonly diff?: string;
  readonly attempts?: AttemptGroup;
  /** The run of an action that it is about. */
  readonly requestId?: string;
  /** About a cause that was told of before: over, there again, or out of sight. */
  readonly repeats?: true;
}

/** Most lines of one story; the ones in the middle go first, since how it began and ended is asked for most. */
export const MAX_STORY_ITEMS = 800;

/** What a story needs to know of an action. */
export interface RunFact {
  readonly requestId: string;
  readonly title: string;
  readonly actor: string;
  readonly startedMs: number;
  readonly state: string;
  readonly error?: string;
  readonly seenMs?: number;
  readonly checks: readonly { readonly doneMs: number; readonly verdict: string; readonly because: string }[];
}

export interface PersonFact {
  readonly atMs: number;
  readonly by: string;
  readonly what: "acknowledged" | "titled" | "noted";
  readonly text?: string;
}

export interface NodeStoryParts {
  readonly incident: NodeIncident;
  readonly entries: readonly IncidentEntry[];
  readonly answers: readonly AnswerSpan[];
  readonly gaps: readonly TimelineGap[];
  /** In any order. */
  readonly events: readonly EventObject[];
  readonly changes: readonly ClusterChange[];
  readonly runs: readonly RunFact[];
  readonly people: readonly PersonFact[];
  readonly explain: (text: string) => Explanation;
}

/** What happened on a node around its incident, in order: signs, answers, causes, what pods met, daemons, rollouts, files, actions, people, recovery, and where nobody could look. */
export function nodeStory(parts: NodeStoryParts): { readonly items: readonly StoryItem[]; readonly truncated: boolean } {
  const events = otherEvents(parts.events);
  const { items, truncated } = inOrder([
    ...parts.entries.map(entryItem),
    ...answerItems(parts.answers),
    ...groupAttempts(parts.events, parts.explain).map(attemptItem),
    ...events.items,
    ...parts.changes.map(changeItem),
    ...parts.runs.flatMap(runItems),
    ...gapItems(parts.gaps),
    ...parts.people.map(personItem),
  ]);
  return { items, truncated: truncated || events.truncated };
}

/** The story of a fleet incident: its own, when each node turned and recovered, rollouts, actions, people. */
export function fleetStory(parts: { readonly incident: FleetIncident; readonly entries: readonly IncidentEntry[]; readonly members: readonly NodeIncident[]; readonly changes: readonly ClusterChange[]; readonly runs: readonly RunFact[]; readonly people: readonly PersonFact[] }): ReturnType<typeof nodeStory> {
  return inOrder([
    ...parts.entries.map(entryItem),
    ...parts.members.flatMap(memberItems),
    ...parts.changes.map(changeItem),
    ...parts.runs.flatMap(runItems),
    ...parts.people.map(personItem),
  ]);
}

/** At one moment: what led there before what came of it. */
const ORDER: Readonly<Record<StoryKind, number>> = { rollout: 0, config: 1, action: 2, gap: 3, daemon: 4, sign: 5, attempts: 6, events: 7, cause: 8, answer: 9, node: 10, incident: 11, verdict: 12, person: 13 };

function inOrder(items: readonly StoryItem[]): ReturnType<typeof nodeStory> {
  const sorted = [...items].sort((a, b) => a.atMs - b.atMs || ORDER[a.kind] - ORDER[b.kind]);
  return { items: endsOf(sorted, MAX_STORY_ITEMS), truncated: sorted.length > MAX_STORY_ITEMS };
}

/** The first and the last of them, `most` together. */
const endsOf = <T>(sorted: readonly T[], most: number): readonly T[] => (sorted.length <= most ? sorted : [...sorted.slice(0, most / 2), ...sorted.slice(-most / 2)]);

const ENTRY_TONES: Readonly<Record<IncidentEntry["kind"], StoryTone>> = {
  sign: "bad", opened: "bad", reopened: "bad", relapsed: "bad", worse: "bad", unknown: "unknown", "seen-again": "bad", recovering: "ok", closed: "ok",
  "cause-began": "bad", "cause-again": "bad", "cause-named": "bad", "cause-ended": "ok", "cause-unseen": "unknown", "cause-seen-again": "bad", joined: "plain", left: "plain", member: "bad", shared: "plain",
};

const REPEATS: ReadonlySet<IncidentEntry["kind"]> = new Set(["cause-again", "cause-ended", "cause-unseen", "cause-seen-again"]);

const entryItem = ({ atMs, kind, text, detail }: IncidentEntry): StoryItem => ({
  atMs,
  kind: kind === "sign" ? "sign" : kind.startsWith("cause") ? "cause" : "incident",
  tone: ENTRY_TONES[kind],
  title: text,
  ...(detail === undefined ? {} : { detail }),
  ...(REPEATS.has(kind) ? { repeats: true as const } : {}),
});

const ANSWER_WORDS = { yes: "The answer turned to yes", no: "The answer turned to no", unknown: "The answer turned to unknown" } as const;
const ANSWER_TONES = { yes: "ok", no: "bad", unknown: "unknown" } as const;

/** Each change; the answer that held at the beginning is none, and neither is the stretch without a collector, which is a gap. */
function answerItems(answers: readonly AnswerSpan[]): readonly StoryItem[] {
  return answers.flatMap((span, index): StoryItem[] => {
    const before = answers[index - 1];
    if (before === undefined || (before.state === span.state && before.atRisk === span.atRisk)) return [];
    const risk = span.state === "yes" && span.atRisk;
    return [{ atMs: span.fromMs, kind: "answer", tone: risk ? "warn" : ANSWER_TONES[span.state], title: risk ? `${ANSWER_WORDS.yes}, at risk` : ANSWER_WORDS[span.state], detail: span.summary, source: "api" }];
  });
}

function attemptItem(group: AttemptGroup): StoryItem {
  const title = `${countWords(group.events, "failed sandbox", "failed sandboxes")} of ${countWords(group.pods, "pod")}: ${meaningWords(group)}`;
  return { atMs: group.firstMs, ...(group.lastMs > group.firstMs ? { toMs: group.lastMs } : {}), kind: "attempts", tone: "bad", title, detail: group.text, source: "api", attempts: group };
}

function meaningWords({ cause, detail }: AttemptGroup): string {
  if (cause !== "unknown") return causeOf(cause)?.title ?? cause;
  if (detail === NOT_READ_DETAIL) return "too many texts that differ, so that these were not read";
  return detail === undefined ? "the text does not say why" : `${detail}, and the text does not say why`;
}

/** Normal events that say something of a node or of a sandbox; every warning does. */
const TELLING: ReadonlySet<string> = new Set(["SandboxChanged", "Rebooted", "NodeReady", "NodeNotReady", "NodeSchedulable", "NodeNotSchedulable", "Starting", "NodeHasSufficientMemory"]);
/** Most lines of other events in one story. */
export const MAX_EVENT_GROUPS = 60;
const MAX_EVENT_CHARS = 400;

/** Other events by reason and kind of what they are about, each with how often, of how many, and over how long. */
function otherEvents(events: readonly EventObject[]): ReturnType<typeof nodeStory> {
  const groups = new Map<string, { readonly event: EventObject; count: number; firstMs: number; lastMs: number; readonly subjects: Set<string> }>();
  for (const event of events) {
    if (isAttempt(event) || (event.type === "Normal" && !TELLING.has(event.reason))) continue;
    const key = event.about.kind === "Node" ? `Node ${event.reason} ${event.firstMs}` : `${event.about.kind} ${event.reason}`;
    const group = groups.get(key) ?? { event, count: 0, firstMs: event.firstMs, lastMs: event.lastMs, subjects: new Set<string>() };
    group.count += Math.max(1, event.count);
    group.firstMs = Math.min(group.firstMs, event.firstMs);
    group.lastMs = Math.max(group.lastMs, event.lastMs);
    group.subjects.add(`${event.about.namespace ?? ""}/${event.about.name}`);
    groups.set(key, group);
  }
  const sorted = [...groups.values()].sort((a, b) => a.firstMs - b.firstMs);
  const items = endsOf(sorted, MAX_EVENT_GROUPS).map(({ event, count, firstMs, lastMs, subjects }): StoryItem => ({
    atMs: firstMs,
    ...(lastMs > firstMs ? { toMs: lastMs } : {}),
    kind: "events",
    tone: event.type === "Warning" ? "warn" : "plain",
    title: `${event.reason}${count > 1 ? `, ${countWords(count, "time")}` : ""}${event.about.kind === "Node" ? "" : ` of ${countWords(subjects.size, event.about.kind.toLowerCase())}`}`,
    detail: lineWords(event.message, MAX_EVENT_CHARS),
    source: "api",
  }));
  return { items, truncated: sorted.length > MAX_EVENT_GROUPS };
}

const CHANGE_KINDS = { "daemon-restarted": "daemon", "daemon-oom-killed": "daemon", "daemon-replaced": "daemon", rollout: "rollout", config: "config" } as const;
const CHANGE_TONES = { "daemon-restarted": "warn", "daemon-oom-killed": "bad", "daemon-replaced": "plain", rollout: "plain", config: "plain" } as const;
const CHANGE_TITLES = { rollout: "Rollout of ", config: "CNI config: ", "daemon-restarted": "", "daemon-oom-killed": "", "daemon-replaced": "" } as const;

function changeItem({ atMs, kind, node, subject, text, diff }: ClusterChange): StoryItem {
  const title = kind === "rollout" ? `${CHANGE_TITLES.rollout}${subject}` : `${CHANGE_TITLES[kind]}${text}`;
  const detail = kind === "rollout" ? text : kind === "config" ? undefined : subject;
  return { atMs, kind: CHANGE_KINDS[kind], tone: CHANGE_TONES[kind], title, source: kind === "config" ? "agent" : "api", ...(detail === undefined ? {} : { detail }), ...(node === undefined ? {} : { node }), ...(diff === undefined ? {} : { diff }) };
}

const VERDICT_TONES: Readonly<Record<string, StoryTone>> = { worked: "ok", worse: "bad", "no-effect": "warn", "could-not-verify": "unknown" };
const VERDICT_WORDS: Readonly<Record<string, string>> = { worked: "worked", worse: "worse", "no-effect": "no effect", "could-not-verify": "could not verify", "too-early": "too early to tell" };

function runItems(run: RunFact): readonly StoryItem[] {
  const { requestId, title, actor, startedMs, state, error, seenMs } = run;
  const failed = state === "failed" || state === "interrupted";
  return [
    { atMs: startedMs, kind: "action", tone: failed ? "bad" : "plain", title, detail: `${failed ? `${state === "failed" ? "Failed" : "Interrupted"}: ${error ?? "no reason is known"}. ` : ""}By ${actor}.`, requestId },
    ...(seenMs === undefined ? [] : [{ atMs: seenMs, kind: "action" as const, tone: "plain" as const, title: "The change was seen on the node", detail: title, requestId }]),
    ...run.checks.map(({ doneMs, verdict, because }) => ({ atMs: doneMs, kind: "verdict" as const, tone: VERDICT_TONES[verdict] ?? ("plain" as const), title: `Verdict: ${VERDICT_WORDS[verdict] ?? verdict}`, detail: because, requestId })),
  ];
}

const SOURCE_WORDS: Readonly<Record<Source, string>> = { api: "the API", kubelet: "the kubelet", agent: "the agent", prometheus: "Prometheus" };

/** What several sources miss at once is one gap; what each of them says of it is told once. */
function gapItems(gaps: readonly TimelineGap[]): readonly StoryItem[] {
  const byStretch = new Map<string, TimelineGap[]>();
  for (const gap of gaps) {
    const key = `${gap.fromMs} ${gap.toMs}`;
    byStretch.set(key, [...(byStretch.get(key) ?? []), gap]);
  }
  return [...byStretch.values()].flatMap((same): readonly StoryItem[] => {
    const [first] = same;
    if (first === undefined) return [];
    const { fromMs, toMs, source } = first;
    const reasons = [...new Set(same.map(({ reason }) => reason))].join("; ");
    return [{ atMs: fromMs, toMs, kind: "gap", tone: "unknown", title: `No data from ${listWords(same.map((gap) => SOURCE_WORDS[gap.source]), same.length)} for ${spanWords(fromMs, toMs)}`, detail: reasons, ...(same.length === 1 ? { source } : {}) }];
  });
}

const PERSON_WORDS = { acknowledged: "acknowledged it", titled: "gave it a title", noted: "wrote a note" } as const;
const personItem = ({ atMs, by, what, text }: PersonFact): StoryItem => ({ atMs, kind: "person", tone: "plain", title: `${by} ${PERSON_WORDS[what]}`, ...(text === undefined ? {} : { detail: text }) });

function memberItems({ node, turnMs, severity, recoveredMs, causes, state }: NodeIncident): readonly StoryItem[] {
  const [cause] = causes;
  return [
    { atMs: turnMs, kind: "node", tone: severity === "blocks" ? "bad" : "warn", title: `${node} turned`, node, ...(cause === undefined ? {} : { detail: cause.title }) },
    ...(recoveredMs === undefined || state === "open" || state === "unknown" ? [] : [{ atMs: recoveredMs, kind: "node" as const, tone: "ok" as const, title: `${node} is well again`, node }]),
  ];
}
