"use client";

import { useLayoutEffect, useRef, type RefObject } from "react";
import { formatCount, formatSecondsRange, formatShare, plural } from "@/components/format/numbers";
import { lookOf, LOOK_WORDS, type FleetRow } from "./model";

const GAP_PX = 8;

interface HeatTipProps {
  readonly row: FleetRow;
  readonly frame: RefObject<HTMLElement | null>;
  readonly x: number;
  readonly y: number;
  readonly step: number;
}

/** What a cell stands for; beside the cell, never past the edge of the window. For eyes only: the option says the same. */
export function HeatTip({ row, frame, x, y, step }: HeatTipProps) {
  const tip = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = tip.current;
    const box = frame.current?.getBoundingClientRect();
    if (element === null || box === undefined) return;
    const left = Math.max(GAP_PX, Math.min(window.innerWidth - element.offsetWidth - GAP_PX, box.left + x - element.offsetWidth / 2));
    const above = box.top + y - element.offsetHeight - GAP_PX;
    element.style.left = `${left}px`;
    element.style.top = `${above < GAP_PX ? box.top + y + step + GAP_PX : above}px`;
  });
  return (
    <div ref={tip} className="tip heat-tip" aria-hidden="true">
      <b>{row.name}</b> <span className="k">{row.pool}</span>
      <br />
      {LOOK_WORDS[lookOf(row)]}: {row.summary}
      <dl>
        <dt className="k">Waiting</dt>
        <dd>{"value" in row.waiting ? plural(row.waiting.value, "pod") : row.waiting.words}</dd>
        <dt className="k">RunPodSandbox p95</dt>
        <dd>{"low" in row.p95 ? formatSecondsRange(row.p95.low, row.p95.high) : row.p95.words}</dd>
        <dt className="k">Throttled</dt>
        <dd>{"value" in row.throttled ? formatShare(row.throttled.value) : row.throttled.words}</dd>
        <dt className="k">Dead sandboxes</dt>
        <dd>{"value" in row.dead ? formatCount(row.dead.value) : row.dead.words}</dd>
      </dl>
    </div>
  );
}
