import type { CauseKnowledge } from "../contract/causes";
import { CAUSES, causeOf } from "../domain/causes/registry";
import type { CauseCode } from "../domain/causes/codes";
import { causeDocs, type Cause } from "../domain/causes/types";
import { knownCause } from "./causes/known-cause";

/** What Sandglass knows of every cause, by title; nothing here is of a cluster. */
export const readCauses = (): readonly CauseKnowledge[] => CAUSES.map(knowledgeOut).sort((a, b) => (a.title < b.title ? -1 : 1));

/** What is known of one cause. Throws `not-found` for a code that no cause has. */
export function readCause({ input }: { readonly input: { readonly code: string } }): CauseKnowledge {
  return knowledgeOut(knownCause(input.code));
}

const titled = (code: CauseCode): { code: CauseCode; title: string } => ({ code, title: causeOf(code)?.title ?? code });

function knowledgeOut(cause: Cause): CauseKnowledge {
  return {
    code: cause.code,
    title: cause.title,
    severity: cause.severity,
    meaning: cause.meaning,
    impact: cause.impact,
    checks: [...cause.checks],
    lookAlikes: cause.lookAlikes.map(({ code, tells }) => ({ ...titled(code), tells })),
    mitigation: [...cause.mitigation],
    actions: [...cause.actions],
    ...(cause.accepts === undefined ? {} : { accepts: cause.accepts }),
    bringsAbout: cause.explains.map(titled),
    docs: causeDocs(cause.code),
  };
}
