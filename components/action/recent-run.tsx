"use client";

import type { ActionRunOut } from "@/server/contract/schemas";
import { useNow } from "@/components/live/live-provider";
import { formatDuration } from "@/components/format/time";
import { Instant } from "@/components/ui/instant";
import { OutcomeChip } from "./outcome";
import { decisiveCheck, isSettled, nextCheck, outcomeOf } from "./run-state";

/** The run that is under way on this node, or the last one: its verdict so far and when the next check comes. */
export function RecentRun({ run, onOpen }: { readonly run: ActionRunOut; readonly onOpen: () => void }) {
  const now = useNow();
  const outcome = outcomeOf(run);
  const next = nextCheck(run);
  const because = decisiveCheck(run)?.because ?? run.error;
  return (
    <div className={outcome === "worse" ? "act-run bad" : "act-run"}>
      <p className="row">
        <OutcomeChip outcome={outcome} />
        <span className="small muted">
          began <Instant at={Date.parse(run.started)} nowMs={now} />
        </span>
      </p>
      <p className="med">{run.title}</p>
      {because === undefined ? null : <p className="small muted">{because}</p>}
      <p className="row">
        <span className="small muted num" role="timer" aria-live="off">
          {isSettled(run) ? "Nothing more is checked." : next === undefined ? "Checks count from when the change is seen here." : Date.parse(next.due) > now ? `Next check in ${formatDuration((Date.parse(next.due) - now) / 1_000)}` : "A check is due now"}
        </span>
        <button type="button" className="btn btn-sm" onClick={onOpen}>
          Show run
        </button>
      </p>
    </div>
  );
}
