import type { LostReports } from "../domain/agent-report";
import type { Held, LossReason } from "./buffer";

/** What this agent made and gave up since it started. */
export interface Losses {
  add(gone: readonly Held[], reason: LossReason): void;
  told(): LostReports;
}

export function countLosses(): Losses {
  const counts: Record<LossReason, number> = { thinned: 0, "too old": 0 };
  let span: { readonly fromMs: number; readonly toMs: number } | undefined;
  return {
    add: (gone, reason) => {
      counts[reason] += gone.length;
      for (const { atMs } of gone) span = span === undefined ? { fromMs: atMs, toMs: atMs } : { fromMs: Math.min(span.fromMs, atMs), toMs: Math.max(span.toMs, atMs) };
    },
    told: () => ({ thinned: counts.thinned, tooOld: counts["too old"], ...span }),
  };
}
