import type { ExplainedGroup, ExplanationOut } from "@/server/contract/explain";
import { formatCount } from "@/components/format/numbers";

const CONFIDENCE = { high: "Likely", medium: "Probably", low: "Perhaps" } as const;

/** A text is never proof, so no word here says that something is so. */
export const confidenceWords = (cause: ExplanationOut["cause"], confidence: ExplanationOut["confidence"]): string => (cause === "unknown" ? "Undecided" : CONFIDENCE[confidence]);

/** The names that a text holds, in words. */
export function factRows(facts: ExplanationOut["facts"]): readonly (readonly [name: string, value: string])[] {
  const rows: readonly (readonly [string, string | undefined])[] = [
    ["Plugin", facts.pluginType],
    ["Looked for in", facts.binDirs?.join(", ")],
    ["Network", facts.network],
    ["Socket", facts.socketPath],
    ["File", facts.file],
    ["Name held by", facts.reservedFor],
  ];
  return rows.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
}

/** "Said 7 times in 2 texts, about default/a and 3 others". */
export function groupWords({ count, texts, about, reasons }: ExplainedGroup): string {
  const said = `Said ${formatCount(count)} ${count === 1 ? "time" : "times"} in ${formatCount(texts)} ${texts === 1 ? "text" : "texts"}`;
  const [first, ...others] = about;
  const whom = first === undefined ? "" : `, about ${first}${others.length === 0 ? "" : ` and ${formatCount(others.length)} ${others.length === 1 ? "other" : "others"}`}`;
  return `${said}${reasons.length === 0 ? "" : ` (${reasons.join(", ")})`}${whom}`;
}
