import { isCauseCode } from "../domain/causes/codes";
import type { AcceptedException } from "../domain/causes/types";
import { MAX_EXCEPTIONS } from "./state-types";

export const EXCEPTIONS = `SELECT code, subject, reason, "by", at_ms FROM cause_exception ORDER BY code, subject LIMIT ${MAX_EXCEPTIONS}`;

export interface ExceptionRow {
  readonly code: string;
  readonly subject: string;
  readonly reason: string;
  readonly by: string;
  readonly at_ms: number;
}

/** Rows of a code that no cause has any more count for nothing. */
export const toExceptions = (rows: readonly ExceptionRow[]): readonly AcceptedException[] => rows.flatMap(({ code, subject, reason, by, at_ms }) => (isCauseCode(code) ? [{ code, subject, reason, by, atMs: at_ms }] : []));
