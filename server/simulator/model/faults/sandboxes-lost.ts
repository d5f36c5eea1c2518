import type { Fault } from "./fault";

/** The runtime's data is wiped and the runtime restarted: nobody gives the addresses of its sandboxes back. */
export const sandboxesLost: Fault = {
  what: "The runtime's data is wiped: all sandboxes are gone, and their addresses stay leased.",
  break: ({ node }) => node.loseSandboxes(),
  mend: ({ node }) => {
    for (const pool of node.files.pools.values()) for (const holder of [...pool.leases.values()]) if (!node.runtime.sandboxes.has(holder) && !node.runtime.netns.has(holder)) pool.giveBack(holder);
  },
};
