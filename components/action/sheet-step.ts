import type { ActionPlan, ActionRunOut, DryRun } from "@/server/contract/schemas";
import { isSettled } from "./run-state";

export const STEPS = ["Plan", "Dry run", "Confirm", "Run", "Verify"] as const;
export type Step = (typeof STEPS)[number];

export interface TriedPlan {
  readonly result: DryRun;
  /** The values that were tried. */
  readonly key: string;
}

/** Whether a dry run still says something about what would be run: accepted, of these values and this plan, and not expired. */
export type DryRunState = "none" | "valid" | "refused" | "expired" | "other-values" | "other-plan";

export function dryRunState(tried: TriedPlan | undefined, key: string, plan: Pick<ActionPlan, "version"> | undefined, nowMs: number): DryRunState {
  if (tried === undefined) return "none";
  if (tried.key !== key) return "other-values";
  if (!tried.result.accepted) return "refused";
  if (tried.result.version !== plan?.version) return "other-plan";
  return nowMs >= Date.parse(tried.result.validUntil) ? "expired" : "valid";
}

/** Where a person is; steps before it are done. */
export function currentStep(input: { readonly run: ActionRunOut | undefined; readonly sending: boolean; readonly trying: boolean; readonly dryRun: DryRunState }): Step {
  const { run } = input;
  if (run !== undefined) return run.state === "applied" ? "Verify" : "Run";
  if (input.sending) return "Run";
  if (input.trying || input.dryRun === "refused" || input.dryRun === "expired") return "Dry run";
  return input.dryRun === "valid" ? "Confirm" : "Plan";
}

/** True where even the last step is behind. */
export const allDone = (run: ActionRunOut | undefined): boolean => run?.state === "applied" && isSettled(run);

/** What keeps the last button from being pressed; `undefined` where it may be. */
export function runBlocked(plan: Pick<ActionPlan, "confirm" | "refusals">, typed: string, dryRun: DryRunState): string | undefined {
  if (plan.refusals.length > 0) return "The plan is refused.";
  if (dryRun !== "valid") return "It needs a dry run first.";
  if (plan.confirm.kind === "type" && typed !== plan.confirm.text) return `Type ${plan.confirm.text} to confirm.`;
  return undefined;
}
