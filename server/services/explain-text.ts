import type { ExplainedGroup, ExplainedText, ExplanationOut } from "../contract/explain";
import { cleanText, visibleText } from "../domain/clean-text";
import { causeOf } from "../domain/causes/registry";
import { explain } from "../domain/messages/explain";
import { groupTexts, type GroupedTexts, type TextGroup } from "../domain/messages/group";
import { countRecords, MAX_RECORDS, recordsOf } from "../domain/messages/records";
import { type Explanation, MAX_EXPLAINED_CHARS } from "../domain/messages/types";
import { kubectlTexts } from "./kubectl-texts";

/** Longest sample of a group that is given back. */
export const MAX_SAMPLE_CHARS = 4_096;

/**
 * What a text says: of one message the explanation; of a log or of what `kubectl get … -o json` prints also one for each of
 * the things that are said in it. Reads nothing of a cluster. Text beyond MAX_EXPLAINED_CHARS is not read unless it is such a list,
 * of which each message has that bound.
 */
export function explainText({ input }: { readonly input: { readonly text: string } }): ExplainedText {
  const listed = kubectlTexts(input.text);
  if (listed !== undefined) return explainedList(groupTexts(listed));
  const records = recordsOf(input.text.slice(0, MAX_EXPLAINED_CHARS));
  const whole = explanationOut(explain(input.text));
  if (records.length === 1) return { ...whole, kind: "text", messages: [], leftOut: 0 };
  // The last of as many as are split holds all that follow: the answer rests on it too, but it is no one thing that was said.
  const unsplit = records.length < MAX_RECORDS ? 0 : countRecords(records.at(-1) ?? "");
  const { groups, leftOut } = groupTexts((unsplit > 1 ? records.slice(0, -1) : records).map((text) => ({ text, count: 1 })));
  return { ...whole, kind: "log", messages: groups.filter(({ explanation }) => explanation.cause !== "unknown").map(groupOut), leftOut: leftOut + (unsplit > 1 ? unsplit : 0) };
}

/** A list is answered by what is said in it most often; with nothing in it, or nothing that says a cause, it is undecided. */
function explainedList({ groups, leftOut }: GroupedTexts): ExplainedText {
  const [first] = groups;
  return { ...explanationOut(first?.explanation ?? explain("")), kind: "list", messages: groups.map(groupOut), leftOut };
}

function groupOut({ explanation, text, reasons, about, texts, count }: TextGroup): ExplainedGroup {
  return { ...explanationOut(explanation), text: cleanText(text, MAX_SAMPLE_CHARS), reasons: reasons.map(visibleText), about: about.map(visibleText), texts, count };
}

/** A text that decides nothing is another thing than a node whose pods are stuck for no known reason, though both have the code. */
const TITLES: Readonly<Partial<Record<Explanation["cause"], string>>> = { unknown: "Undecided" };

function explanationOut({ cause, detail, plugin, confidence, because, lookAt, fix, docs, facts, layers }: Explanation): ExplanationOut {
  const known = causeOf(cause);
  const { binDirs, ...names } = facts;
  return {
    cause,
    ...(detail === undefined ? {} : { detail }),
    title: TITLES[cause] ?? known?.title ?? cause,
    plugin,
    confidence,
    because: because.map((piece) => ({ ...piece })),
    lookAt: [...lookAt],
    fix: [...fix],
    docs,
    ...(known === undefined ? {} : { page: `/causes/${cause}` }),
    facts: { ...names, ...(binDirs === undefined ? {} : { binDirs: [...binDirs] }) },
    layers: (layers ?? []).map((layer) => ({ ...layer })),
  };
}
