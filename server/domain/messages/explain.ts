import { causeDocs } from "../causes/types";
import type { MessageCode } from "../causes/codes";
import { adviceFor } from "./advice";
import { type Call, callsOf } from "./calls";
import { factsOf } from "./facts";
import { type Folded, fold, quote } from "./fold";
import { type Branch, peel } from "./peel";
import { recordsOf } from "./records";
import { ALL_PLUGIN_WORDS, pluginOfType, pluginOfWords } from "./plugins";
import { readFigures } from "./readers";
import { type Candidate, type Confidence, type Operation, RANK, type Rule } from "./rule";
import { RULES } from "./rules";
import { readCall } from "./rules/calls";
import { type Sightings, createScanner } from "./scanner";
import { type Explanation, MAX_EXPLAINED_CHARS, type MessageFacts, type MessageLayer } from "./types";

/** What is known of a text from elsewhere. */
export interface ExplainHint {
  /** The reason of the event that carried the text: "FailedKillPod". */
  readonly reason?: string;
  /** The CNI of the node, used where the text names none. */
  readonly plugin?: string;
}

/** Longest piece that is quoted. */
export const MAX_QUOTE_CHARS = 240;
/** Most pieces that are quoted of one text. */
export const MAX_QUOTES = 4;

const scanner = createScanner([
  ...RULES.flatMap(({ any, with: groups, without }) => [...any, ...(groups ?? []).flat(), ...(without ?? [])]),
  ...ALL_PLUGIN_WORDS,
]);

const rulesByMark = new Map<string, Rule[]>();
for (const rule of RULES) for (const mark of rule.any) rulesByMark.set(mark, [...(rulesByMark.get(mark) ?? []), rule]);

/** Rules of which a mark was seen. */
const rulesFor = (seen: Sightings): ReadonlySet<Rule> => new Set(seen.marks.flatMap((mark) => rulesByMark.get(mark) ?? []));

/**
 * What one text says: an event's message, a line of a log, a condition, a cause found by structure and by the programs' own
 * words. Pure, and linear in the length of the text, whatever the text holds; beyond MAX_EXPLAINED_CHARS it is not read. A
 * text is never proof, and `unknown` is a good answer where it does not decide.
 */
export function explain(text: string, hint: ExplainHint = {}): Explanation {
  const given = text.length > MAX_EXPLAINED_CHARS ? text.slice(0, MAX_EXPLAINED_CHARS) : text;
  const reading = weightiest(recordsOf(given).map((record) => read(fold(record), hint)));
  if (reading.best !== undefined || !given.includes("\n")) return explained(reading, hint, text);
  // A terminal may have broken the lines inside words.
  const joined = read(fold(given, true), hint);
  return explained(joined.best === undefined ? reading : joined, hint, text);
}

/** Of the records of a log the one that decides most; of equals the cause that most of them tell, in its last record. */
function weightiest(readings: readonly Reading[]): Reading {
  const [first] = readings;
  if (first === undefined) throw new RangeError("A text has at least one record");
  const top = Math.max(...readings.map(({ best }) => best?.rank ?? 0));
  const telling = readings.filter(({ best }) => best !== undefined && best.rank === top);
  const counts = new Map<MessageCode, number>();
  for (const { best } of telling) if (best !== undefined) counts.set(best.cause, (counts.get(best.cause) ?? 0) + 1);
  const most = Math.max(0, ...counts.values());
  return telling.findLast(({ best }) => best !== undefined && counts.get(best.cause) === most) ?? first;
}

interface Reading {
  readonly folded: Folded;
  readonly body: string;
  readonly branch: Branch;
  readonly branches: readonly Branch[];
  readonly calls: readonly Call[];
  readonly seen: Sightings;
  readonly op?: Operation;
  readonly best?: Candidate;
  readonly others: readonly Candidate[];
}

/**
 * The branch in which making the sandbox failed decides; cleaning up is asked only where the first says nothing, and then only
 * for a reason of its own: that it failed too tells nothing of why.
 */
