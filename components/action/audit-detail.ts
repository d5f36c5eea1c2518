import { cpuQuantity, memoryQuantity } from "@/server/domain/quantity";
import type { AuditLog } from "@/server/contract/schemas";

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
  const text = isRecord(value) ? Object.entries(value).map(([name, part]) => partText(name, part)).join(", ") : scalarText(value);
  return text.length > MAX_TEXT_CHARS ? `${text.slice(0, MAX_TEXT_CHARS)}…` : text;
}

/** "memoryLimitBytes" 4294967296 as "memory limit 4Gi": the unit is in the value, as in a manifest. */
function partText(name: string, value: unknown): string {
  const words = (text: string): string => text.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
  if (name.endsWith("Bytes") && typeof value === "number") return `${words(name.slice(0, -"Bytes".length))} ${memoryQuantity(value)}`;
  if (name.endsWith("Cores")) return `${words(name.slice(0, -"Cores".length))} ${typeof value === "number" ? cpuQuantity(value) : scalarText(value)}`;
  return `${words(name)} ${scalarText(value)}`;
}

const scalarText = (value: unknown): string => (typeof value === "string" ? value : value === null ? "none" : JSON.stringify(value));
const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null && !Array.isArray(value);

/** Entries of a run that was started lead to it; a refused attempt has none. */
export const runLink = (entry: Pick<Entry, "verb" | "outcome" | "requestId">): string | undefined => (entry.verb === "action.run" && entry.outcome !== "refused" ? entry.requestId : undefined);
