"use client";

import { useEffect, useMemo, useRef, useState, type KeyboardEvent, type PointerEvent } from "react";
import type { NodeDetail, Timeline } from "@/server/contract/schemas";
import { ExportLinks } from "@/components/action/export-links";
import { CopyLink } from "@/components/ui/copy-link";
import { useShortcuts } from "@/components/ui/shortcuts";
import { useWidth } from "@/components/ui/use-width";
import { useZone } from "@/components/shell/prefs-provider";
import { formatInstant } from "@/components/format/time";
import { AxisRow, CursorClock } from "./axis-row";
import { ChartRow } from "./chart-row";
import { createCursor, CursorContext, useCursorMs } from "./cursor";
import { shareOf } from "./geometry/scale";
import { stepRange, zoomTo, type Window } from "./geometry/range";
import { AnswerLane, EventsLane, MarksLane, StripRow } from "./lanes";
import { Overview } from "./overview";
import { RangePicker } from "./range-picker";
import { buildTimeline } from "./panels/build";
import type { RangeControl } from "./use-range";
import { queryOf } from "./use-range";

/** A drag shorter than this is a click. */
const DRAG_PX = 6;
/** Arrow keys move the cursor by this share of the range, and five times as far with Shift. */
const KEY_SHARE = 1 / 120;

interface WorkbenchProps {
  readonly name: string;
  readonly detail: NodeDetail;
  readonly timeline: Timeline | undefined;
  readonly window: Window;
  readonly loading: boolean;
  readonly control: RangeControl;
}

/** All that happened on a node on one time axis: every lane and chart shares its edges, its range and its cursor. */
export function Workbench({ name, detail, timeline, window: shown, loading, control }: WorkbenchProps) {
  const { range, setRange, back } = control;
  const bench = useRef<HTMLElement>(null);
  const ruler = useRef<HTMLDivElement>(null);
  const width = useWidth(ruler) ?? 0;
  const [cursor] = useState(createCursor);
  const [selection, setSelection] = useState<{ readonly from: number; readonly to: number }>();
  const drag = useRef<{ readonly x: number; readonly share: number }>(undefined);
  const live = range.kind === "live";
  const drawing = useMemo(() => (timeline === undefined ? undefined : buildTimeline(timeline, detail, shown)), [timeline, detail, shown]);

  const shareAt = (clientX: number): number | undefined => {
    const box = ruler.current?.getBoundingClientRect();
    return box === undefined || box.width === 0 ? undefined : (clientX - box.left) / box.width;
  };
  const clamp = (share: number): number => Math.min(1, Math.max(0, share));
  const pointAt = (share: number): void => cursor.set(Math.round(shown.fromMs + clamp(share) * (shown.toMs - shown.fromMs)));
  const onPointerMove = (event: PointerEvent): void => {
    const share = shareAt(event.clientX);
    if (share === undefined) return;
    if (share >= -0.005 && share <= 1.005) pointAt(share);
    const held = drag.current;
    if (held !== undefined && Math.abs(event.clientX - held.x) >= DRAG_PX) setSelection({ from: held.share, to: clamp(share) });
  };
  const onPointerDown = (event: PointerEvent<HTMLElement>): void => {
    const share = shareAt(event.clientX);
    const onPlot = (event.target as HTMLElement).closest(".wb-p") !== null && (event.target as HTMLElement).closest(".brush") === null;
    if (event.button !== 0 || share === undefined || !onPlot) return;
    drag.current = { x: event.clientX, share: clamp(share) };
    event.currentTarget.setPointerCapture(event.pointerId);
  };
  const endDrag = (zoom: boolean): void => {
    if (zoom && selection !== undefined) setRange(zoomTo(shown, selection.from, selection.to, shown.toMs));
    drag.current = undefined;
    setSelection(undefined);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const direction = event.key === "ArrowLeft" ? -1 : event.key === "ArrowRight" ? 1 : 0;
    if (direction === 0) return;
    event.preventDefault();
    const at = cursor.get() ?? shown.toMs;
    pointAt(shareOf(at, shown) + direction * KEY_SHARE * (event.shiftKey ? 5 : 1));
  };
  useShortcuts({
    "[": () => setRange(stepRange(range, -1)),
    "]": () => setRange(stepRange(range, 1)),
    p: () => setRange(live ? { kind: "fixed", ...rounded(shown) } : { kind: "live", lengthMs: nearestMinute(shown) }),
    Escape: () => (selection === undefined ? back() : endDrag(false)),
  });
  return (
    <CursorContext value={cursor}>
      <section className="wb" id="timeline" ref={bench} aria-labelledby="wb-h" aria-busy={loading} onPointerMove={onPointerMove} onPointerLeave={() => cursor.set(undefined)} onPointerDown={onPointerDown} onPointerUp={() => endDrag(true)} onPointerCancel={() => endDrag(false)}>
        <div className="wb-tools" onPointerMove={(event) => event.stopPropagation()}>
          <h2 className="h2" id="wb-h">
            Timeline
          </h2>
          <RangePicker range={range} window={shown} nowMs={live ? shown.toMs : Date.parse(timeline?.to ?? new Date(shown.toMs).toISOString())} onRange={setRange} />
          {live ? null : (
            <button type="button" className="btn btn-sm" onClick={() => setRange({ kind: "live", lengthMs: nearestMinute(shown) })}>
              Follow now
            </button>
          )}
          <span className="spacer" />
          <span className="small muted hide-1280">
            Drag to zoom<span className="faint"> · </span>
            <kbd>Esc</kbd> back
          </span>
          <ExportLinks node={name} window={shown} />
          <CopyLink label="Copy link" address={() => `${window.location.origin}${window.location.pathname}${queryOf({ kind: "fixed", ...rounded(shown) })}`} />
        </div>
        <div className="wb-rows">
          <Overview name={name} range={range} window={shown} nowMs={live ? shown.toMs : nowOf(detail, shown)} onRange={setRange} />
          <AxisRow window={shown} width={width} live={live} />
          {drawing === undefined ? (
            <WorkbenchSkeleton />
          ) : (
            <>
              <AnswerLane answers={drawing.answers} window={shown} />
              <EventsLane events={drawing.events} window={shown} truncated={drawing.eventsTruncated} />
              <MarksLane marks={drawing.marks} window={shown} width={width} />
              {drawing.panels.map((panel) => (
                <ChartRow key={panel.id} panel={panel} grid={drawing.grid} window={shown} width={width} />
              ))}
              {drawing.strips.map((lane) => (
                <StripRow key={lane.id} lane={lane} window={shown} />
              ))}
            </>
          )}
          <div className="wb-over">
            <div className="wb-ruler" ref={ruler}>
              {selection === undefined ? null : <div className="wb-sel" style={{ left: `${Math.min(selection.from, selection.to) * 100}%`, width: `${Math.abs(selection.to - selection.from) * 100}%` }} />}
              <CursorLine window={shown} onKeyDown={onKeyDown} />
            </div>
          </div>
        </div>
      </section>
    </CursorContext>
  );
}

