import pino from "pino";

/**
 * JSON lines on standard error, one record a line whatever the text holds: pino escapes control characters, and text
 * from the cluster is only ever a value. Standard output is left to what a person reads.
 */
export type Log = pino.Logger;

/** Where the web process writes its records: the collector's standard error. Its own takes what Next prints, which the collector makes records of. */
export const WEB_LOG_FD = 4;

export function createLog(level: string, name: string, fd = 2): Log {
  return pino(
    {
      name,
      level,
      redact: { paths: ["token", "*.token", "authorization", "*.authorization", "headers", "*.headers"], censor: "[removed]" },
      base: { name },
    },
    pino.destination({ dest: fd, sync: true }),
  );
}
