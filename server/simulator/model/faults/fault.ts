import type { ClusterModel } from "../cluster";
import type { NodeModel } from "../node";

/** The cluster and the node that a fault befalls. */
export interface World {
  readonly model: ClusterModel;
  readonly node: NodeModel;
}

/**
 * One thing that goes wrong: a change of what a node is made of, never a text or a reading. What is said and measured of it follows from
 * the model. `mend` undoes the change and what it has broken for good; the node then recovers by itself.
 */
export interface Fault {
  /** What happens, one sentence. */
  readonly what: string;
  readonly break: (world: World) => void;
  readonly mend: (world: World) => void;
}

/** The fault where mending it leaves nothing to undo. */
export const NOTHING_TO_MEND = (): void => {};
