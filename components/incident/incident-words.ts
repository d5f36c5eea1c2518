import type { HurtOut, IncidentSummary, StoryItemOut } from "@/server/contract/incidents";
import { formatDuration } from "@/components/format/time";
import { plural } from "@/components/format/numbers";
import type { Look } from "@/components/fleet/model";

export interface StateView {
  readonly words: string;
  readonly tone: "bad" | "warn" | "unknown" | "ok" | "plain";
  /** The shape that says the same; none where the state is none of the four answers. */
  readonly look?: Look;
}

/** How an incident stands, as a chip. */
export function stateView({ state, severity, closedBecause }: Pick<IncidentSummary, "state" | "severity" | "closedBecause">): StateView {
  switch (state) {
    case "open":
      return severity === "blocks" ? { words: "Open", tone: "bad", look: "no" } : { words: "Open, at risk", tone: "warn", look: "risk" };
    case "unknown":
      return { words: "Unknown", tone: "unknown", look: "unknown" };
    case "recovering":
      return { words: "Recovering", tone: "plain" };
    case "closed":
      return closedBecause === "node-gone" ? { words: "Closed, node left", tone: "plain" } : { words: "Closed", tone: "ok", look: "yes" };
  }
}

/** From the first sign to recovery; for one that is not over until now. */
function lastedSeconds({ sign, recovered, closed, state }: Pick<IncidentSummary, "sign" | "recovered" | "closed" | "state">, nowMs: number): number {
  const end = state === "closed" ? (recovered ?? closed) : undefined;
  return Math.max(0, (end === undefined ? nowMs : Date.parse(end)) - Date.parse(sign)) / 1_000;
}

export const lastedWords = (incident: Parameters<typeof lastedSeconds>[0], nowMs: number): string => `${formatDuration(lastedSeconds(incident, nowMs))}${incident.state === "closed" ? "" : " so far"}`;

const MAX_NAMES = 2;

/** "3 workloads, coredns first": who is hurt in a list's cell. */
export function hurtWords({ workloads, system }: IncidentSummary["hurt"]): string {
  if (workloads === 0) return "nobody seen";
  const named = system.slice(0, MAX_NAMES).join(", ");
  return named === "" ? plural(workloads, "workload") : `${plural(workloads, "workload")}, with ${named}${system.length > MAX_NAMES ? " …" : ""}`;
}

/** "4 of 6 have a sandbox"; what was not counted is said so. */
export const replicaWords = ({ started, replicas }: Pick<HurtOut, "started" | "replicas">): string => (replicas === undefined ? "not counted" : `${started ?? 0} of ${replicas}`);

export const NATURE_CHIPS = { wedge: "Wedge: nothing starts", flap: "Flap: comes and goes", undecided: "Wedge or flap: too early" } as const;

export const STORY_WORDS: Readonly<Record<StoryItemOut["kind"], string>> = {
  sign: "first sign", incident: "incident", cause: "cause", answer: "answer", attempts: "attempts", events: "events", daemon: "daemon", rollout: "rollout", config: "config", action: "action", verdict: "verdict", gap: "no data", person: "people", node: "node",
};

export const STORY_LOOKS: Readonly<Record<StoryItemOut["tone"], Look | undefined>> = { bad: "no", ok: "yes", warn: "risk", unknown: "unknown", plain: undefined };
export const TONE_WORDS: Readonly<Record<StoryItemOut["tone"], string>> = { bad: "Harm", ok: "Recovery", warn: "Warning", unknown: "Not known", plain: "Happened" };

/** Fewer repeats in a row are lines of their own. */
const MIN_FOLDED = 2;

/** The story with every run of repeats as one entry, so that what was new stands out. Nothing is left out. */
export function foldRepeats(items: readonly StoryItemOut[]): readonly (readonly StoryItemOut[])[] {
  const folded: StoryItemOut[][] = [];
  for (const item of items) {
    const last = folded.at(-1);
    if (item.repeats === true && last?.[0]?.repeats === true) last.push(item);
    else folded.push([item]);
  }
  return folded.flatMap((run) => (run.length < MIN_FOLDED ? run.map((item) => [item]) : [run]));
}

/** "5 changes of causes told before: 2 there again, 3 over". */
export function repeatWords(run: readonly StoryItemOut[]): string {
  const count = (tone: StoryItemOut["tone"], words: string): readonly string[] => {
    const found = run.filter((item) => item.tone === tone).length;
    return found === 0 ? [] : [`${found} ${words}`];
  };
  return `${run.length} changes of causes told before: ${[...count("bad", "there again"), ...count("ok", "over"), ...count("unknown", "out of sight")].join(", ")}`;
}

/** An attempt's numbers: "attempt 3", "attempts 1–4". */
export const attemptWords = ({ from, to }: { readonly from: number; readonly to: number }): string => (from === to ? `attempt ${from}` : `attempts ${from}–${to}`);

/** Whether a row of the list holds what was typed: title, nodes, pool, causes. */
export function matches(incident: IncidentSummary, typed: string): boolean {
  const words = typed.trim().toLowerCase().split(/\s+/).filter((word) => word !== "");
  const text = [String(incident.id), incident.title, incident.lead, incident.node, incident.pool, ...(incident.members?.nodes ?? []), ...incident.causes.flatMap(({ code, title }) => [code, title])].join("\n").toLowerCase();
  return words.every((word) => text.includes(word));
}

/** A link to a node's page over the range of the incident. */
export function nodeHref(node: string, from: string, to: string): string {
  const seconds = (iso: string): string => new Date(Math.round(Date.parse(iso) / 1_000) * 1_000).toISOString().replace(".000Z", "Z");
  return `/nodes/${encodeURIComponent(node)}?from=${seconds(from)}&to=${seconds(to)}`;
}
