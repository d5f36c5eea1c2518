"use client";

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { ActionRunOut, Timeline } from "@/server/contract/schemas";
import { BACKLOG_POINTS, BACKLOG_SIGNALS, drawBacklog } from "@/components/chart/backlog/drawing";
import { BacklogFrame, BacklogKeys } from "@/components/chart/backlog/frame";
import { LABEL_FROM_SHARE } from "@/components/chart/geometry/gaps";
import { shareOf } from "@/components/chart/geometry/scale";
import { fetchJson } from "@/components/live/fetch-json";
import { useNow } from "@/components/live/live-provider";
import { isSettled } from "../run-state";
import { Block } from "../sheet/plan-view";
import { chartWindow, pinsOf } from "./run-chart";

const EVERY_MS = 5_000;
const COARSE_MS = 5_000;
const MOST_TICKS = 5;

/** What waits and what died, from before the run until its last check: the picture that a verdict puts into words. */
export function BacklogChart({ run }: { readonly run: ActionRunOut }) {
  const now = useNow(COARSE_MS);
  const window = chartWindow(run, now);
  const settled = isSettled(run);
  const { data, error } = useQuery({
    queryKey: ["actions", "chart", run.requestId, settled],
    queryFn: ({ signal }) => {
      const query = new URLSearchParams({ from: new Date(window.fromMs).toISOString(), to: new Date(Math.min(now, window.toMs)).toISOString(), signals: BACKLOG_SIGNALS, points: String(BACKLOG_POINTS) });
      return fetchJson<Timeline>(`/api/v1/nodes/${encodeURIComponent(run.node)}/timeline?${query.toString()}`, signal);
    },
    refetchInterval: settled ? false : EVERY_MS,
  });
  const { fromMs, toMs } = window;
  const drawing = useMemo(() => (data === undefined ? undefined : drawBacklog(data, { fromMs, toMs })), [data, fromMs, toMs]);
  const passed = shareOf(Math.min(now, toMs), window);
  return (
    <Block
      id="chart-h"
      title="Backlog"
      aside={drawing === undefined ? undefined : <BacklogKeys drawing={drawing} />}
    >
      {error === null ? null : <p className="line warn-t">It could not be read. {error.message}</p>}
      <BacklogFrame drawing={drawing} window={window} lastly="now" mostTicks={MOST_TICKS}>
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
      </BacklogFrame>
    </Block>
  );
}
