"use client";

import type { ReactNode } from "react";
import type { ActionPlan } from "@/server/contract/schemas";
import { EvidenceList } from "@/components/node/evidence-list";
import { formatCount } from "@/components/format/numbers";
import { AnswerGlyph } from "@/components/ui/glyphs";

/** How wide it reaches: what a person checks first. */
export function Blast({ plan }: { readonly plan: ActionPlan }) {
  const { affected } = plan;
  return (
    <dl className="blast">
      <div>
        <dt>Nodes that roll</dt>
        <dd>
          {formatCount(affected.nodes)} <small>of {formatCount(affected.ofNodes)}</small>
        </dd>
      </div>
      <div>
        <dt>Pods restarted</dt>
        <dd>
          {formatCount(affected.podsRestarted)} <small>{plan.params?.container}</small>
        </dd>
      </div>
      <div>
        <dt>At once</dt>
        <dd>{affected.atOnce}</dd>
      </div>
    </dl>
  );
}

type Call = NonNullable<ActionPlan["steps"][number]["call"]>;

export function CallText({ call }: { readonly call: Call }) {
  return (
    <code className="call">
      <span className="verb">{call.method}</span> {call.path}
      {call.body === undefined ? null : <span className="call-body">{call.body}</span>}
    </code>
  );
}

export function PlanSteps({ plan }: { readonly plan: ActionPlan }) {
  const writes = plan.steps.filter((step) => step.writes).length;
  return (
    <section aria-labelledby="plan-h">
      <h2 id="plan-h">
        Plan
        <span className="r">
          {plan.steps.length} steps, {writes} of them {writes === 1 ? "writes" : "write"}
        </span>
      </h2>
      <ol className="plan">
        {plan.steps.map((step, index) => (
          <li key={`${index} ${step.title}`}>
            <span className="n" aria-hidden="true">
              {index + 1}
            </span>
            <span className="med">{step.title}</span>
            <span className="small muted nowrap">{step.writes ? "write" : step.call?.method === "PATCH" ? "keeps nothing" : "read only"}</span>
            {step.call === undefined ? null : <CallText call={step.call} />}
          </li>
        ))}
      </ol>
    </section>
  );
}

const MARKS = { same: { sign: " ", className: undefined, words: undefined }, removed: { sign: "−", className: "del", words: "removed:" }, added: { sign: "+", className: "add", words: "added:" } } as const;

export function Diff({ plan }: { readonly plan: ActionPlan }) {
  const changed = plan.diff.filter((line) => line.kind !== "same").length;
  return (
    <section aria-labelledby="diff-h">
      <h2 id="diff-h">
        Change<span className="r">{changed === 1 ? "1 line" : `${changed} lines`}</span>
      </h2>
      <div className="diff">
        <p className="f">
          {plan.object.namespace}/{plan.object.name}
          <span className="spacer" />
          {plan.object.kind}
        </p>
        {plan.diff.length === 0 ? (
          <p className="none">There is no such container to change.</p>
        ) : (
          <ol>
            {plan.diff.map((line, index) => {
              const mark = MARKS[line.kind];
              return (
                <li key={`${index} ${line.text}`} className={mark.className}>
                  <span aria-hidden="true">{mark.sign}</span>
                  <span>
                    {mark.words === undefined ? null : <span className="sr">{mark.words} </span>}
                    {line.text}
                  </span>
                </li>
              );
            })}
          </ol>
        )}
      </div>
    </section>
  );
}

export function Refusals({ refusals }: { readonly refusals: readonly string[] }) {
  if (refusals.length === 0) return null;
  return (
    <section aria-labelledby="refused-h" className="refused" role="alert">
      <h2 id="refused-h">
        <AnswerGlyph look="no" size={14} />
        Refused: this cannot be run
      </h2>
      <ul>
        {refusals.map((message) => (
          <li key={message}>{message}</li>
        ))}
      </ul>
    </section>
  );
}

export function Hazards({ plan }: { readonly plan: ActionPlan }) {
  return (
    <section aria-labelledby="hazards-h">
      <h2 id="hazards-h">
        Hazards<span className="r">{plan.hazards.length}</span>
      </h2>
      {plan.hazards.length === 0 ? (
        <p className="line muted">None is known.</p>
      ) : (
        <ul className="haz">
          {plan.hazards.map((hazard) => (
            <li key={hazard.title}>
              <AnswerGlyph look="risk" size={14} />
              <div>
                <b>{hazard.title}</b>
                <p>{hazard.detail}</p>
              </div>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

export function Undo({ undo }: { readonly undo: ActionPlan["undo"] }) {
  return (
    <section aria-labelledby="undo-h">
      <h2 id="undo-h">
        Undo<span className="r">{undo.possible ? "there is one" : "there is none"}</span>
      </h2>
      <p className={undo.possible ? "line" : "line warn-t"}>{undo.how}</p>
      {undo.call === undefined ? null : <CallText call={undo.call} />}
    </section>
  );
}

function PassRule({ passRule }: { readonly passRule: string }) {
  return (
    <Block id="pass-h" title="How it will be told">
      <p className="line">{passRule}</p>
    </Block>
  );
}

export function Block({ id, title, aside, children }: { readonly id: string; readonly title: string; readonly aside?: ReactNode; readonly children: ReactNode }) {
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>
        {title}
        {aside === undefined ? null : <span className="r">{aside}</span>}
      </h2>
      {children}
    </section>
  );
}

/** The column beside the plan: `first` (what it changes, where that can be shown), then what every plan says of its risk and its end. */
export function PlanSide({ plan, old, nowMs, first }: { readonly plan: ActionPlan; readonly old: boolean; readonly nowMs: number; readonly first?: ReactNode }) {
  return (
    <div className={old ? "is-old" : undefined}>
      {first}
      <Hazards plan={plan} />
      <Undo undo={plan.undo} />
      <PassRule passRule={plan.passRule} />
      <Block id="rests-h" title="What it rests on">
        <EvidenceList items={plan.evidence} nowMs={nowMs} />
      </Block>
    </div>
  );
}
