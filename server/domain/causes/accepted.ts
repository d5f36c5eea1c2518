import type { Evidence } from "../answer";
import type { CauseCode } from "./codes";
import { seen } from "./evidence";
import { MAX_SUBJECTS, type CauseInput, type Finding } from "./types";

/** What a check found, with that left out which a person accepted as it is. */
export interface Sorted<T> {
  readonly open: readonly T[];
  /** One item for each that is left out, with the reason, so that nobody takes it for overlooked. */
  readonly evidence: readonly Evidence[];
  /** For the finding: what is open and what was left out. */
  readonly named: Pick<Finding, "subjects" | "accepted">;
}

/** Leaves out what is accepted of a cause, by subject. */
export function sortAccepted<T extends { readonly subject: string }>({ accepted }: CauseInput, code: CauseCode, found: readonly T[]): Sorted<T> {
  const bySubject = new Map(accepted.flatMap((one) => (one.code === code ? [[one.subject, one] as const] : [])));
  const open = found.filter(({ subject }) => !bySubject.has(subject));
  const exceptions = [...new Set(found.map(({ subject }) => subject))].flatMap((subject) => bySubject.get(subject) ?? []).slice(0, MAX_SUBJECTS);
  const subjects = [...new Set(open.map(({ subject }) => subject))].slice(0, MAX_SUBJECTS);
  return {
    open,
    evidence: exceptions.map(({ subject, reason, by, atMs }) => seen(`${subject} is accepted as it is by ${by}`, "api", { value: reason, atMs })),
    named: { ...(subjects.length === 0 ? {} : { subjects }), ...(exceptions.length === 0 ? {} : { accepted: exceptions.map(({ subject }) => subject) }) },
  };
}
