import { CAUSES } from "../../domain/causes/registry";
import type { Cause } from "../../domain/causes/types";
import { ServiceError } from "../../errors";

/** Throws `not-found` for a code that no cause has. */
export function knownCause(code: string): Cause {
  const cause = CAUSES.find((one) => one.code === code);
  if (cause === undefined) throw new ServiceError("not-found", `No cause has the code "${code.slice(0, 64)}".`);
  return cause;
}
