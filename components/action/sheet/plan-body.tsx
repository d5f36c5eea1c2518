"use client";

import Link from "next/link";
import { useState } from "react";
import type { ActionParams } from "@/server/contract/schemas";
import { ApiError } from "@/components/live/fetch-json";
import { useNow } from "@/components/live/live-provider";
import type { SheetControl } from "../action-sheet";
import { planErrors } from "../field-errors";
import { planText } from "../plan-text";
import { currentStep, dryRunState } from "../sheet-step";
import { useDebounced } from "../use-debounced";
import { useDryRun, usePlan } from "../use-plan";
import { useRunOnce } from "../use-run-once";
import { localErrors, paramsOf, valuesOf, type Offer, type Values } from "../values";
import { CopyText } from "../copy-text";
import { DryRunResult } from "./dry-run-result";
import { PlanFoot } from "./plan-foot";
import { Blast, Diff, PlanSide, PlanSteps, Refusals } from "./plan-view";
import { RunBody } from "./run-body";
import { SheetHead } from "./sheet-head";
import { TriedBefore } from "./tried-before";
import { ValuesForm } from "./values-form";

/** A new plan is made once nobody has typed for this long. */
const REPLAN_AFTER_MS = 400;

interface PlanBodyProps {
  readonly node: string;
  readonly offer: Offer;
  readonly initial: ActionParams;
  readonly undo: boolean;
  readonly requestId: string;
  readonly control: SheetControl;
}

/** Plan, dry run and confirmation of one request; once it is sent, its run. */
export function PlanBody({ node, offer, initial, undo, requestId, control }: PlanBodyProps) {
  const now = useNow();
  const [values, setValues] = useState<Values>(() => valuesOf(initial));
  const [typed, setTyped] = useState("");
  const settled = useDebounced(values, REPLAN_AFTER_MS);
  const params = paramsOf(offer.container, settled);
  const wanted = { node, offer, params };
  const local = localErrors(values);
  const { plan, planning, error, changes, replan } = usePlan(wanted, Object.keys(localErrors(settled)).length === 0);
  const dry = useDryRun();
  const once = useRunOnce(node, requestId);

  if (once.run !== undefined) return <RunBody requestId={requestId} initial={once.run} control={control} />;

  const behind = planning || settled !== values;
  const faulty = error !== null || Object.keys(local).length > 0;
  // The plan of other values is no plan for these.
  const shown = faulty ? undefined : plan;
  const state = dryRunState(dry.tried, JSON.stringify(paramsOf(offer.container, values)), plan, now);
  const problem = error instanceof ApiError ? error : undefined;
  const errors = planErrors(problem?.errors ?? [], behind ? [] : (plan?.refusals ?? []));
  const tryIt = async (): Promise<void> => {
    const version = await dry.run(wanted);
    if (version !== undefined && version !== plan?.version) await replan();
  };
  const runIt = async (): Promise<void> => {
    if (plan === undefined) return;
    const refused = await once.send(wanted, { version: plan.version, confirm: plan.confirm.kind === "type" ? typed : "" });
    if (refused?.code === "conflict") {
      setTyped(""); // it confirmed another plan
      await replan();
    }
  };
  return (
    <>
      <SheetHead
        over={
          <>
            {undo ? "Undo, for " : "For "}
            <Link className="link" href={`/nodes/${encodeURIComponent(node)}`} onClick={control.close}>
              {node}
            </Link>{" "}
            · DaemonSet {offer.namespace}/{offer.daemonSet}
          </>
        }
        title={shown?.title ?? `Set resources of ${offer.container}`}
        step={currentStep({ run: undefined, sending: once.sending !== "no", trying: dry.trying, dryRun: state })}
        onClose={control.close}
      />
      <div className="sheet-body" tabIndex={0} role="region" aria-label="Plan" aria-busy={behind}>
        <div>
          {once.problem === undefined ? null : (
            <p className="say bad" role="alert">
              <b>{once.sending === "unsure" ? "No answer came." : once.problem.code === "conflict" ? "It was not run: something changed in between." : "It was not run."}</b> {once.problem.message}
            </p>
          )}
          {changes === undefined ? null : (
            <section className="say warn" role="status" aria-labelledby="changes-h">
              <h2 id="changes-h">The plan was made anew. What is different:</h2>
              <ul>
                {changes.map((text) => (
                  <li key={text}>{text}</li>
                ))}
              </ul>
            </section>
          )}
          <ValuesForm offer={offer} values={values} errors={{ ...errors.fields, ...local }} frozen={once.sending !== "no"} onChange={setValues} />
          {faulty && !behind ? (
            <p className="say bad" role="alert">
              <b>There is no plan for these values.</b> {errors.other.length > 0 ? errors.other.join(" ") : error === null || Object.keys(errors.fields).length > 0 ? "See the fields." : error.message}
            </p>
          ) : null}
          {shown === undefined ? (
            faulty ? null : <PlanSkeleton />
          ) : (
            <div className={behind ? "is-old" : undefined}>
              <Blast plan={shown} />
              <Refusals refusals={shown.refusals.map((refusal) => refusal.message)} />
              <DryRunResult state={state} tried={dry.tried} trying={dry.trying} problem={dry.problem} nowMs={now} />
              <PlanSteps plan={shown} />
            </div>
          )}
        </div>
        <div>
          {shown === undefined ? null : <PlanSide plan={shown} old={behind} nowMs={now} first={<Diff plan={shown} />} />}
          <TriedBefore node={node} />
          {shown === undefined || !offer.allowed ? null : (
            <p className="copy-plan">
              <CopyText label="Copy plan" done="Plan copied" text={() => planText(shown)} />
            </p>
          )}
        </div>
      </div>
      <PlanFoot offer={offer} plan={shown} behind={behind} dryRun={state} trying={dry.trying} typed={typed} sending={once.sending} onTyped={setTyped} onTry={() => void tryIt()} onRun={() => void runIt()} onClose={control.close} />
    </>
  );
}

/** As high as a plan, so that nothing jumps when it comes. */
function PlanSkeleton() {
  return (
    <div className="plan-skeleton" role="status">
      <span className="sr">Planning</span>
      {[44, 20, 46, 46, 46, 20].map((height, index) => (
        <span key={index} className="sk" style={{ height }} />
      ))}
    </div>
  );
}