function read(folded: Folded, hint: ExplainHint): Reading {
  const { body, branches } = peel(folded);
  const readings = branches.map((branch) => readBranch(folded, body, branch, branches, hint));
  const [first] = readings;
  if (first === undefined) throw new RangeError("A text has at least one branch");
  return readings.find(({ best }) => best !== undefined && best.rank > RANK.frame) ?? first;
}

function readBranch(folded: Folded, body: string, branch: Branch, branches: readonly Branch[], hint: ExplainHint): Reading {
  const seen = scanner.scan(body, branch.from, branch.to);
  const op = branch.op ?? operationOfReason(hint.reason);
  const probe = seen.has("probe failed");
  const calls = callsOf(body, branch.from, branch.to);
  const candidates: Candidate[] = [...readFigures(body, branch.from, branch.to)];
  for (const rule of rulesFor(seen)) {
    const candidate = evaluate(rule, seen, op);
    if (candidate !== undefined) candidates.push(candidate);
  }
  for (const call of calls) {
    const candidate = readCall(call, probe);
    if (candidate !== undefined) candidates.push(candidate);
  }
  const inOrder = candidates.map((candidate) => softened(candidate, op)).sort((a, b) => b.rank - a.rank || b.from - a.from);
  const [best, ...others] = inOrder;
  return { folded, body, branch, branches, calls, seen, others, ...(op === undefined ? {} : { op }), ...(best === undefined ? {} : { best }) };
}

function operationOfReason(reason: string | undefined): Operation | undefined {
  if (reason === "FailedKillPod" || reason === "FailedPodSandBoxStop") return "del";
  return reason === "FailedCreatePodSandBox" ? "add" : undefined;
}

function evaluate(rule: Rule, seen: Sightings, op: Operation | undefined): Candidate | undefined {
  if (rule.op !== undefined && rule.op !== op) return undefined;
  let from = -1;
  let to = -1;
  for (const mark of rule.any) {
    const at = seen.last(mark);
    if (at > from) {
      from = at;
      to = at + mark.length;
    }
  }
  if (from < 0) return undefined;
  if (rule.with !== undefined && !rule.with.every((group) => group.some((mark) => seen.has(mark)))) return undefined;
  if (rule.without?.some((mark) => seen.has(mark))) return undefined;
  const { cause, detail, rank, confidence, says, plugin } = rule;
  return { cause, rank, confidence, says, from, to, ...(detail === undefined ? {} : { detail }), ...(plugin === undefined ? {} : { plugin }) };
}

/** Said while a sandbox is ended, these tell of the ending rather than of the config, the link or the device. */
const SOFT_WHEN_ENDING: ReadonlySet<MessageCode> = new Set<MessageCode>(["cni-config-invalid", "host-link-conflict", "device-unavailable"]);

function softened(candidate: Candidate, op: Operation | undefined): Candidate {
  return op === "del" && SOFT_WHEN_ENDING.has(candidate.cause) ? { ...candidate, cause: "teardown-failed", says: `${candidate.says}; so the sandbox's network could not be ended` } : candidate;
}

function explained(reading: Reading, hint: ExplainHint, text: string): Explanation {
  const { best, folded, body, calls } = reading;
  const facts = factsOf(folded, body, calls);
  const plugin = pluginOf(reading, facts, hint);
  const cause = best?.cause ?? "unknown";
  const detail = best === undefined ? undecidedDetail(body) : best.detail;
  const advice = adviceFor({ cause, plugin, facts, ...(detail === undefined ? {} : { detail }) });
  return {
    cause,
    ...(detail === undefined ? {} : { detail }),
    plugin,
    confidence: best === undefined ? "low" : confidenceOf(best, reading.others),
    because: becauseOf(reading, text),
    lookAt: advice.lookAt,
    fix: advice.fix,
    docs: causeDocs(cause),
    facts,
    layers: layersOf(reading),
  };
}

