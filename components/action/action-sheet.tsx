"use client";

import { useLayoutEffect, useRef } from "react";
import type { ActionParams } from "@/server/contract/schemas";
import { NodePlanBody } from "./sheet/node-plan-body";
import { PlanBody } from "./sheet/plan-body";
import { RunBody } from "./sheet/run-body";
import type { NodeOffer, Offer } from "./values";

/** What the sheet shows: the way from plan to verdict of one new request, or a run that exists. */
export type Opened =
  | { readonly kind: "plan"; readonly node: string; readonly offer: Offer; readonly params: ActionParams; readonly undo: boolean; /** A new one for every plan that is opened: one plan, one run. */ readonly requestId: string }
  | { readonly kind: "node-plan"; readonly node: string; readonly offer: NodeOffer; readonly requestId: string }
  | { readonly kind: "run"; readonly requestId: string };

export interface SheetControl {
  close(): void;
  openPlan(node: string, offer: Offer, params: ActionParams, undo?: boolean): void;
}

interface ActionSheetProps {
  readonly opened: Opened;
  readonly onPlan: SheetControl["openPlan"];
  readonly onClose: () => void;
}

/**
 * The browser's own modal dialog: it keeps the focus inside, makes the page behind it inert, closes with Esc and gives
 * the focus back. Closing it stops nothing; a request that was sent goes on in the server.
 */
export default function ActionSheet({ opened, onPlan, onClose }: ActionSheetProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  // Before the effects of what it holds, which put the focus where reading begins.
  useLayoutEffect(() => {
    const element = dialog.current;
    if (element?.open === false) element.showModal();
  }, []);
  const control: SheetControl = { close: () => dialog.current?.close(), openPlan: onPlan };
  return (
    <dialog ref={dialog} className="sheet" aria-labelledby="sheet-h" onClose={onClose}>
      {opened.kind === "plan" ? (
        <PlanBody key={opened.requestId} requestId={opened.requestId} node={opened.node} offer={opened.offer} initial={opened.params} undo={opened.undo} control={control} />
      ) : opened.kind === "node-plan" ? (
        <NodePlanBody key={opened.requestId} requestId={opened.requestId} node={opened.node} offer={opened.offer} control={control} />
      ) : (
        <RunBody key={opened.requestId} requestId={opened.requestId} control={control} />
      )}
    </dialog>
  );
}
