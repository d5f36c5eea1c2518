import type { AnswerSpan } from "../../domain/timeline";
import type { Stretch } from "./collector-gaps";
import type { Query } from "./source";

/** Most spans of one lane; a node that flaps more often than that is drawn by its worst moments. */
export const MAX_ANSWER_SPANS = 1_500;
const NO_COLLECTOR = "No collector was at work.";

interface ChangeRow {
  readonly at_ms: number;
  readonly state: string;
  readonly at_risk: number;
  readonly idle: number;
  readonly summary: string;
}

/** The node's answers over the range, clipped to it, the one that began before it included. Unknown while no collector was at work. */
export function answerSpans(query: Query, node: string, fromMs: number, toMs: number, silent: readonly Stretch[]): readonly AnswerSpan[] {
  const before = query.one<ChangeRow>("SELECT at_ms, state, at_risk, idle, summary FROM answer_change WHERE node = ? AND at_ms <= ? ORDER BY at_ms DESC LIMIT 1", node, fromMs);
  const rows = query.all<ChangeRow>("SELECT at_ms, state, at_risk, idle, summary FROM answer_change WHERE node = ? AND at_ms > ? AND at_ms < ? ORDER BY at_ms", node, fromMs, toMs);
  const changes = before === undefined ? rows : [before, ...rows];
  const told = changes.flatMap((change, index): AnswerSpan[] => {
    const state = stateOf(change.state);
    const span = { fromMs: Math.max(change.at_ms, fromMs), toMs: changes[index + 1]?.at_ms ?? toMs };
    return state === undefined || span.fromMs >= span.toMs ? [] : [{ ...span, state, atRisk: change.at_risk === 1, idle: change.idle === 1, summary: change.summary }];
  });
  const spans = cut(told, silent);
  return spans.length <= MAX_ANSWER_SPANS ? spans : coalesce(spans, (toMs - fromMs) / (MAX_ANSWER_SPANS - 1));
}

/** `undefined`: the node had left the cluster. */
export function stateOf(text: string): AnswerSpan["state"] | undefined {
  return text === "yes" || text === "no" || text === "unknown" ? text : undefined;
}

/** What was true before the collector stopped is not claimed while it was away. */
function cut(spans: readonly AnswerSpan[], silent: readonly Stretch[]): AnswerSpan[] {
  let left = [...spans];
  for (const gap of silent) {
    left = left.flatMap((span) => {
      if (span.toMs <= gap.fromMs || span.fromMs >= gap.toMs) return [span];
      const parts: AnswerSpan[] = [];
      if (span.fromMs < gap.fromMs) parts.push({ ...span, toMs: gap.fromMs });
      if (span.toMs > gap.toMs) parts.push({ ...span, fromMs: gap.toMs });
      return parts;
    });
    if (spans.some((span) => span.fromMs < gap.toMs)) left.push({ ...gap, state: "unknown", atRisk: false, idle: false, summary: NO_COLLECTOR });
  }
  return left.sort((a, b) => a.fromMs - b.fromMs);
}

const BADNESS = { yes: 0, unknown: 2, no: 3 } as const;
const badness = (span: AnswerSpan): number => BADNESS[span.state] + (span.state === "yes" && span.atRisk ? 1 : 0);

function coalesce(spans: readonly AnswerSpan[], leastMs: number): AnswerSpan[] {
  const out: AnswerSpan[] = [];
  for (const span of spans) {
    const last = out.at(-1);
    if (last === undefined || last.toMs - last.fromMs >= leastMs || last.toMs !== span.fromMs) out.push(span);
    else out[out.length - 1] = { ...(badness(span) > badness(last) ? span : last), fromMs: last.fromMs, toMs: span.toMs };
  }
  return out;
}