/** Another reading of the same weight takes certainty away. */
function confidenceOf(best: Candidate, others: readonly Candidate[]): Confidence {
  const rival = others.some((other) => other.rank === best.rank && other.cause !== best.cause);
  return rival ? (best.confidence === "high" ? "medium" : "low") : best.confidence;
}

/** What an undecided text tells all the same. */
function undecidedDetail(body: string): string | undefined {
  if (body.includes("deadline exceeded") || body.includes("deadlineexceeded")) return "deadline";
  if (body.includes("netplugin failed") || body.includes("unexpected end of json input")) return "plugin-died";
  return undefined;
}

function pluginOf({ best, branch, body, seen }: Reading, facts: MessageFacts, hint: ExplainHint): string {
  if (best?.plugin !== undefined) return best.plugin;
  const typed = facts.pluginType === undefined ? undefined : pluginOfType(facts.pluginType.toLowerCase());
  if (typed !== undefined && typed !== "cni-plugins") return typed;
  const words = pluginOfWords((word) => seen.has(word));
  if (words !== "generic") return words === "containerd" || words === "docker" || words === "kubelet" || words === "cri-o" ? (typed ?? (best?.cause === "cni-config-missing" && body.length > branch.to ? "generic" : words)) : words;
  return typed ?? hint.plugin ?? "generic";
}

/** A quoted piece ends where the next error begins, or at the end of its clause. */
const CLAUSE_ENDS: readonly string[] = [": ", "; ", "', ", "': ", " '; ", ", failed to", "}"];
/** How far before what decided the piece may begin. */
const MAX_LEAD_CHARS = 60;

function clause(body: string, from: number, to: number): readonly [from: number, to: number] {
  let start = from;
  while (start > 0 && from - start < MAX_LEAD_CHARS && !(body.charAt(start - 1) === " " && ":;,".includes(body.charAt(start - 2)))) start -= 1;
  // Not from within a word, where a long one stands before.
  const blank = from - start >= MAX_LEAD_CHARS ? body.indexOf(" ", start) : -1;
  if (blank >= 0 && blank < from) start = blank;
  while (start < from && (body.charAt(start) === " " || body.charAt(start) === "'")) start += 1;
  let end = Math.min(body.length, from + MAX_QUOTE_CHARS);
  for (const mark of CLAUSE_ENDS) {
    const at = body.indexOf(mark, to);
    if (at >= 0 && at < end) end = at;
  }
  return [start, Math.max(end, to)];
}

function becauseOf(reading: Reading, text: string): Explanation["because"] {
  const { best, folded, body, others } = reading;
  const pieces: { readonly text: string; readonly says: string }[] = [];
  const ranges: (readonly [from: number, to: number])[] = [];
  const add = (candidate: Candidate): void => {
    const range = clause(body, candidate.from, candidate.to);
    if (pieces.length >= MAX_QUOTES || ranges.some(([from, to]) => range[0] < to && from < range[1])) return;
    ranges.push(range);
    pieces.push({ text: quote(folded, range[0], range[1], MAX_QUOTE_CHARS), says: candidate.says });
  };
  if (best !== undefined) {
    add(best);
    for (const other of others) if (other.cause === best.cause && other.rank >= RANK.symptom) add(other);
  }
  if (text.length > MAX_EXPLAINED_CHARS) pieces.push({ text: "…", says: `Only the first ${MAX_EXPLAINED_CHARS} characters were read` });
  return pieces;
}

/** Most layers that are told. */
const MAX_LAYERS = 12;

function layersOf({ folded, body, branch }: Reading): readonly MessageLayer[] {
  const layers: MessageLayer[] = [];
  for (const { who, at, mark } of branch.frames) {
    if (layers.at(-1)?.who === who) continue;
    const [, to] = clause(body, at, at + mark.length);
    layers.push({ who, text: quote(folded, at, to, MAX_QUOTE_CHARS) });
  }
  return layers.slice(0, MAX_LAYERS);
}
