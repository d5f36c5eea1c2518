"use client";

import type { ActionParams, ActionRunDetail, ActionRunOut } from "@/server/contract/schemas";
import { Instant, ZoneName } from "@/components/ui/instant";
import { OUTCOMES, OutcomeGlyph } from "../outcome";
import { decisiveCheck, isSettled, neverSeen, outcomeOf, type Outcome } from "../run-state";
import { Block, CallText } from "../sheet/plan-view";
import { capital, effectWords, spaced, valuesBefore } from "../values";
import { BacklogChart } from "./backlog-chart";
import { Checks } from "./checks";
import { Readings } from "./readings";
import { NodeRun } from "./node-run";
import { RunSteps } from "./run-steps";

/** A run whole: what came of it, the checks with their numbers, and what was done step by step. Two columns for the frame around it. */
export function RunView({ run, problem }: { readonly run: ActionRunDetail; readonly problem: string | undefined }) {
  return (
    <>
      <div>
        {problem === undefined ? null : (
          <p className="say warn" role="alert">
            <b>This could not be read anew.</b> {problem} What you see is from before.
          </p>
        )}
        <Verdict run={run} />
        <Checks run={run} />
        <BacklogChart run={run} />
        <Readings run={run} />
        <Block id="pass-h" title="How it is told">
          <p className="line">{run.passRule}</p>
        </Block>
      </div>
      <div>
        <RunSteps run={run} />
        {run.params === undefined ? <NodeRun run={run} /> : <SetValues run={run} params={run.params} />}
      </div>
    </>
  );
}

/** What a change of a DaemonSet set, what it set it from, and how to keep it. */
function SetValues({ run, params }: { readonly run: ActionRunOut; readonly params: ActionParams }) {
  const before = valuesBefore(run);
  return (
    <>
      <Block id="values-h" title={`Values of ${params.container}`}>
        <dl className="res">
          <dt>Before</dt>
          <dd>{before === undefined ? <span className="nodata">not recorded</span> : valueWords(before)}</dd>
          <dt>{run.state === "applied" ? "Set" : "To be set"}</dt>
          <dd>{valueWords({ ...before, ...params })}</dd>
          <dt>DaemonSet</dt>
          <dd>
            {run.object.namespace}/{run.object.name}
          </dd>
          <dt>Request id</dt>
          <dd className="mono wrap">{run.requestId}</dd>
        </dl>
      </Block>
      <Block id="undo-h" title="Undo" aside={run.undo.possible ? undefined : "there is none"}>
        <p className="line">{run.undo.how}</p>
        {run.undo.call === undefined ? null : <CallText call={run.undo.call} />}
      </Block>
      <Block id="keep-h" title="To keep it">
        <p className="line muted">Put the values where the DaemonSet is managed too (Helm values, an operator, GitOps). Otherwise its next update sets the old ones again.</p>
      </Block>
    </>
  );
}

const valueWords = (params: ActionParams): string =>
  `${effectWords(params)}${params.memoryRequest === undefined ? "" : `, request ${spaced(params.memoryRequest)}`}`;

/** What follows from an outcome, where its name alone does not say it. */
const NEXT: Readonly<Partial<Record<Outcome, string>>> = {
  worse: "The change did harm on this node: undo it, or give it what it lacks.",
  "no-effect": "The change is on the node and nothing moved: it was not the cause, or not all of it.",
  interrupted: "Sandglass ended while this ran, and nobody carries it on. What was sent before may have been applied: look at the object.",
  "could-not-verify": "Nothing is known of its effect. That is no success.",
};

function Verdict({ run }: { readonly run: ActionRunOut }) {
  const outcome = outcomeOf(run);
  const look = OUTCOMES[outcome];
  const because = decisiveCheck(run)?.because ?? run.error;
  return (
    <section className={`verdict ${look.tone}`} role="status" aria-label="Outcome so far">
      <OutcomeGlyph outcome={outcome} />
      <div>
        <p className="verdict-words">
          {capital(look.words)}
          {isSettled(run) ? "." : run.state === "applied" && outcome !== "checking" && outcome !== "waiting-to-be-seen" ? " so far." : "."} {because}
        </p>
        {NEXT[outcome] === undefined ? null : <p className="small">{NEXT[outcome]}</p>}
        {outcome !== "waiting-to-be-seen" ? null : <p className="small muted">{run.params === undefined ? "The agent is done. Checks count from when the collector has seen it." : `The API server took the change. Checks count from when the daemon's pod on ${run.node} runs with it.`}</p>}
        {run.seen === undefined || neverSeen(run) ? null : (
          <p className="small muted">
            On {run.node} since <Instant at={Date.parse(run.seen)} /> <ZoneName />.
          </p>
        )}
      </div>
    </section>
  );
}
