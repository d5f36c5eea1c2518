import type { Fault } from "./fault";

/** A clean-up job takes away network namespaces that it does not know, those of sandboxes under way among them. */
export const namespacesSwept: Fault = {
  what: "A clean-up job removes network namespaces of sandboxes that are being made.",
  break: ({ node }) => {
    node.runtime.losesNamespaces = true;
  },
  mend: ({ node }) => {
    node.runtime.losesNamespaces = false;
  },
};
