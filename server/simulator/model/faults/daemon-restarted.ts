import { NOTHING_TO_MEND, type Fault } from "./fault";

/** The daemon's process ends once and is started again: with a new folder and a new socket. */
export const daemonRestarted: Fault = {
  what: "The daemon's container restarts, once.",
  break: ({ node }) => node.daemonPod?.crash({ reason: "Error", exitCode: 1 }),
  mend: NOTHING_TO_MEND,
};
