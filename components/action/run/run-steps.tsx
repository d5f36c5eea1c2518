"use client";

import { Check, X } from "lucide-react";
import type { ActionRunOut } from "@/server/contract/schemas";
import { formatSeconds } from "@/components/format/numbers";
import { Instant, ZoneName } from "@/components/ui/instant";
import { Block } from "../sheet/plan-view";

type Step = ActionRunOut["steps"][number];

const WORDS = { running: "under way", done: "done", failed: "failed" } as const;

/** What was done, as it was recorded: each step before it was carried out and again after. */
export function RunSteps({ run }: { readonly run: ActionRunOut }) {
  return (
    <Block id="steps-h" title="Steps" aside={<ZoneName />}>
      {run.steps.length === 0 ? (
        <p className="line muted">{run.state === "running" ? "None is recorded yet." : "None was carried out."}</p>
      ) : (
        <ol className="plan">
          {run.steps.map((step) => (
            <li key={`${step.started} ${step.title}`}>
              <span className={`n ${step.state === "done" ? "ok" : step.state === "failed" ? "failed" : "run"}`} aria-hidden="true">
                {step.state === "done" ? <Check className="i i-12" /> : step.state === "failed" ? <X className="i i-12" /> : null}
              </span>
              <span className="med">
                {step.title}
                <span className="sr">: {WORDS[step.state]}</span>
              </span>
              <span className="small muted nowrap">
                <Instant at={Date.parse(step.started)} />
                {tookSeconds(step) === undefined ? null : `, ${tookSeconds(step)}`}
              </span>
              {step.error === undefined ? null : <p className="call bad-t">{step.error}</p>}
              {step.after === undefined ? null : <code className="call">{step.after}</code>}
            </li>
          ))}
        </ol>
      )}
    </Block>
  );
}

function tookSeconds(step: Step): string | undefined {
  if (step.finished === undefined) return undefined;
  return formatSeconds((Date.parse(step.finished) - Date.parse(step.started)) / 1_000);
}
