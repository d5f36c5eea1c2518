import type { Evidence } from "../answer";
import type { CauseCode } from "./codes";
import { foldCauses } from "./fold";
import { CAUSES, causeOf } from "./registry";
import type { Cause, CauseInput, Diagnosis, Finding, FiringCause, Severity } from "./types";

const GRAVITY: Readonly<Record<Severity, number>> = { blocks: 0, risks: 1, notice: 2 };

/**
 * Runs every check over one node and folds what fires into roots. `previous` gives since when each has been firing; a cause that fired
 * and cannot be looked for now is suspended, never cleared. Pure: the same input gives the same diagnosis.
 */
export function diagnose(input: CauseInput, previous: Diagnosis, causes: readonly Cause[] = CAUSES): Diagnosis {
  const since = sinceByKey(previous);
  const firing: FiringCause[] = [];
  const unknown = new Map<string, CauseCode[]>();
  const accepted: NonNullable<Diagnosis["acceptedCauses"]>[number][] = [];
  const suspended: Diagnosis["suspendedCauses"][number][] = [];
  for (const cause of causes) {
    const findings = cause.check(input);
    for (const finding of findings) if (finding.state === "firing") firing.push(asFiring(cause, timed(finding, input), since.get(keyOf(cause.code, finding.detail)) ?? input.nowMs));
    const exceptions = findings.flatMap((finding) => finding.accepted ?? []);
    if (exceptions.length > 0) accepted.push({ code: cause.code, title: cause.title, subjects: exceptions });
    const blind = findings.filter(({ state }) => state === "unknown");
    const [first] = blind;
    if (first === undefined) continue;
    if (!findings.some(({ state }) => state === "firing")) unknown.set(first.summary, [...(unknown.get(first.summary) ?? []), cause.code]);
    for (const [key, sinceMs] of since) {
      const [code, detail] = key.split("/");
      if (code !== cause.code || findings.some((finding) => finding.state === "firing" && finding.detail === detail)) continue;
      const why = blind.find((finding) => finding.detail === undefined || finding.detail === detail);
      if (why !== undefined) suspended.push({ code: cause.code, ...(detail === undefined ? {} : { detail }), title: cause.title, sinceMs, reason: why.summary });
    }
  }
  const known = withoutLeftOver(firing).sort((a, b) => GRAVITY[a.severity] - GRAVITY[b.severity] || CERTAINTY[a.certainty] - CERTAINTY[b.certainty]);
  const roots = foldCauses(known, (code) => causes.find((one) => one.code === code) ?? NO_KIN);
  return { causes: roots, unknownCauses: [...unknown].map(([reason, codes]) => ({ reason, codes })), suspendedCauses: suspended, ...(accepted.length === 0 ? {} : { acceptedCauses: accepted }) };
}

const NO_KIN = { explains: [] };
const CERTAINTY = { named: 0, suspected: 1 } as const;

/** What is left of a diagnosis where nothing can be looked at any more. */
export function suspend(previous: Diagnosis, reason: string): Diagnosis {
  const suspendedCauses = [...sinceByKey(previous)].flatMap(([key, sinceMs]) => {
    const [code, detail] = key.split("/");
    const cause = causeOf(code as CauseCode); // a key is made of a code
    return cause === undefined ? [] : [{ code: cause.code, ...(detail === undefined ? {} : { detail }), title: cause.title, sinceMs, reason }];
  });
  return { causes: [], unknownCauses: [{ reason, codes: CAUSES.map(({ code }) => code) }], suspendedCauses };
}

/** Firing causes of a diagnosis without the folding, roots first. */
export const allFiring = (diagnosis: Pick<Diagnosis, "causes">): readonly FiringCause[] => diagnosis.causes.flatMap((root) => [root, ...root.consequences]);

/** Whether a node that starts pods is at risk all the same: something was measured that keeps pods from starting at the next occasion. */
export const marksRisk = (diagnosis: Pick<Diagnosis, "causes">): FiringCause | undefined => allFiring(diagnosis).find(({ severity, certainty }) => severity !== "notice" && certainty === "named");

/** What has no time of its own was so when its source was last heard. */
function timed(finding: Finding, input: CauseInput): Finding {
  const whole = (one: Evidence): Evidence => {
    const lastMs = one.atMs === undefined && one.look !== "could-not-look" ? input.source(one.source).lastMs : undefined;
    return lastMs === undefined ? one : { ...one, atMs: lastMs };
  };
  return { ...finding, evidence: finding.evidence.map(whole) };
}

function asFiring(cause: Cause, finding: Finding, sinceMs: number): FiringCause {
  return { ...finding, code: cause.code, state: "firing", certainty: finding.certainty ?? "suspected", title: cause.title, severity: finding.severity ?? cause.severity, sinceMs };
}

/** *Unknown* is what is left: beside any cause that concerns the node it would only hide it. */
function withoutLeftOver(firing: readonly FiringCause[]): FiringCause[] {
  const concernsNode = firing.some(({ code, severity }) => code !== "unknown" && severity !== "notice");
  return firing.filter(({ code }) => code !== "unknown" || !concernsNode);
}

const keyOf = (code: CauseCode, detail: string | undefined): string => (detail === undefined ? code : `${code}/${detail}`);

function sinceByKey({ causes, suspendedCauses }: Diagnosis): ReadonlyMap<string, number> {
  return new Map([...suspendedCauses, ...allFiring({ causes })].map(({ code, detail, sinceMs }) => [keyOf(code, detail), sinceMs]));
}
