"use client";

import { useEffect, useId, useRef } from "react";
import type { ActionPlan } from "@/server/contract/schemas";
import { plural } from "@/components/format/numbers";
import { Icon } from "@/components/ui/glyphs";
import { CopyText } from "../copy-text";
import { planText } from "../plan-text";
import { runBlocked, type DryRunState } from "../sheet-step";
import { useCalm } from "../use-calm";
import type { Sending } from "../use-run-once";
import type { Offer } from "../values";

interface PlanFootProps {
  readonly offer: Pick<Offer, "allowed" | "reason">;
  readonly plan: ActionPlan | undefined;
  /** The plan on the page is not of the values on the page. */
  readonly behind: boolean;
  readonly dryRun: DryRunState;
  /** What a dry run of this plan does, where it is not the API server's. */
  readonly dryRunWords?: string;
  readonly trying: boolean;
  readonly typed: string;
  readonly sending: Sending;
  readonly onTyped: (text: string) => void;
  readonly onTry: () => void;
  readonly onRun: () => void;
  readonly onClose: () => void;
}

/** The one thing that can be done next, and why not where it cannot. */
export function PlanFoot(props: PlanFootProps) {
  const { offer, plan, onClose, sending, dryRun } = props;
  if (sending === "sending") {
    return (
      <footer className="sheet-foot">
        <p className="small muted">Sent. Written to the audit log as it happens. Closing this panel stops nothing.</p>
      </footer>
    );
  }
  if (sending === "unsure") {
    return (
      <Foot words="It may be under way, and is looked up under its request id. Trying again is safe: one request id runs once." onClose={onClose} close="Close">
        <button type="button" className="btn btn-primary" onClick={props.onRun}>
          Try again
        </button>
      </Foot>
    );
  }
  if (!offer.allowed) {
    return (
      <Foot words={offer.reason ?? "You may not do this."} onClose={onClose} close="Close">
        {plan === undefined ? null : <CopyText label="Copy plan for someone who may" done="Plan copied" className="btn btn-primary" text={() => planText(plan)} />}
      </Foot>
    );
  }
  if (dryRun === "valid" && plan !== undefined) return <Confirm {...props} plan={plan} />;
  const refused = plan === undefined || props.behind || plan.refusals.length > 0;
  return (
    <Foot words={props.dryRunWords ?? "A dry run changes nothing: the API server goes through the writes and keeps none."} onClose={onClose} close="Cancel">
      <button type="button" className="btn btn-primary" aria-disabled={refused || props.trying} onClick={refused || props.trying ? undefined : props.onTry}>
        {props.trying ? "Trying" : dryRun === "none" || dryRun === "other-values" ? "Dry run" : "Dry run again"}
      </button>
    </Foot>
  );
}

function Foot({ words, onClose, close, children }: { readonly words: string; readonly onClose: () => void; readonly close: string; readonly children?: React.ReactNode }) {
  return (
    <footer className="sheet-foot">
      <p className="small muted">{words}</p>
      <span className="spacer" />
      <button type="button" className="btn" onClick={onClose}>
        {close}
      </button>
      {children}
    </footer>
  );
}

/** A click for one node; for anything wider the object's name has to be typed, and Enter in the field does nothing. */
function Confirm({ plan, behind, dryRun, typed, onTyped, onRun, onClose }: PlanFootProps & { readonly plan: ActionPlan }) {
  const id = useId();
  const { confirm, affected } = plan;
  const calm = useCalm();
  const foot = useRef<HTMLElement>(null);
  // The button of the dry run is gone, and the focus with it: who walks by keyboard goes on from here, and nothing runs by a second Enter.
  useEffect(() => {
    if (document.activeElement === document.body) foot.current?.focus({ preventScroll: true });
  }, []);
  const blocked = behind ? "The plan is being made anew." : calm ? runBlocked(plan, typed, dryRun) : "Look first.";
  const wide = confirm.kind === "type";
  return (
    <footer className="sheet-foot" ref={foot} tabIndex={-1} aria-label="Confirm">
      {wide ? (
        <>
          <label htmlFor={id}>
            Type <b className="mono strong">{confirm.text}</b> to confirm
          </label>
          <input id={id} className="input mono" autoComplete="off" spellCheck={false} value={typed} onChange={(event) => onTyped(event.target.value)} />
          <span className="small ok-t" role="status">
            {typed === confirm.text ? (
              <>
                <Icon name="seen" size={14} /> matches
              </>
            ) : null}
          </span>
        </>
      ) : (
        <p className="small muted">It touches one node.</p>
      )}
      <span className="spacer" />
      <button type="button" className="btn" onClick={onClose}>
        Cancel
      </button>
      <button type="button" className={wide ? "btn btn-danger" : "btn btn-primary"} aria-disabled={blocked !== undefined} title={blocked} onClick={blocked === undefined ? onRun : undefined}>
        Run on {plural(affected.nodes, "node")}
      </button>
    </footer>
  );
}
