import type { NodeDetail, Timeline } from "@/server/contract/schemas";
import type { LaneEvent } from "../geometry/events";
import { marksOf, type Mark } from "../geometry/marks";
import type { Grid } from "../geometry/grid";
import type { Window } from "../geometry/range";
import { TIMELINE_POINTS } from "../timeline-data";
import { backlogPanel } from "./backlog";
import { daemonContainers, daemonPanels } from "./daemon";
import { latencyPanel } from "./latency";
import { timelineSource } from "./source";
import { socketLanes } from "./strips";
import type { ChartPanel, StripLane } from "./types";

/** Daemons with charts of their own; a node runs one or two, and a third tells as much as a tenth. */
export const MAX_DAEMONS_DRAWN = 3;

export interface TimelineDrawing {
  readonly grid: Grid;
  readonly answers: Timeline["answers"];
  readonly events: readonly LaneEvent[];
  readonly eventsTruncated: boolean;
  readonly marks: readonly Mark[];
  readonly panels: readonly ChartPanel[];
  readonly strips: readonly StripLane[];
}

/** Everything that the workbench draws, effects above causes. Pure. */
export function buildTimeline(timeline: Timeline, detail: NodeDetail, window: Window): TimelineDrawing {
  const source = timelineSource(timeline, detail, window, TIMELINE_POINTS);
  const containers = daemonContainers(source).slice(0, MAX_DAEMONS_DRAWN);
  const events = timeline.events.map((event): LaneEvent => ({ ...event, atMs: Date.parse(event.at) }));
  return {
    grid: source.grid,
    answers: timeline.answers,
    events,
    eventsTruncated: timeline.eventsTruncated,
    marks: marksOf({
      oomKills: detail.daemons.flatMap((daemon) => daemon.oomKills.map((at) => ({ atMs: Date.parse(at), container: daemon.container, pod: daemon.pod }))),
      restarts: source.all("daemon.restarts").map((series) => ({ pod: series.instance, series })),
      events,
    }),
    panels: [backlogPanel(source), latencyPanel(source), ...containers.flatMap((container) => daemonPanels(source, container))],
    strips: socketLanes(source),
  };
}
