import type { MessageCode } from "../../causes/codes";
import type { MessageFacts } from "../types";

/** What the text said, as far as advice depends on it. */
export interface AdviceInput {
  readonly cause: MessageCode;
  readonly detail?: string;
  readonly plugin: string;
  readonly facts: MessageFacts;
}

export interface Advice {
  readonly lookAt: readonly string[];
  readonly fix: readonly string[];
}

export type Adviser = (input: AdviceInput) => Advice;
