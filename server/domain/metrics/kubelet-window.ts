import { createContainersState, type ContainersState } from "./containers";
import { createOperationsState, type OperationsState } from "./operations";

/** What is kept of one node's kubelet pages between two readings. */
export interface KubeletWindow {
  readonly operations: OperationsState;
  readonly containers: ContainersState;
}

/** The window of a node of which nothing was read yet. Advance its halves with `advanceOperations` and `advanceContainers`. */
export const createKubeletWindow = (): KubeletWindow => ({ operations: createOperationsState(), containers: createContainersState() });
