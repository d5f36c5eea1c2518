import type { Fault } from "./fault";

const CALM_TASKS = 900;

/** Some program makes threads until the kernel allows no more. */
export const tasksUsedUp: Fault = {
  what: "Every process number of the node is taken.",
  break: ({ node }) => {
    node.host.otherTasks = node.host.maxTasks;
  },
  mend: ({ node }) => {
    node.host.otherTasks = CALM_TASKS;
  },
};
