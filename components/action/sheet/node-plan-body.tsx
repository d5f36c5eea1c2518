"use client";

import Link from "next/link";
import { useState } from "react";
import { ApiError } from "@/components/live/fetch-json";
import { useNow } from "@/components/live/live-provider";
import type { SheetControl } from "../action-sheet";
import { CopyText } from "../copy-text";
import { planText } from "../plan-text";
import { currentStep, dryRunState } from "../sheet-step";
import { useDryRun, usePlan } from "../use-plan";
import { useRunOnce } from "../use-run-once";
import type { NodeOffer } from "../values";
import { DryRunResult } from "./dry-run-result";
import { PlanFoot } from "./plan-foot";
import { PlanSide, PlanSteps, Refusals } from "./plan-view";
import { RunBody } from "./run-body";
import { SheetHead } from "./sheet-head";
import { TouchedList } from "./touched-list";
import { TriedBefore } from "./tried-before";

/** How many at once a person may choose; the plan says what each means. */
const PARALLEL = [1, 2, 4] as const;

interface NodePlanBodyProps {
  readonly node: string;
  readonly offer: NodeOffer;
  readonly requestId: string;
  readonly control: SheetControl;
}

/** Plan, dry run and confirmation of what a node's agent is to do: the dry run is the agent's own list of what it would touch. */
export function NodePlanBody({ node, offer, requestId, control }: NodePlanBodyProps) {
  const now = useNow();
  const [params, setParams] = useState(offer.params);
  const wanted = { node, nodeAction: offer.action, params };
  const { plan, planning, error, changes, replan } = usePlan(wanted, true);
  const dry = useDryRun();
  const once = useRunOnce(node, requestId);

  if (once.run !== undefined) return <RunBody requestId={requestId} initial={once.run} control={control} />;

  const shown = error === null ? plan : undefined;
  const state = dryRunState(dry.tried, JSON.stringify(params), plan, now);
  const touches = state === "valid" || state === "refused" ? (dry.tried?.result.touches ?? []) : [];
  const tryIt = async (): Promise<void> => {
    const version = await dry.run(wanted);
    if (version !== undefined && version !== plan?.version) await replan();
  };
  const runIt = async (): Promise<void> => {
    if (plan === undefined) return;
    const refused = await once.send(wanted, { version: plan.version, confirm: "" });
    if (refused?.code === "conflict") await replan();
  };
  return (
    <>
      <SheetHead
        over={
          <>
            For{" "}
            <Link className="link" href={`/nodes/${encodeURIComponent(node)}`} onClick={control.close}>
              {node}
            </Link>{" "}
            · by its agent
          </>
        }
        title={shown?.title ?? offer.title}
        step={currentStep({ run: undefined, sending: once.sending !== "no", trying: dry.trying, dryRun: state })}
        onClose={control.close}
      />
      <div className="sheet-body" tabIndex={0} role="region" aria-label="Plan" aria-busy={planning}>
        <div>
          {once.problem === undefined ? null : (
            <p className="say bad" role="alert">
              <b>{once.sending === "unsure" ? "No answer came." : once.problem.code === "conflict" ? "It was not run: something changed in between." : "It was not run."}</b> {once.problem.message}
            </p>
          )}
          {changes === undefined ? null : (
            <p className="say warn" role="status">
              The plan was made anew. {changes.join(" ")}
            </p>
          )}
          {error === null ? null : (
            <p className="say bad" role="alert">
              <b>There is no plan.</b> {error instanceof ApiError ? error.message : "It could not be made."}
            </p>
          )}
          {params.parallel === undefined ? null : (
            <div className="vals-presets" role="group" aria-label="At a time">
              {PARALLEL.map((parallel) => (
                <button key={parallel} type="button" className="toggle" disabled={once.sending !== "no"} aria-pressed={params.parallel === parallel} onClick={() => setParams({ ...params, parallel })}>
                  {parallel} at a time
                </button>
              ))}
            </div>
          )}
          {shown === undefined ? null : (
            <div className={planning ? "is-old" : undefined}>
              <Refusals refusals={shown.refusals.map((refusal) => refusal.message)} />
              <DryRunResult state={state} tried={dry.tried} trying={dry.trying} problem={dry.problem} nowMs={now} asked={`The agent of ${node}`} answers="It takes orders with its next report, of which it makes one every 15 s by default." />
              {state === "valid" || state === "refused" ? (
                <>
                  <TouchedList id="would-h" title="Would be touched" items={touches.filter(({ outcome }) => outcome === "would")} none="Nothing." />
                  <TouchedList id="leave-h" title="Would be left" items={touches.filter(({ outcome }) => outcome !== "would")} none="Nothing." />
                </>
              ) : null}
              <PlanSteps plan={shown} />
            </div>
          )}
        </div>
        <div>
          {shown === undefined ? null : <PlanSide plan={shown} old={planning} nowMs={now} />}
          <TriedBefore node={node} />
          {shown === undefined ? null : (
            <p className="copy-plan">
              <CopyText label="Copy plan" done="Plan copied" text={() => planText(shown)} />
            </p>
          )}
        </div>
      </div>
      <PlanFoot
        offer={offer}
        plan={shown}
        behind={planning}
        dryRun={state}
        dryRunWords="A dry run changes nothing: the agent lists what it would touch. Only what it lists can be touched afterwards."
        trying={dry.trying}
        typed=""
        sending={once.sending}
        onTyped={() => undefined}
        onTry={() => void tryIt()}
        onRun={() => void runIt()}
        onClose={control.close}
      />
    </>
  );
}
