import type { NodeExport } from "../contract/schemas";
import { visibleText } from "../domain/clean-text";

/** Characters that Markdown would act on; a backslash before each makes them text. */
const ACTIVE = /[\\`*_{}[\]()#+\-.!|~:@]/g;
/** What HTML inside Markdown would act on. */
const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** Text of the cluster or of a person as text: control characters visible, one line, nothing of it acted on by a Markdown reader, no link made of it. */
export const markdownText = (text: string): string => visibleText(text).replaceAll(/\s+/g, " ").replaceAll(ACTIVE, (char) => `\\${char}`).replaceAll(/[&<>]/g, (char) => ENTITIES[char] ?? char);

/** Series longer than this are told by their extremes only; the JSON export has every point. */
const MAX_EVENT_ROWS = 200;
const MAX_POD_ROWS = 100;

const STATE_WORDS = { yes: "Yes", no: "No", unknown: "Unknown" } as const;
const LOOK_WORDS = { seen: "seen", "not-seen": "not seen", "could-not-look": "could not look" } as const;

/**
 * The export as a page to read or to paste: answer first, then proof, what waits, signals with their extremes, gaps,
 * events, definitions. Every text of the cluster is escaped.
 */
export function exportMarkdown(made: NodeExport): string {
  const { node, timeline } = made;
  const t = markdownText;
  const lines: string[] = [
    `# ${t(node.name)}: ${STATE_WORDS[node.answer.state]}${node.answer.atRisk ? ", at risk" : ""}${node.answer.idle ? ", idle" : ""}`,
    "",
    t(node.answer.summary),
    "",
    `- Answer since: ${node.answer.since}`,
    `- Window: ${made.window.from} to ${made.window.to}`,
    `- Cluster: ${made.cluster === undefined ? "not known" : `${t(made.cluster.name)}${made.cluster.simulated ? " (simulated)" : ""}, ${t(made.cluster.version ?? "version not known")}`}`,
    `- Made: ${made.madeAt} by ${t(made.madeBy)}`,
    `- Node: pool ${t(node.pool)}, ready ${node.ready}, ${node.schedulable ? "schedulable" : "cordoned"}, kubelet ${t(node.versions.kubelet ?? "not known")}, runtime ${t(node.versions.runtime ?? "not known")}`,
    `- Deadline of RunPodSandbox: ${node.deadline.seconds} s${node.deadline.assumed ? " (assumed)" : ""}`,
    "",
    "## Proof",
    "",
    ...markdownTable(["What", "Looked", "Value", "When", "Source"], node.answer.proof.map((item) => [t(item.what), LOOK_WORDS[item.look] + (item.reason === undefined ? "" : `: ${t(item.reason)}`), item.value === undefined ? "" : t(`${item.value} ${item.unit ?? ""}`.trim()), item.at ?? "", item.source])),
    "## Pods without a sandbox",
    "",
    ...(node.counts.seen ? [] : ["They could not be seen when this was made; the figures below are of before, or 0 where there never were any.", ""]),
    `${node.counts.waiting} wait for a sandbox (${node.counts.stuck} stuck), ${node.counts.ownRequest} are held by their own request, ${node.counts.other} wait for something else.`,
    "",
    ...markdownTable(["Pod", "Held", "Since", "Last error"], node.waitingPods.slice(0, MAX_POD_ROWS).map((pod) => [t(`${pod.namespace}/${pod.name}`), pod.hold, pod.since, t(pod.lastError?.text ?? pod.because ?? "")])),
    ...(node.waitingPods.length > MAX_POD_ROWS ? [`${node.waitingPods.length - MAX_POD_ROWS} more are in the JSON export.`, ""] : []),
    "## Answers in the window",
    "",
    ...markdownTable(["From", "To", "Answer", "Summary"], timeline.answers.map((span) => [span.from, span.to, STATE_WORDS[span.state] + (span.atRisk ? ", at risk" : ""), t(span.summary)])),
    "## Signals in the window",
    "",
    "Least, greatest and last value of each series. The JSON export has every point.",
    "",
    ...markdownTable(["Signal", "Instance", "Unit", "Least", "Greatest", "Last", "Points"], timeline.series.map((series) => [t(series.signal), t(series.instance), series.unit, String(least(series.min)), String(greatest(series.max)), String(series.last.at(-1) ?? "no data"), String(series.at.length)])),
    "## Gaps",
    "",
    ...(timeline.gaps.length === 0 ? ["None: every source told something throughout.", ""] : markdownTable(["Source", "From", "To", "Reason"], timeline.gaps.map((gap) => [gap.source, gap.from, gap.to, t(gap.reason)]))),
    "## What could not be seen",
    "",
    ...(node.blind.length === 0 ? ["Nothing is known to be hidden.", ""] : markdownTable(["What", "Why"], node.blind.map((item) => [t(item.what), t(item.reason)]))),
    "## Events",
    "",
    ...markdownTable(["Last", "Count", "Type", "Reason", "About", "Message"], made.events.items.slice(0, MAX_EVENT_ROWS).map((event) => [event.last, String(event.count), event.type, t(event.reason), t(`${event.about.kind} ${event.about.namespace === undefined ? "" : `${event.about.namespace}/`}${event.about.name}`), t(event.message)])),
    ...(made.events.truncated || made.events.items.length > MAX_EVENT_ROWS ? ["Not all events are shown.", ""] : []),
    "## Definitions",
    "",
    ...markdownTable(["Signal", "Unit", "From", "Meaning"], made.definitions.map((definition) => [t(definition.signal), definition.unit, definition.sources.join(", "), t(definition.meaning)])),
  ];
  return `${lines.join("\n").trimEnd()}\n`;
}

const least = (values: readonly number[]): number | "no data" => (values.length === 0 ? "no data" : values.reduce((a, b) => Math.min(a, b)));
const greatest = (values: readonly number[]): number | "no data" => (values.length === 0 ? "no data" : values.reduce((a, b) => Math.max(a, b)));

/** A table, or "None." where it has no row. Cells are escaped by whoever makes them. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return ["None.", ""];
  return [`| ${head.join(" | ")} |`, `|${head.map(() => "---|").join("")}`, ...rows.map((row) => `| ${row.join(" | ")} |`), ""];
}
