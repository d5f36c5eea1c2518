"use client";

import { useNow } from "@/components/live/live-provider";
import { Instant } from "@/components/ui/instant";
import { OUTCOMES } from "../outcome";
import { decisiveCheck, outcomeOf } from "../run-state";
import { useNodeRuns } from "../use-run";
import { Block } from "./plan-view";

const SHOWN = 3;
const COARSE_MS = 10_000;

/** What was tried on this node before, so that nobody repeats what made it worse. */
export function TriedBefore({ node }: { readonly node: string }) {
  const now = useNow(COARSE_MS);
  const runs = useNodeRuns(node);
  const items = runs.data?.items ?? [];
  if (runs.isError || items.length === 0) {
    return (
      <Block id="before-h" title={`Tried before on ${node}`}>
        <p className={runs.isError ? "line unknown-t" : "line muted"}>{runs.isError ? `Not known. ${runs.error.message}` : runs.isPending ? "Being read" : "Nothing."}</p>
      </Block>
    );
  }
  return (
    <Block id="before-h" title={`Tried before on ${node}`}>
      <ul className="tried">
        {items.slice(0, SHOWN).map((run) => {
          const look = OUTCOMES[outcomeOf(run)];
          return (
            <li key={run.id}>
              {run.title}, <Instant at={Date.parse(run.started)} nowMs={now} />: <span className={look.tone === "" ? "med" : `med ${look.tone}-t`}>{look.words}</span>. {decisiveCheck(run)?.because ?? run.error}
            </li>
          );
        })}
      </ul>
    </Block>
  );
}
