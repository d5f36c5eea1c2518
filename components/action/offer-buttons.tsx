"use client";

import { useId } from "react";
import type { ActionParams } from "@/server/contract/schemas";
import { Icon } from "@/components/ui/glyphs";
import { effectWords, sameParams, spaced, type Offer } from "./values";

const HINTS = { emergency: "while a storm lasts", lasting: "to keep" } as const;

interface OfferButtonsProps {
  readonly offer: Offer;
  /** Several daemons are offered, so each says which it is. */
  readonly named: boolean;
  readonly onPlan: (params: ActionParams) => void;
}

/** One daemon's buttons. A greyed one keeps its place and says why, and the plan can still be looked at and handed on. */
export function OfferButtons({ offer, named, onPlan }: OfferButtonsProps) {
  const why = useId();
  const { current, presets } = offer;
  const first = presets[0];
  const grey = offer.allowed ? {} : { "aria-disabled": true, "aria-describedby": why };
  return (
    <div className="act-offer">
      <p className="small muted">
        {named ? `${offer.namespace}/${offer.daemonSet}, ` : ""}
        {offer.container}
        {current === undefined ? "" : ` has ${effectWords(current)}${current.memoryRequest === undefined ? ", no memory request" : `, request ${spaced(current.memoryRequest)}`}`}
      </p>
      <div className="act">
        {presets.map(({ preset, params }) => (
          <button key={preset} type="button" className={preset === "emergency" && offer.allowed ? "btn btn-primary" : "btn"} {...grey} onClick={offer.allowed ? () => onPlan(params) : undefined}>
            Set {effectWords(params)}…<span className="n">{current !== undefined && sameParams(params, current) ? "has it" : HINTS[preset]}</span>
            <Icon name="arrow" size={14} />
          </button>
        ))}
        <button type="button" className="btn" {...grey} onClick={offer.allowed ? () => onPlan(current ?? first?.params ?? { container: offer.container, cpuLimit: null }) : undefined}>
          Other values…
          <Icon name="arrow" size={14} />
        </button>
      </div>
      {offer.allowed || first === undefined ? null : (
        <>
          <p id={why} className="act-note">
            {offer.reason ?? "You may not do this."}
          </p>
          <p>
            <button type="button" className="btn btn-sm" onClick={() => onPlan(first.params)}>
              Copy plan for someone who may…
            </button>
          </p>
        </>
      )}
    </div>
  );
}
