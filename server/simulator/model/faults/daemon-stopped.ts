import type { Fault } from "./fault";

/** A debugger, a lock that is never given back: the process is there and does nothing. */
export const daemonStopped: Fault = {
  what: "The daemon's process is stopped and answers nobody.",
  break: ({ node }) => node.daemon.signal(true),
  mend: ({ node }) => {
    node.daemon.signal(false);
    node.cni.daemonReady();
  },
};
