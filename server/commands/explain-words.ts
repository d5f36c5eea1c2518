import type { ExplainedGroup, ExplainedText, ExplanationOut } from "../contract/explain";
import { shown } from "../domain/messages/fold";
import { countWords } from "../domain/words";

/** Most groups that are written out whole; the others get a line each. */
const WHOLE_GROUPS = 10;
/** Most of a sample text that is shown. */
const MAX_SAMPLE_CHARS = 300;

/** What `sandglass explain` prints for people: plain text, whatever the explained text held. */
export function explanationWords(explained: ExplainedText): string {
  if (explained.kind === "text") return `${block(explained).join("\n")}\n`;
  if (explained.messages.length === 0) return `${explained.kind === "list" ? "The list holds no message." : "No record of it says a cause."}\n`;
  const whole = explained.messages.slice(0, WHOLE_GROUPS).map((group) => groupBlock(group).join("\n"));
  const rest = explained.messages.slice(WHOLE_GROUPS).map((group) => `${group.title} (${group.cause}): ${timesWords(group)}`);
  const left = explained.leftOut === 0 ? [] : [`${countWords(explained.leftOut, "more text")} not read or not shown.`];
  return `${[...whole, ...(rest.length === 0 ? [] : [rest.join("\n")]), ...left].join("\n\n")}\n`;
}

function groupBlock(group: ExplainedGroup): readonly string[] {
  const about = group.about.length === 0 ? [] : [`  about  ${group.about.map(shown).join(", ")}`];
  const sample = shown(group.text);
  return [`${timesWords(group)}:`, `  text   ${sample.length > MAX_SAMPLE_CHARS ? `${sample.slice(0, MAX_SAMPLE_CHARS)}…` : sample}`, ...about, ...block(group)];
}

const timesWords = ({ count, texts, reasons }: ExplainedGroup): string => `${countWords(count, "time")} in ${countWords(texts, "text")}${reasons.length === 0 ? "" : ` of ${reasons.map(shown).join(", ")}`}`;

function block(explanation: ExplanationOut): readonly string[] {
  const { cause, detail, title, plugin, confidence, because, lookAt, fix, docs, layers } = explanation;
  const head = cause === "unknown" ? `${title}: the text does not decide${detail === undefined ? "" : ` (${detail})`}.` : `${title} (${cause}${detail === undefined ? "" : `, ${detail}`}); confidence ${confidence}; text of ${plugin}`;
  const nesting = layers.length > 1 ? [`  who    ${layers.map(({ who }) => who).join(" → ")}`] : [];
  return [
    head,
    ...nesting,
    ...factLines(explanation),
    ...section("Because", because.map(({ text, says }) => `"${text}": ${says}.`)),
    ...section("Look at", lookAt),
    ...section("Do", fix),
    `More: ${docs}`,
  ];
}

const section = (name: string, lines: readonly string[]): readonly string[] => (lines.length === 0 ? [] : [name, ...lines.map((line) => `  - ${line}`)]);

function factLines({ facts }: ExplanationOut): readonly string[] {
  const named: readonly (readonly [name: string, value: string | undefined])[] = [
    ["plugin", facts.pluginType],
    ["in", facts.binDirs?.join(" ")],
    ["net", facts.network],
    ["socket", facts.socketPath],
    ["file", facts.file],
    ["held by", facts.reservedFor],
  ];
  return named.flatMap(([name, value]) => (value === undefined ? [] : [`  ${name.padEnd(7)}${shown(value)}`]));
}
