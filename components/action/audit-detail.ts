import type { AuditLog } from "@/server/http/schemas";

type Entry = AuditLog["items"][number];

/** Longest text of one detail that is shown; the API has it whole. */
const MAX_TEXT_CHARS = 600;
const FIRST = ["title", "message"];

/** The details of an entry as texts, what was tried and what was said first. */
export function detailParts(detail: Entry["detail"]): readonly { readonly name: string; readonly text: string }[] {
  const names = [...FIRST.filter((name) => Object.hasOwn(detail, name)), ...Object.keys(detail).filter((name) => !FIRST.includes(name))];
  return names.map((name) => ({ name, text: textOf(detail[name]) }));
}

function textOf(value: unknown): string {
  const text = typeof value === "string" ? value : typeof value === "object" && value !== null && !Array.isArray(value) ? Object.entries(value).map(([key, part]) => `${key} ${part === null ? "none" : typeof part === "object" ? JSON.stringify(part) : String(part)}`).join(", ") : JSON.stringify(value);
  return text.length > MAX_TEXT_CHARS ? `${text.slice(0, MAX_TEXT_CHARS)}…` : text;
}

/** Entries of a run that was started lead to it; a refused attempt has none. */
export const runLink = (entry: Pick<Entry, "verb" | "outcome" | "requestId">): string | undefined => (entry.verb === "action.run" && entry.outcome !== "refused" ? entry.requestId : undefined);
