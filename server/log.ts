import pino from "pino";

/**
 * JSON lines on standard error, one record a line whatever the text holds: pino escapes control characters, and text
 * from the cluster is only ever a value. Standard output is left to what a person reads.
 */
export type Log = pino.Logger;

export function createLog(level: string, name: string): Log {
  return pino(
    {
      name,
      level,
      redact: { paths: ["token", "*.token", "authorization", "*.authorization", "headers", "*.headers"], censor: "[removed]" },
      base: { name },
    },
    pino.destination({ dest: 2, sync: true }),
  );
}
