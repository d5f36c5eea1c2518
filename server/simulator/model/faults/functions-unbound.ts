import type { Fault } from "./fault";

/** The card's driver is loaded anew, and its functions are gone until somebody makes them again. */
export const functionsUnbound: Fault = {
  what: "The functions of the node's network card lose their driver.",
  break: ({ node }) => {
    for (const one of node.host.functions) one.bound = false;
  },
  mend: ({ node }) => {
    for (const one of node.host.functions) one.bound = true;
  },
};
