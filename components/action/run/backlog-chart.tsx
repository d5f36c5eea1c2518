"use client";

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { ActionRunOut, Timeline } from "@/server/contract/schemas";
import { GapBoxes } from "@/components/chart/gap-boxes";
import { LABEL_FROM_SHARE } from "@/components/chart/geometry/gaps";
import { shareFromTop, shareOf } from "@/components/chart/geometry/scale";
import { timeTicks, zoneOffsetMs } from "@/components/chart/geometry/time-ticks";
import { formatCount } from "@/components/format/numbers";
import { formatClock } from "@/components/format/time";
import { fetchJson } from "@/components/live/fetch-json";
import { useNow } from "@/components/live/live-provider";
import { useZone } from "@/components/shell/prefs-provider";
import { isSettled } from "../run-state";
import { Block } from "../sheet/plan-view";
import { chartWindow, drawRun, pinsOf } from "./run-chart";

const EVERY_MS = 5_000;
const COARSE_MS = 5_000;
const SIGNALS = "pods.waiting,sandbox.backlog";
const MOST_TICKS = 5;

/** What waits and what died, from before the run until its last check: the picture that a verdict puts into words. */
export function BacklogChart({ run }: { readonly run: ActionRunOut }) {
  const now = useNow(COARSE_MS);
  const zone = useZone();
  const window = chartWindow(run, now);
  const settled = isSettled(run);
  const { data, error } = useQuery({
    queryKey: ["actions", "chart", run.requestId, settled],
    queryFn: ({ signal }) => {
      const query = new URLSearchParams({ from: new Date(window.fromMs).toISOString(), to: new Date(Math.min(now, window.toMs)).toISOString(), signals: SIGNALS, points: "240" });
      return fetchJson<Timeline>(`/api/v1/nodes/${encodeURIComponent(run.node)}/timeline?${query.toString()}`, signal);
    },
    refetchInterval: settled ? false : EVERY_MS,
  });
  const { fromMs, toMs } = window;
  const drawing = useMemo(() => (data === undefined ? undefined : drawRun(data, { fromMs, toMs })), [data, fromMs, toMs]);
  const passed = shareOf(Math.min(now, toMs), window);
  return (
    <Block
      id="chart-h"
      title="Backlog"
      aside={
        drawing === undefined ? undefined : (
          <span className="rc-keys">
            <span className="rc-key waiting">{words(drawing.waiting.now)} waiting</span>
            <span className="rc-key dead">{words(drawing.dead.now)} dead</span>
          </span>
        )
      }
    >
      {error === null ? null : <p className="line warn-t">It could not be read. {error.message}</p>}
      <div className="rc">
        <div className="rc-plot">
          {(drawing?.scale.ticks ?? []).map((tick) => (
            <div key={tick} className="rc-grid" style={{ top: `${shareFromTop(tick, drawing?.scale ?? { max: 1, ticks: [] }) * 100}%` }}>
              <span>{formatCount(tick)}</span>
            </div>
          ))}
          {drawing === undefined ? null : (
            <>
              <svg viewBox="0 0 1000 100" preserveAspectRatio="none" role="img" aria-label={`Waiting pods and dead sandboxes; now ${words(drawing.waiting.now)} waiting, ${words(drawing.dead.now)} dead`}>
                {drawing.waiting.areas.map((path) => <path key={path} className="rc-area" d={path} />)}
                {drawing.waiting.lines.map((path) => <path key={path} className="rc-line waiting" d={path} />)}
                {drawing.dead.lines.map((path) => <path key={path} className="rc-line dead" d={path} />)}
              </svg>
              <GapBoxes gaps={drawing.gaps} window={window} labelled />
            </>
          )}
          {passed < 1 ? (
            <div className="rc-ahead" style={{ left: `${passed * 100}%` }}>
              {passed < 1 - LABEL_FROM_SHARE ? <span>not yet</span> : null}
            </div>
          ) : null}
          {pinsOf(run, window).map((pin) => (
            <div key={pin.label} className={`rc-pin${pin.done ? "" : " hollow"}${pin.label === "run" ? " before" : ""}`} style={{ left: `${pin.share * 100}%` }}>
              <b>{pin.label}</b>
            </div>
          ))}
        </div>
        <div className="rc-x" aria-hidden="true">
          {timeTicks(window, MOST_TICKS, zoneOffsetMs(fromMs, zone)).ticks.map((tick) => (
            <span key={tick} style={{ left: `${shareOf(tick, window) * 100}%` }}>
              {formatClock(tick, zone, "minute")}
            </span>
          ))}
        </div>
      </div>
    </Block>
  );
}

const words = (value: number | undefined): string => (value === undefined ? "no data" : formatCount(value));
