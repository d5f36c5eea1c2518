"use client";

import { lazy, Suspense, useState, type ReactNode } from "react";
import type { Opened, SheetControl } from "./action-sheet";
import type { NodeOffer } from "./values";

const ActionSheet = lazy(() => import("./action-sheet"));

export interface ActionSheetHandle {
  /** To be put anywhere on the page. */
  readonly sheet: ReactNode;
  readonly openPlan: SheetControl["openPlan"];
  openNodePlan(node: string, offer: NodeOffer): void;
  openRun(requestId: string): void;
}

/** The sheet of a page, loaded when it is first opened. `onClosed` hears which one was closed. */
export function useActionSheet(onClosed?: (closed: Opened) => void): ActionSheetHandle {
  const [opened, setOpened] = useState<Opened>();
  const openPlan: SheetControl["openPlan"] = (node, offer, params, undo = false) => setOpened({ kind: "plan", node, offer, params, undo, requestId: crypto.randomUUID() });
  return {
    sheet:
      opened === undefined ? null : (
        <Suspense fallback={null}>
          <ActionSheet
            opened={opened}
            onPlan={openPlan}
            onClose={() => {
              setOpened(undefined);
              onClosed?.(opened);
            }}
          />
        </Suspense>
      ),
    openPlan,
    openNodePlan: (node, offer) => setOpened({ kind: "node-plan", node, offer, requestId: crypto.randomUUID() }),
    openRun: (requestId) => setOpened({ kind: "run", requestId }),
  };
}
