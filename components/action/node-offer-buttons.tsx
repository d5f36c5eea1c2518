"use client";

import { useId } from "react";
import { Icon } from "@/components/ui/glyphs";
import type { NodeOffer } from "./values";

interface NodeOfferButtonsProps {
  readonly node: string;
  readonly offers: readonly NodeOffer[];
  readonly onPlan: (offer: NodeOffer) => void;
}

/** What the node's own agent could do. Those that a firing cause asks for come first, and the first of them stands out; greyed ones keep their place and say why. */
export function NodeOfferButtons({ node, offers, onPlan }: NodeOfferButtonsProps) {
  const why = useId();
  if (offers.length === 0) return null;
  const sorted = [...offers.filter(({ fits }) => fits), ...offers.filter(({ fits }) => !fits)];
  const reasons = [...new Set(sorted.flatMap(({ reason }) => reason ?? []))];
  const primary = sorted.find(({ fits, allowed }) => fits && allowed);
  return (
    <div className="act-offer by-agent">
      <p className="small muted">On {node} itself, by its agent</p>
      <div className="act">
        {sorted.map((offer) => (
          <button
            key={offer.action}
            type="button"
            className={offer === primary ? "btn btn-primary" : "btn"}
            {...(offer.allowed ? {} : { "aria-disabled": true, "aria-describedby": why })}
            onClick={offer.allowed ? () => onPlan(offer) : undefined}
          >
            {offer.title}…{offer.fits ? <span className="n">a cause asks for it</span> : null}
            <Icon name="arrow" size={14} />
          </button>
        ))}
      </div>
      {reasons.length === 0 ? null : (
        <ul id={why} className="act-note muted">
          {reasons.map((reason) => (
            <li key={reason}>{reason}</li>
          ))}
        </ul>
      )}
    </div>
  );
}
