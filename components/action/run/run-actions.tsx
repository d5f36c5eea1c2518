"use client";

import { useQuery } from "@tanstack/react-query";
import { Undo2 } from "lucide-react";
import type { ActionRunOut } from "@/server/contract/schemas";
import type { SheetControl } from "../action-sheet";
import { ACTION_KEYS, readOffers } from "../queries";
import { outcomeOf } from "../run-state";
import { capital, effectWords, sameParams, valuesBefore } from "../values";

/** What can be done about a run: go back, and where it did not help, the presets that were not tried. Each begins with a plan. */
export function RunActions({ run, openPlan }: { readonly run: ActionRunOut; readonly openPlan: SheetControl["openPlan"] }) {
  const offers = useQuery({ queryKey: ACTION_KEYS.offers(run.node), queryFn: ({ signal }) => readOffers(run.node, signal) });
  const offer = offers.data?.offers.find((one) => one.namespace === run.object.namespace && one.daemonSet === run.object.name && one.container === run.params?.container);
  const outcome = outcomeOf(run);
  const { params: set } = run;
  if (run.state === "running" || offer === undefined || set === undefined) return null;
  const before = valuesBefore(run);
  // As on the node's page: a greyed button keeps its place, says why, and does nothing.
  const grey = offer.allowed ? {} : { "aria-disabled": true, title: offer.reason ?? "You may not do this." };
  const others = outcome === "worse" || outcome === "no-effect" || outcome === "failed" ? offer.presets.filter(({ params }) => !sameParams(params, set) && (before === undefined || !sameParams(params, before))) : [];
  return (
    <>
      {others.map(({ preset, params }) => (
        <button key={preset} type="button" className="btn" {...grey} onClick={offer.allowed ? () => openPlan(run.node, offer, params) : undefined}>
          {capital(effectWords(params))}…
        </button>
      ))}
      {run.undo.possible && before !== undefined && run.state !== "failed" ? (
        <button type="button" className="btn" {...grey} onClick={offer.allowed ? () => openPlan(run.node, offer, before, true) : undefined}>
          <Undo2 className="i i-14" aria-hidden="true" />
          Undo: {effectWords(before)}…
        </button>
      ) : null}
    </>
  );
}
