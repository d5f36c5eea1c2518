import type { Fault } from "./fault";

/** The wrong release of the plugins is unpacked: a program for another architecture. */
export const programOfOtherArchitecture = (type: string): Fault => ({
  what: `The program of plugin ${type} is replaced by one for another architecture.`,
  break: ({ node }) => node.files.putProgram(type, node.engine.nowMs, { architecture: "arm64" }),
  mend: ({ node }) => node.files.putProgram(type, node.engine.nowMs),
});
