import type { MessageCode } from "../causes/codes";

/**
 * How much a sentence decides. Of two that a text holds the higher rank wins, and of the same rank the innermost, which in
 * Go's nested errors is the last.
 */
export const RANK = {
  /** Two things that decide only together: a namespace that is missing, and a daemon that looks for it. */
  pair: 6,
  /** A fact of the operating system or of the API that stands for itself: "text file busy". */
  fact: 5,
  /** What a program says of its own work: "range is full". */
  statement: 4,
  /** A call that failed, read by what was called. */
  call: 3,
  /** What is seen from outside: a time-out, a name that is reserved. */
  symptom: 2,
  /** Only the frame: "failed to destroy network". */
  frame: 1,
} as const;
export type Rank = (typeof RANK)[keyof typeof RANK];

export type Confidence = "high" | "medium" | "low";

/** Sandbox made or ended; absent where the text does not say. */
export type Operation = "add" | "del";

/**
 * One way in which programs say one thing. Marks are pieces of the programs' own format strings, in lower case, matched
 * wherever they stand.
 */
export interface Rule {
  readonly cause: MessageCode;
  readonly detail?: string;
  /** One of these must be there; what is quoted begins at it. */
  readonly any: readonly string[];
  /** Of each of these groups one must be there too. */
  readonly with?: readonly (readonly string[])[];
  /** None of these may be there. */
  readonly without?: readonly string[];
  readonly op?: Operation;
  readonly rank: Rank;
  readonly confidence: Confidence;
  /** What the quoted piece says, as a sentence. */
  readonly says: string;
  /** Whose words these are, where the words alone tell. */
  readonly plugin?: string;
}

/** A reading of one piece of the text. */
export interface Candidate {
  readonly cause: MessageCode;
  readonly detail?: string;
  readonly rank: Rank;
  readonly confidence: Confidence;
  readonly says: string;
  readonly plugin?: string;
  /** What is quoted, as folded positions. */
  readonly from: number;
  readonly to: number;
}

interface RuleOptions {
  readonly detail?: string;
  readonly with?: readonly (readonly string[])[];
  readonly without?: readonly string[];
  readonly op?: Operation;
  readonly rank?: Rank;
  readonly confidence?: Confidence;
  readonly plugin?: string;
}

/** A rule; a statement of medium confidence unless said otherwise. */
export const rule = (cause: MessageCode, says: string, any: readonly string[], options: RuleOptions = {}): Rule => ({ cause, says, any, rank: RANK.statement, confidence: "medium", ...options });
