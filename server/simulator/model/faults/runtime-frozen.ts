import type { Fault } from "./fault";

/** The runtime's process waits for a disk that does not answer. */
export const runtimeFrozen: Fault = {
  what: "The container runtime stands still.",
  break: ({ node }) => node.freezeRuntime(true),
  mend: ({ node }) => node.freezeRuntime(false),
};
