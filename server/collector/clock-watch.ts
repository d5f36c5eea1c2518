import type { Clock } from "../clock";
import { durationWords } from "../domain/words";
import type { Log } from "../log";
import type { Connection } from "../sources/kube-api/connect";

/** Clocks of machines that keep time by NTP differ by less; from here on a pod looks stuck too early, or too late. */
export const CLOCKS_DIFFER_MS = 15_000;
/** A Date header has whole seconds. */
const HEADER_STEP_MS = 1_000;

/**
 * How far this machine's clock is ahead of an answer's Date header, in ms, and behind where it is negative; 0 where the header lies between asking and
 * answer, however long that took. `undefined` without a date.
 */
export function aheadMs(date: string | readonly string[] | undefined, askedMs: number, answeredMs: number): number | undefined {
  const dateMs = typeof date === "string" ? Date.parse(date) : Number.NaN;
  if (Number.isNaN(dateMs)) return undefined;
  if (dateMs > answeredMs) return answeredMs - dateMs;
  return Math.max(0, askedMs - (dateMs + HEADER_STEP_MS));
}

/**
 * The same connection, with a warning in the log while this machine's clock and the API server's differ: how long pods wait is the difference of
 * one to times by the other, so that answers are wrong by as much and nothing else would tell. A simulated cluster has a time of its own.
 */
export function watchClock(connection: Connection, clock: Clock, log: Log): Connection {
  if (clock.rate !== 1) return connection;
  let differs = false;
  const look = (ms: number): void => {
    const now = Math.abs(ms) > CLOCKS_DIFFER_MS;
    if (now === differs) return;
    differs = now;
    if (now) log.warn({ aheadSeconds: Math.round(ms / 1_000) }, `this machine's clock is ${durationWords(Math.abs(ms) / 1_000)} ${ms > 0 ? "ahead of" : "behind"} the API server's: how long pods wait is wrong by as much; let both keep time by NTP`);
    else log.info("this machine's clock and the API server's agree again");
  };
  return {
    ...connection,
    send: async (request) => {
      const askedMs = clock.now();
      const answer = await connection.send(request);
      const ms = aheadMs(answer.headers.date, askedMs, clock.now());
      if (ms !== undefined) look(ms);
      return answer;
    },
  };
}
