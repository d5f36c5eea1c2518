import type { Fault } from "./fault";

/** Somebody takes a plugin's program out of the bin dir. */
export const programRemoved = (type: string): Fault => ({
  what: `The program of plugin ${type} is removed from the bin dir.`,
  break: ({ node }) => void node.files.bin.delete(type),
  mend: ({ node }) => node.files.putProgram(type, node.engine.nowMs),
});
