"use client";

import Link from "next/link";
import type { ActionRunOut } from "@/server/contract/schemas";
import { useNow } from "@/components/live/live-provider";
import { CopyLink } from "@/components/ui/copy-link";
import { Instant, ZoneName } from "@/components/ui/instant";
import { OutcomeChip } from "./outcome";
import { outcomeOf } from "./run-state";
import { RunActions } from "./run/run-actions";
import { RunView } from "./run/run-view";
import { useActionSheet } from "./use-action-sheet";
import { useRun } from "./use-run";

/** One run as a page of its own, to be linked to and handed over. */
export function RunPage({ initial }: { readonly initial: ActionRunOut }) {
  const now = useNow();
  const { data: run = initial, error } = useRun(initial.requestId, initial);
  const { sheet, openPlan } = useActionSheet();
  return (
    <>
      <header className="node-head run-head">
        <nav className="crumbs" aria-label="Breadcrumb">
          <Link href="/actions">Actions</Link>
          <span className="sep">/</span>
          <Link href={`/nodes/${encodeURIComponent(run.node)}`}>{run.node}</Link>
          <span className="sep">/</span>
          <b aria-current="page">run {run.id}</b>
        </nav>
        <h1>{run.title}</h1>
        <p className="row small muted">
          <OutcomeChip outcome={outcomeOf(run)} />
          <span>
            began <Instant at={Date.parse(run.started)} nowMs={now} /> <ZoneName />, by {run.actor}
          </span>
          <span className="spacer" />
          <RunActions run={run} openPlan={openPlan} />
          <CopyLink label="Copy link" address={() => `${window.location.origin}/actions/${encodeURIComponent(run.requestId)}`} />
        </p>
      </header>
      <div className="sheet-body run-page">
        <RunView run={run} problem={error?.message} />
      </div>
      {sheet}
    </>
  );
}
