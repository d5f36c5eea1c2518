import type { Fault } from "./fault";

/** The file system of the bin dir is mounted anew, and nothing on it may be executed. */
export const binDirNoexec: Fault = {
  what: "Programs of the bin dir may not be executed.",
  break: ({ node }) => {
    node.host.mayExecute = false;
  },
  mend: ({ node }) => {
    node.host.mayExecute = true;
  },
};
