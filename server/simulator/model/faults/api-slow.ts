import type { Fault } from "./fault";

/** One question in as many seconds. */
const SECONDS_EACH = 33;

/** The API server puts this daemon's questions off: a flow control that counts it among the least. */
export const apiSlow: Fault = {
  what: "The API server takes the daemon's questions one by one, each after a long wait.",
  break: ({ node }) => {
    node.api.takesPerSecond = 1 / SECONDS_EACH;
  },
  mend: ({ node }) => {
    node.api.takesPerSecond = undefined;
  },
};
