"use client";

import { Clock } from "lucide-react";
import type { ActionRunOut } from "@/server/contract/schemas";
import { useNow } from "@/components/live/live-provider";
import { formatDuration } from "@/components/format/time";
import { Instant } from "@/components/ui/instant";
import { OUTCOMES, OutcomeGlyph } from "../outcome";
import { CHECK_MINUTES, checkLabel, type Check } from "../run-state";
import { Block } from "../sheet/plan-view";

/** The checks side by side: those made with what they said, the others with when they come. */
export function Checks({ run }: { readonly run: ActionRunOut }) {
  if (run.state === "failed" || run.state === "interrupted") return null;
  return (
    <Block
      id="checks-h"
      title={`Verification on ${run.node}`}
      aside={
        <>
          compared with <Instant at={Date.parse(run.before.at)} />
        </>
      }
    >
      <div className="checks">
        {run.verifications.length > 0
          ? run.verifications.map((check) => <CheckTile key={check.due} run={run} check={check} />)
          : CHECK_MINUTES.map((minutes) => (
              <div key={minutes}>
                <p className="w pend">
                  <Clock className="i i-14" aria-hidden="true" />+{minutes} min
                </p>
                <p className="small muted">after the change is seen on {run.node}</p>
              </div>
            ))}
      </div>
    </Block>
  );
}

function CheckTile({ run, check }: { readonly run: ActionRunOut; readonly check: Check }) {
  const now = useNow();
  const due = Date.parse(check.due);
  const label = checkLabel(run, check);
  if (check.verdict === undefined) {
    return (
      <div>
        <p className="w pend">
          <Clock className="i i-14" aria-hidden="true" />
          {label} <span className="med num">{due > now ? `in ${formatDuration((due - now) / 1_000)}` : "due now"}</span>
        </p>
        <p className="small muted">
          <Instant at={due} />
        </p>
      </div>
    );
  }
  const look = OUTCOMES[check.verdict];
  return (
    <div>
      <p className="w">
        <OutcomeGlyph outcome={check.verdict} size={14} />
        {label} <span className={look.tone === "" ? "muted" : `${look.tone}-t`}>{look.words}</span>
      </p>
      <p className="small muted">
        <Instant at={Date.parse(check.done ?? check.due)} /> · {check.because}
      </p>
    </div>
  );
}
