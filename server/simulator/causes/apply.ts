import type { ClusterModel, ClusterParameters } from "../model/cluster";
import type { NodeParameters } from "../model/parameters";
import type { CauseScenario, Step } from "./types";

/** The cluster with this node made as the scenario wants it. */
export function shaped(cluster: ClusterParameters, node: string, scenario: Pick<CauseScenario, "node" | "daemon" | "cluster">): ClusterParameters {
  const own = new Map(cluster.ownResources);
  if (scenario.daemon !== undefined) own.set(node, scenario.daemon);
  const nodes = cluster.nodes.map((one): NodeParameters => (one.name === node ? { ...one, ...scenario.node } : one));
  return { ...cluster, ...scenario.cluster, nodes, ownResources: own };
}

/** Lets the faults happen, the first at `fromMs`. */
export function breakNode(model: ClusterModel, name: string, steps: readonly Step[], fromMs: number): void {
  for (const { afterSeconds, fault } of steps) {
    model.at(fromMs + afterSeconds * 1_000, () => {
      const node = model.nodes.get(name);
      if (node !== undefined) fault.break({ model, node });
    });
  }
}

/** Mends them all at once, the last first. */
export function mendNode(model: ClusterModel, name: string, steps: readonly Step[], atMs: number): void {
  model.at(atMs, () => {
    const node = model.nodes.get(name);
    if (node !== undefined) for (const { fault } of [...steps].reverse()) fault.mend({ model, node });
  });
}
