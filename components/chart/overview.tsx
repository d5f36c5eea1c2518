"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo, useRef, useState, type KeyboardEvent, type PointerEvent } from "react";
import { useServerClock } from "@/components/live/live-provider";
import { QUERY_KEYS } from "@/components/live/queries";
import { useZone } from "@/components/shell/prefs-provider";
import { formatDuration, formatInstant } from "@/components/format/time";
import { GapBoxes } from "./gap-boxes";
import { mergeGaps } from "./geometry/gaps";
import { gridOf, holesOf, toGrid } from "./geometry/grid";
import { linePaths } from "./geometry/line-path";
import { MIN_LENGTH_MS, overviewOf, type Range, type Window } from "./geometry/range";
import { shareOf } from "./geometry/scale";
import { highest } from "./panels/source";
import { readTimeline } from "./use-timeline";

const POINTS = 240;
const REFRESH_MS = 60_000;
/** One press of an arrow key moves an edge by this share of the overview. */
const KEY_STEP_SHARE = 0.02;

type Edge = "from" | "to" | "both";

/** The hours around the range, and the range as a brush on them. */
export function Overview({ name, range, window: shown, nowMs, onRange }: { readonly name: string; readonly range: Range; readonly window: Window; readonly nowMs: number; readonly onRange: (range: Range) => void }) {
  const clock = useServerClock();
  const zone = useZone();
  const plot = useRef<HTMLDivElement>(null);
  const around = useMemo(() => overviewOf(range, nowMs), [range, nowMs]);
  const lengthMs = around.toMs - around.fromMs;
  const live = around.toMs === nowMs;
  const { data } = useQuery({
    queryKey: QUERY_KEYS.timeline(name, live ? `overview ${lengthMs}` : `overview ${around.fromMs} ${around.toMs}`, POINTS),
    queryFn: ({ signal }) => {
      const now = clock.now();
      return readTimeline(name, live ? { fromMs: now - lengthMs, toMs: now } : around, signal, ["pods.waiting"], POINTS);
    },
    placeholderData: keepPreviousData,
    ...(live ? { refetchInterval: REFRESH_MS } : {}),
  });
  const drawing = useMemo(() => {
    if (data === undefined) return undefined;
    const window: Window = { fromMs: Date.parse(data.from), toMs: Date.parse(data.to) };
    const grid = gridOf(window, POINTS, data.stepSeconds);
    const waiting = toGrid(data.series[0], grid);
    const told = data.gaps.filter((gap) => gap.source === "api").map((gap) => ({ fromMs: Date.parse(gap.from), toMs: Date.parse(gap.to), reason: gap.reason }));
    return { window, paths: linePaths(waiting, grid, window, Math.max(4, highest(waiting.max) ?? 0)), gaps: mergeGaps(told, holesOf(waiting, grid), window) };
  }, [data]);

  const [draft, setDraft] = useState<Window>();
  const selected = draft ?? shown;
  const drag = useRef<{ readonly edge: Edge; readonly x: number; readonly start: Window }>(undefined);
  const moved = (edge: Edge, start: Window, byMs: number): Window => {
    const from = edge === "to" ? start.fromMs : Math.min(start.fromMs + byMs, edge === "both" ? around.toMs - (start.toMs - start.fromMs) : start.toMs - MIN_LENGTH_MS);
    const fromMs = Math.max(around.fromMs, from);
    const toMs = edge === "both" ? fromMs + (start.toMs - start.fromMs) : edge === "to" ? Math.min(around.toMs, Math.max(start.toMs + byMs, start.fromMs + MIN_LENGTH_MS)) : start.toMs;
    return { fromMs: Math.round(fromMs), toMs: Math.round(toMs) };
  };
  const settle = (next: Window): void => onRange(next.toMs >= around.toMs && live ? { kind: "live", lengthMs: Math.round((next.toMs - next.fromMs) / 60_000) * 60_000 || MIN_LENGTH_MS } : { kind: "fixed", ...next });
  const onPointerDown = (event: PointerEvent<HTMLDivElement>): void => {
    const edge = (event.target as HTMLElement).dataset["edge"] as Edge | undefined; // set on the brush's own parts only
    if (edge === undefined) return;
    event.preventDefault();
    event.currentTarget.setPointerCapture(event.pointerId);
    drag.current = { edge, x: event.clientX, start: shown };
  };
  const onPointerMove = (event: PointerEvent<HTMLDivElement>): void => {
    const held = drag.current;
    const width = plot.current?.clientWidth ?? 0;
    if (held === undefined || width === 0) return;
    setDraft(moved(held.edge, held.start, ((event.clientX - held.x) / width) * lengthMs));
  };
  const onPointerUp = (): void => {
    if (drag.current !== undefined && draft !== undefined) settle(draft);
    drag.current = undefined;
    setDraft(undefined);
  };
  const onKeyDown = (edge: Edge) => (event: KeyboardEvent) => {
    const direction = event.key === "ArrowLeft" ? -1 : event.key === "ArrowRight" ? 1 : 0;
    if (direction === 0) return;
    event.preventDefault();
    event.stopPropagation();
    settle(moved(edge, shown, direction * lengthMs * KEY_STEP_SHARE));
  };
  const left = Math.max(0, shareOf(selected.fromMs, around));
  const right = Math.min(1, shareOf(selected.toMs, around));
  const handle = (edge: "from" | "to", at: number, label: string) => (
    <div
      className={`handle ${edge}`}
      data-edge={edge}
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={Math.round(around.fromMs / 1_000)}
      aria-valuemax={Math.round(around.toMs / 1_000)}
      aria-valuenow={Math.round(at / 1_000)}
      aria-valuetext={formatInstant(at, zone)}
      onKeyDown={onKeyDown(edge)}
    />
  );
  return (
    <div className="wb-row brush">
      <div className="wb-g small muted">
        {live ? "Last" : "Around it,"} {formatDuration(lengthMs / 1_000)}
        <br />
        <span className="micro faint">pods waiting</span>
      </div>
      <div className="wb-y" />
      <div className="wb-p" ref={plot} onPointerDown={onPointerDown} onPointerMove={onPointerMove} onPointerUp={onPointerUp} onPointerCancel={onPointerUp}>
        {drawing === undefined ? null : (
          <>
            <svg className="ln" viewBox="0 0 1000 100" preserveAspectRatio="none" aria-hidden="true">
              {drawing.paths.areas.map((area) => (
                <path key={area} className="area" d={area} style={{ "--af": "var(--s-waiting)" }} />
              ))}
              {drawing.paths.lines.map((line) => (
                <path key={line} d={line} stroke="var(--s-waiting)" style={{ strokeWidth: 1.25 }} />
              ))}
            </svg>
            <GapBoxes gaps={drawing.gaps} window={drawing.window} labelled={false} />
          </>
        )}
        <div className="sel" style={{ left: `${left * 100}%`, right: `${(1 - right) * 100}%` }} data-edge="both">
          {handle("from", selected.fromMs, "Start of the range")}
          {handle("to", selected.toMs, "End of the range")}
        </div>
      </div>
    </div>
  );
}
