import type { CauseException } from "../../contract/causes";
import type { AcceptedException } from "../../domain/causes/types";
import type { Ctx } from "../ctx";
import { iso } from "../iso";
import { knownCause } from "./known-cause";

export const exceptionOut = ({ code, subject, reason, by, atMs }: AcceptedException): CauseException => ({ code, subject, reason, by, at: iso(atMs) });

/** What of one cause people accepted as it is, by subject. Throws `not-found` for a code that no cause has. */
export function readExceptions({ ctx, input }: { readonly ctx: Pick<Ctx, "reader">; readonly input: { readonly code: string } }): readonly CauseException[] {
  const { code } = knownCause(input.code);
  return ctx.reader.exceptions().filter((one) => one.code === code).map(exceptionOut);
}
