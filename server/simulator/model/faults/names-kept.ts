import type { Fault } from "./fault";

/** A failed sandbox is cleaned up, and the runtime forgets to give its name free. */
export const namesKept: Fault = {
  what: "The runtime keeps the names of sandboxes that failed.",
  break: ({ node }) => {
    node.runtime.keepsNames = true;
  },
  mend: ({ node }) => {
    node.runtime.keepsNames = false;
    node.runtime.freeNames();
  },
};
