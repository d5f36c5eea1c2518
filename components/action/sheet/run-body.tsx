"use client";

import Link from "next/link";
import type { ActionRunOut } from "@/server/contract/schemas";
import { useNow } from "@/components/live/live-provider";
import { formatDuration } from "@/components/format/time";
import type { SheetControl } from "../action-sheet";
import { OutcomeChip } from "../outcome";
import { isSettled, outcomeOf } from "../run-state";
import { RunActions } from "../run/run-actions";
import { RunView } from "../run/run-view";
import { allDone, currentStep } from "../sheet-step";
import { useCalm } from "../use-calm";
import { useRun } from "../use-run";
import { SheetHead } from "./sheet-head";

/** A run in the sheet, as it goes. */
export function RunBody({ requestId, initial, control }: { readonly requestId: string; readonly initial?: ActionRunOut; readonly control: SheetControl }) {
  const { data: run, error } = useRun(requestId, initial);
  const now = useNow();
  const calm = useCalm();
  if (run === undefined) {
    return (
      <>
        <SheetHead over="A run" title={error === null ? "Reading the run" : "The run could not be read"} step="Run" onClose={control.close} />
        <div className="sheet-body">
          <div>{error === null ? null : <p className="say bad">{error.message}</p>}</div>
        </div>
      </>
    );
  }
  const done = run.verifications.filter((check) => check.verdict !== undefined).length;
  return (
    <>
      <SheetHead
        key="run"
        over={
          <>
            For{" "}
            <Link className="link" href={`/nodes/${encodeURIComponent(run.node)}`} onClick={control.close}>
              {run.node}
            </Link>{" "}
            · by {run.actor}
          </>
        }
        title={run.title}
        step={currentStep({ run, sending: false, trying: false, dryRun: "none" })}
        notes={run.state === "applied" ? { Verify: `${done} of ${Math.max(done, run.verifications.length, 3)}` } : {}}
        finished={allDone(run)}
        aside={
          <span className="run-aside">
            <OutcomeChip outcome={outcomeOf(run)} />
            {isSettled(run) ? null : <span className="small muted num">{formatDuration((now - Date.parse(run.started)) / 1_000)}</span>}
          </span>
        }
        onClose={control.close}
      />
      <div className="sheet-body" tabIndex={0} role="region" aria-label="Run">
        <RunView run={run} problem={error?.message} />
      </div>
      <footer className="sheet-foot">
        <p className="small muted">
          Written to the <Link className="link" href="/audit" onClick={control.close}>audit log</Link> as it happens. Closing this panel stops nothing.
        </p>
        <span className="spacer" />
        {calm ? <RunActions run={run} openPlan={control.openPlan} /> : null}
      </footer>
    </>
  );
}
