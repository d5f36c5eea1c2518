import { SOCKET_STATES } from "@/server/domain/socket-states";
import { formatSeconds } from "@/components/format/numbers";
import { newest, toGrid } from "../geometry/grid";
import { runsOf } from "../geometry/strips";
import type { TimelineSource } from "./source";
import type { StripLane } from "./types";

const TONES = { answers: "ok", silent: "warn", refuses: "bad", absent: "bad" } as const;
const ABSENT = SOCKET_STATES.indexOf("absent");

/**
 * One lane for each socket that was there at some time in the range, worst moment of each column. Sockets of CNIs that
 * the node does not run are absent throughout and are left to the table.
 */
export function socketLanes(source: TimelineSource): readonly StripLane[] {
  const effective = new Set(source.detail.sockets.filter((socket) => socket.effective).map((socket) => socket.path));
  return source
    .all("socket.state")
    .filter((series) => effective.has(series.instance) || series.min.some((code) => code < ABSENT))
    .map((series) => {
      const grid = toGrid(series, source.grid);
      const latency = source.all("socket.latency").find((other) => other.instance === series.instance);
      const answersIn = latency === undefined ? undefined : newest(toGrid(latency, source.grid).last);
      const runs = runsOf(grid, source.grid, source.window);
      return {
        id: series.instance,
        title: series.instance.slice(series.instance.lastIndexOf("/") + 1),
        subtitle: source.detail.sockets.find((socket) => socket.path === series.instance)?.name ?? "",
        runs: runs.map((run, index) => {
          const state = run.value === undefined ? undefined : SOCKET_STATES[Math.round(run.value)];
          if (state === undefined) return { fromMs: run.fromMs, toMs: run.toMs, tone: "gap" as const, words: "no data" };
          const words = state === "answers" && index === runs.length - 1 && answersIn !== undefined ? `answers, ${formatSeconds(answersIn)}` : state;
          return { fromMs: run.fromMs, toMs: run.toMs, tone: TONES[state], words };
        }),
      };
    });
}
