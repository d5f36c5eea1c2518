import type { CauseBrief, CauseOut, DiagnosisOut } from "../contract/causes";
import type { CauseCode } from "../domain/causes/codes";
import { causeOf } from "../domain/causes/registry";
import { causeDocs, type AcceptedException, type CauseView, type Diagnosis, type FiringCause } from "../domain/causes/types";
import { exceptionOut } from "./causes/read-exceptions";
import { evidenceOut } from "./evidence-out";
import { iso } from "./iso";

const titleOf = (code: CauseCode): string => causeOf(code)?.title ?? code;

/** A firing cause in short. */
export const causeBriefOut = ({ code, detail, title, certainty, severity, sinceMs, summary }: FiringCause): CauseBrief => ({ code, ...(detail === undefined ? {} : { detail }), title, certainty, severity, since: iso(sinceMs), summary });

const firingOut = (cause: FiringCause): CauseBrief & Pick<CauseOut, "evidence" | "pods" | "subjects"> => ({ ...causeBriefOut(cause), evidence: cause.evidence.map(evidenceOut), pods: [...(cause.pods ?? [])], subjects: [...(cause.subjects ?? [])] });

/** A firing cause with what the registry says of it. */
export function causeOut(cause: CauseView): CauseOut {
  const known = causeOf(cause.code);
  return {
    ...firingOut(cause),
    meaning: known?.meaning ?? "",
    impact: known?.impact ?? "",
    checks: [...(known?.checks ?? [])],
    lookAlikes: (known?.lookAlikes ?? []).map(({ code, tells }) => ({ code, title: titleOf(code), tells })),
    mitigation: [...(known?.mitigation ?? [])],
    actions: [...(known?.actions ?? [])],
    docs: causeDocs(cause.code),
    consequences: cause.consequences.map(firingOut),
  };
}

/** A node's diagnosis in the shape of the API. `exceptions`: all that people accepted; what was withdrawn since the node was judged is not told. */
export const diagnosisOut = ({ causes, unknownCauses, suspendedCauses, acceptedCauses = [] }: Diagnosis, exceptions: readonly AcceptedException[]): DiagnosisOut => ({
  accepted: acceptedCauses.flatMap(({ code, title, subjects }) => exceptions.filter((one) => one.code === code && subjects.includes(one.subject)).map((one) => ({ ...exceptionOut(one), title }))),
  causes: causes.map(causeOut),
  unknown: unknownCauses.map(({ reason, codes }) => ({ reason, causes: codes.map((code) => ({ code, title: titleOf(code) })) })),
  suspended: suspendedCauses.map(({ code, detail, title, sinceMs, reason }) => ({ code, ...(detail === undefined ? {} : { detail }), title, since: iso(sinceMs), reason })),
});
