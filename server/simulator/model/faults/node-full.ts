import type { Fault } from "./fault";

/** Wanted, in cores for each that there is. */
const WANTED = 4;
/** What the others have asked for of the node's CPU. */
const REQUESTED_SHARE = 0.95;

/** Batch work takes all of the node's CPU; by its requests it may. */
export const nodeFull: Fault = {
  what: "Other pods want four times the CPU that the node has.",
  break: ({ node }) => node.daemon.setOtherLoad({ wantsCores: WANTED * node.parameters.cores, requestCores: REQUESTED_SHARE * node.parameters.cores }),
  mend: ({ node }) => node.daemon.setOtherLoad({ wantsCores: 0, requestCores: 0 }),
};
