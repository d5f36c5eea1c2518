import { explain } from "./explain";
import type { Explanation } from "./types";

/** One text with where it was said. */
export interface SaidText {
  readonly text: string;
  /** Reason of the event: "FailedCreatePodSandBox". */
  readonly reason?: string;
  /** "namespace/name" of what it is about. */
  readonly about?: string;
  /** Said in passing (a Normal event): left out where it tells no cause. */
  readonly quiet?: boolean;
  /** How often it was said; events that look alike are merged by the cluster. */
  readonly count: number;
}

/** Texts that mean the same. */
export interface TextGroup {
  readonly explanation: Explanation;
  /** One of them, the one that was said most often. */
  readonly text: string;
  readonly reasons: readonly string[];
  /** Bounded by MAX_ABOUT. */
  readonly about: readonly string[];
  /** How many different texts, and how often they were said together. */
  readonly texts: number;
  readonly count: number;
}

export interface GroupedTexts {
  /** Those that say a cause first, the most often said first; what is undecided last. */
  readonly groups: readonly TextGroup[];
  /** Texts that were not read because there are more than MAX_TEXTS, and groups beyond MAX_GROUPS. */
  readonly leftOut: number;
}

/** Most texts that are read at once. */
export const MAX_TEXTS = 20_000;
/** Most groups that are given. */
export const MAX_GROUPS = 100;
/** Most names that a group lists; the counts tell the whole number. */
export const MAX_ABOUT = 20;

type Draft = { -readonly [Key in keyof TextGroup]: TextGroup[Key] } & { most: number };

/** Explains every text and puts together what means the same; a text that was seen before is not read again. */
export function groupTexts(said: readonly SaidText[]): GroupedTexts {
  const read = said.slice(0, MAX_TEXTS);
  const known = new Map<string, Explanation>();
  const groups = new Map<string, Draft>();
  for (const item of read) {
    const seen = known.has(item.text);
    const explanation = known.get(item.text) ?? explain(item.text, item.reason === undefined ? {} : { reason: item.reason });
    known.set(item.text, explanation);
    if (item.quiet === true && explanation.cause === "unknown") continue;
    const key = keyOf(explanation);
    const group = groups.get(key) ?? { explanation, text: item.text, reasons: [], about: [], texts: 0, count: 0, most: 0 };
    groups.set(key, group);
    group.count += item.count;
    if (!seen) group.texts += 1;
    group.reasons = withOne(group.reasons, item.reason);
    group.about = withOne(group.about, item.about);
    if (item.count > group.most) Object.assign(group, { most: item.count, text: item.text, explanation });
  }
  const decided = (group: Draft): number => (group.explanation.cause === "unknown" ? 1 : 0);
  const ordered = [...groups.values()].sort((a, b) => decided(a) - decided(b) || b.count - a.count);
  return { groups: ordered.slice(0, MAX_GROUPS).map(({ most: _most, ...group }) => group), leftOut: said.length - read.length + Math.max(0, ordered.length - MAX_GROUPS) };
}

const withOne = (list: readonly string[], item: string | undefined): readonly string[] => (item === undefined || list.length >= MAX_ABOUT || list.includes(item) ? list : [...list, item]);

/** What fails is the same where the cause, whose words they are and what they name are the same. */
const keyOf = ({ cause, detail, plugin, facts }: Explanation): string => JSON.stringify(cause === "unknown" ? [cause, detail] : [cause, detail, plugin, cause === "plugin-binary-missing" ? facts.pluginType : undefined, facts.network, facts.socketPath]);
