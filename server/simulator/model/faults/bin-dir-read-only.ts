import type { Fault } from "./fault";

/** Nothing can be written into the bin dir, and the installer of the next pod says so and goes on. */
export const binDirReadOnly: Fault = {
  what: "The bin dir cannot be written into when the daemon's next pod comes.",
  break: (world) => {
    world.node.host.binDirReadOnly = true;
    replaceDaemon(world);
  },
  mend: (world) => {
    world.node.host.binDirReadOnly = false;
    replaceDaemon(world);
  },
};

function replaceDaemon({ model, node }: Parameters<Fault["break"]>[0]): void {
  const pod = model.daemonSet.podOn(node.parameters.name);
  if (pod !== undefined) node.deletePod(pod, model.nowMs);
}
