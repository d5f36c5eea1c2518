import { describe, expect, it } from "vitest";
import { MAX_PODS_NAMED, type Cause, type CauseInput, type Finding } from "../types";

interface Case {
  readonly name: string;
  readonly input: CauseInput;
}

/** A moment at which the cause is there. */
export interface FiringCase extends Case {
  readonly certainty: "named" | "suspected";
  /** Of the finding that fires; absent: one without a detail. */
  readonly detail?: string;
  /** Pieces of its summary. */
  readonly says?: readonly string[];
}

/** A look-alike, or a mechanism that was looked at and is not there: nothing fires and nothing is unknown. */
export type AlmostCase = Case;

/** Something that the check needs is not seen: it answers *unknown* and says what, or suspects by a text; never *clear*. */
export interface MissingCase extends Case {
  readonly state: "unknown" | "suspected";
  readonly says: string;
}

type AtLeastOne<T> = readonly [T, ...T[]];

export interface Cases {
  readonly fires: AtLeastOne<FiringCase>;
  readonly almost: AtLeastOne<AlmostCase>;
  readonly missing: AtLeastOne<MissingCase>;
}

/**
 * The three kinds of moments that every cause's test has, at least one of each; the test over the registry looks for this call in the test
 * file of every cause. Texts of findings are what tests may lean on least, so `says` holds the figures and names that must be in them.
 */
export function causeCases(cause: Cause, { fires, almost, missing }: Cases): void {
  describe(`${cause.code} fires`, () => {
    it.each(fires)("$name", ({ input, certainty, detail, says = [] }) => {
      const found = checked(cause, input).filter((finding) => finding.state === "firing" && finding.detail === detail);
      expect(found.map((finding) => finding.certainty)).toEqual([certainty]);
      for (const piece of says) expect(found[0]?.summary).toContain(piece);
    });
  });
  describe(`${cause.code} is clear`, () => {
    it.each(almost)("$name", ({ input }) => {
      expect(checked(cause, input).filter(({ state }) => state !== "clear")).toEqual([]);
    });
  });
  describe(`${cause.code} claims nothing that it cannot see`, () => {
    it.each(missing)("$name", ({ input, state, says }) => {
      const found = checked(cause, input);
      const named = found.filter(({ state: of, certainty }) => of === "firing" && (certainty === "named" || state === "unknown"));
      expect(named).toEqual([]);
      const told = found.filter((finding) => (state === "unknown" ? finding.state === "unknown" : finding.state === "firing"));
      expect(told.map(({ summary }) => summary).join("\n")).toContain(says);
    });
  });
}

/** Runs a check and holds every finding to what all findings owe. */
export function checked(cause: Cause, input: CauseInput): readonly Finding[] {
  const findings = cause.check(input);
  expect(findings).not.toHaveLength(0);
  for (const { state, certainty, summary, evidence, pods = [] } of findings) {
    expect(summary.trim()).not.toBe("");
    expect(summary).not.toContain("\n");
    expect(certainty === undefined).toBe(state !== "firing");
    expect(pods.length).toBeLessThanOrEqual(MAX_PODS_NAMED);
    if (state === "firing") expect(evidence.some(({ look }) => look === "seen")).toBe(true);
    for (const item of evidence) {
      expect(item.what.trim()).not.toBe("");
      expect(item.reason !== undefined).toBe(item.look === "could-not-look");
    }
  }
  // A cause's details are told apart by `detail`: since when each fires is kept under it.
  const keys = findings.filter(({ state }) => state === "firing").map(({ detail }) => detail);
  expect(new Set(keys).size).toBe(keys.length);
  return findings;
}