function CursorLine({ window: shown, onKeyDown }: { readonly window: Window; readonly onKeyDown: (event: KeyboardEvent) => void }) {
  const at = useCursorMs();
  const zone = useZone();
  const line = useRef<HTMLDivElement>(null);
  const value = at ?? shown.toMs;
  const share = Math.min(1, Math.max(0, shareOf(value, shown)));
  useEffect(() => {
    line.current?.style.setProperty("left", `${share * 100}%`);
  }, [share]);
  return (
    <div
      ref={line}
      className={at === undefined ? "wb-cur is-idle" : "wb-cur"}
      role="slider"
      tabIndex={0}
      aria-label="Cursor of the timeline"
      aria-valuemin={Math.round(shown.fromMs / 1_000)}
      aria-valuemax={Math.round(shown.toMs / 1_000)}
      aria-valuenow={Math.round(value / 1_000)}
      aria-valuetext={formatInstant(value, zone)}
      onKeyDown={onKeyDown}
    >
      <b>
        <CursorClock />
      </b>
    </div>
  );
}

/** Rows of the height that the timeline will have. */
function WorkbenchSkeleton() {
  return (
    <div className="wb-skeleton" role="status">
      <span className="sr">Reading the timeline</span>
      {[25, 25, 25, 122, 122, 92, 92].map((height, index) => (
        <div key={index} className="wb-row">
          <div className="wb-g" />
          <div className="wb-y" />
          <div className="wb-p" style={{ height }}>
            <span className="sk" style={{ height: height > 25 ? height * 0.5 : 12 }} />
          </div>
        </div>
      ))}
    </div>
  );
}

const rounded = (shown: Window): Window => ({ fromMs: Math.round(shown.fromMs / 1_000) * 1_000, toMs: Math.round(shown.toMs / 1_000) * 1_000 });
const nearestMinute = (shown: Window): number => Math.max(1, Math.round((shown.toMs - shown.fromMs) / 60_000)) * 60_000;

/** The newest instant that the node's data tells of; a fixed range may lie long before it. */
function nowOf(detail: NodeDetail, shown: Window): number {
  return detail.sources.reduce((newest, source) => Math.max(newest, source.last === undefined ? 0 : Date.parse(source.last)), shown.toMs);
}
