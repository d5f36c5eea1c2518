/** What `/proc/PID/stat` says, as far as it is used. */
export interface ProcessStat {
  /** R, S, D, T, Z … */
  readonly state: string;
  /** From the machine's start to the process's. */
  readonly startedSeconds: number;
}

/** USER_HZ: the kernel tells times in hundredths of a second to every program, whatever its own clock. */
const TICKS_PER_SECOND = 100;
/** Behind the name: the state is the first field, the start the 20th. */
const START_FIELD = 19;

/** The name stands in brackets and may hold brackets and spaces itself, so the last one ends it. Undefined where the text is none. */
export function parseStat(text: string): ProcessStat | undefined {
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const state = fields[0];
  const ticks = Number(fields[START_FIELD]);
  if (state === undefined || !/^[A-Za-z]$/.test(state) || !Number.isFinite(ticks) || ticks < 0) return undefined;
  return { state, startedSeconds: ticks / TICKS_PER_SECOND };
}

/** When the machine was started, by the clock of `nowMs`; undefined where the text of `/proc/uptime` is none. */
export function bootMs(uptime: string, nowMs: number): number | undefined {
  const seconds = Number(uptime.split(" ")[0]);
  return Number.isFinite(seconds) && seconds > 0 ? nowMs - seconds * 1_000 : undefined;
}
