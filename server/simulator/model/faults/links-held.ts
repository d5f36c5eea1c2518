import type { Fault } from "./fault";

/** The kernel counts a use of a device that is none, and lets no device of a namespace go. */
export const linksHeld: Fault = {
  what: "The kernel does not let devices of pods go.",
  break: ({ node }) => {
    node.host.holdsLinks = true;
  },
  mend: ({ node }) => {
    node.host.holdsLinks = false;
  },
};
