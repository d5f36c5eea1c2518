import { NODE_ACTIONS, type NodeAction } from "../domain/actions/work-order";
import { LARGE_CLUSTER, type ScenarioPlan } from "./scenarios";

/** Whoever runs the machines at the edge lets agents touch no file there. */
const SANDBOXES_ALONE = { pool: "edge", actions: ["purge-dead-sandboxes"] } as const;

/**
 * What each node's agent may be ordered to do, as if by its own arguments. In a large cluster only those that the scenario is about
 * take orders: each asks all the time.
 */
export function allowedActions({ cluster, expected }: Pick<ScenarioPlan, "cluster" | "expected">): (node: string) => readonly NodeAction[] {
  const pools = new Map(cluster.nodes.map(({ name, pool }) => [name, pool]));
  const large = cluster.nodes.length > LARGE_CLUSTER;
  return (node) => {
    if (large && !expected.has(node)) return [];
    return pools.get(node) === SANDBOXES_ALONE.pool ? SANDBOXES_ALONE.actions : NODE_ACTIONS;
  };
}
