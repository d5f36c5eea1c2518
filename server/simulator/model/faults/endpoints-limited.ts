import type { Fault } from "./fault";

/** The delegate's agent has a limit of its own for new endpoints, and turns away what comes beyond it. */
export const endpointsLimited: Fault = {
  what: "The agent behind the daemon makes one endpoint a minute and answers everything else with 429.",
  break: ({ node }) => {
    node.host.endpointsPerMinute = 1;
  },
  mend: ({ node }) => {
    node.host.endpointsPerMinute = undefined;
  },
};
