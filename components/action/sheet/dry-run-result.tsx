"use client";

import type { ApiError } from "@/components/live/fetch-json";
import { formatDuration } from "@/components/format/time";
import { AnswerGlyph } from "@/components/ui/glyphs";
import { Instant, ZoneName } from "@/components/ui/instant";
import type { DryRunState, TriedPlan } from "../sheet-step";
import { Block } from "./plan-view";

interface DryRunResultProps {
  readonly state: DryRunState;
  readonly tried: TriedPlan | undefined;
  readonly trying: boolean;
  readonly problem: ApiError | undefined;
  readonly nowMs: number;
  /** Who is asked. */
  readonly asked?: string;
  /** When its answer is to be had, where that may take a while. */
  readonly answers?: string;
}

/** What the API server said to the writes without keeping them, and for how long that counts. */
export function DryRunResult({ state, tried, trying, problem, nowMs, asked = "The API server", answers }: DryRunResultProps) {
  if (problem === undefined && tried === undefined && !trying) return null;
  return (
    <Block
      id="dry-h"
      title="Dry run"
      aside={
        tried === undefined || trying ? undefined : (
          <>
            <Instant at={Date.parse(tried.result.at)} /> <ZoneName />, by {asked.charAt(0).toLowerCase() + asked.slice(1)}
            {state === "valid" ? <span className="num">, valid for {formatDuration((Date.parse(tried.result.validUntil) - nowMs) / 1_000)}</span> : null}
          </>
        )
      }
    >
      <p className="line" role="status">
        {trying ? `${asked} is asked.${answers === undefined ? "" : ` ${answers}`}` : problem === undefined ? <Words state={state} tried={tried} /> : <span className="bad-t">It could not be tried. {problem.message}</span>}
      </p>
    </Block>
  );
}

function Words({ state, tried }: Pick<DryRunResultProps, "state" | "tried">) {
  switch (state) {
    case "none":
      return null;
    case "valid":
      return (
        <span className="ok-t med">
          <AnswerGlyph look="yes" size={14} /> Accepted. <span className="plain">{tried?.result.message}</span>
        </span>
      );
    case "refused":
      return (
        <span className="bad-t med">
          <AnswerGlyph look="no" size={14} /> Refused. <span className="plain">{tried?.result.message}</span>
        </span>
      );
    case "expired":
      return <span className="warn-t med">Expired. It says nothing about the cluster as it is now: try again.</span>;
    case "other-values":
      return <span className="warn-t med">It was made for other values: try these.</span>;
    case "other-plan":
      return <span className="warn-t med">The plan changed since: try again.</span>;
  }
}
