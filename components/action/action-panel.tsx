"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useNow } from "@/components/live/live-provider";
import { CopyText } from "./copy-text";
import { NodeOfferButtons } from "./node-offer-buttons";
import { OfferButtons } from "./offer-buttons";
import { ACTION_KEYS, readOffers } from "./queries";
import { RecentRun } from "./recent-run";
import { isSettled, recentRun } from "./run-state";
import { useActionSheet } from "./use-action-sheet";
import { useNodeRuns } from "./use-run";

const COARSE_MS = 10_000;
/** Rights and the daemon's values are asked anew this often. */
const OFFERS_EVERY_MS = 30_000;
const START_COMMAND = "npm start -- --allow-actions";

/** What can be done about a node: what was done lately and came of it, then the actions, each with its effect as its name. */
export function ActionPanel({ node }: { readonly node: string }) {
  const now = useNow(COARSE_MS);
  const offers = useQuery({ queryKey: ACTION_KEYS.offers(node), queryFn: ({ signal }) => readOffers(node, signal), refetchInterval: OFFERS_EVERY_MS });
  const runs = useNodeRuns(node);
  const [closedWhileRunning, setClosedWhileRunning] = useState(false);
  const run = recentRun(runs.data?.items ?? [], now);
  const { sheet, openPlan, openNodePlan, openRun } = useActionSheet(() => {
    setClosedWhileRunning(true);
    void runs.refetch(); // a run that the sheet began a moment ago is the one to show
  });
  return (
    <section aria-labelledby="actions-h" id="actions">
      <h2 id="actions-h" className="h3">
        What can be done
      </h2>
      {run === undefined ? null : <RecentRun run={run} onOpen={() => openRun(run.requestId)} />}
      <p className="small muted" role="status">
        {closedWhileRunning && run !== undefined && !isSettled(run) ? "Closing the panel stopped nothing: the run goes on." : null}
      </p>
      {offers.data === undefined ? (
        offers.isError ? (
          <p className="act-note unknown-t" role="alert">
            What can be done is not known. {offers.error.message}{" "}
            <button type="button" className="btn btn-sm" onClick={() => void offers.refetch()}>
              Ask again
            </button>
          </p>
        ) : (
          <div className="act" role="status">
            <span className="sr">Asking what you may do</span>
            <span className="sk" style={{ height: 34 }} />
            <span className="sk" style={{ height: 34 }} />
          </div>
        )
      ) : (
        <>
          {offers.isError ? (
            <p className="act-note warn-t" role="alert">
              This could not be asked anew. {offers.error.message}
            </p>
          ) : null}
          {offers.data.offers.length === 0 ? <p className="act-note muted">No CNI daemon is known on {node}, so there is nothing to set here.</p> : null}
          {offers.data.offers.map((offer) => (
            <OfferButtons key={`${offer.namespace}/${offer.daemonSet}/${offer.container}`} offer={offer} named={offers.data.offers.length > 1} onPlan={(params) => openPlan(node, offer, params)} />
          ))}
          <NodeOfferButtons node={node} offers={offers.data.nodeOffers} onPlan={(offer) => openNodePlan(node, offer)} />
          {offers.data.actionsAllowed ? null : (
            <p className="act-note muted">
              To switch actions on, start Sandglass with <code>{START_COMMAND}</code> <CopyText label="Copy" done="Copied" text={() => START_COMMAND} />
            </p>
          )}
        </>
      )}
      {sheet}
    </section>
  );
}
