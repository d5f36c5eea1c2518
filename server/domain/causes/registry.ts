import type { CauseCode } from "./codes";
import type { Cause } from "./types";

/** Every cause, in the order in which a tie between two roots is shown: what blocks a node first. */
export const CAUSES: readonly Cause[] = [];

const BY_CODE: ReadonlyMap<CauseCode, Cause> = new Map(CAUSES.map((cause) => [cause.code, cause]));

export const causeOf = (code: CauseCode): Cause | undefined => BY_CODE.get(code);
