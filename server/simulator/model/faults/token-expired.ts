import type { Fault } from "./fault";

/** The token in the daemon's kubeconfig has run out. */
export const tokenExpired: Fault = {
  what: "The daemon's token has expired.",
  break: ({ node }) => {
    node.api.tokenValid = false;
  },
  mend: ({ node }) => {
    node.api.tokenValid = true;
  },
};
