import type { Fault } from "./fault";

/** A kernel upgrade without a reboot: modules of the running kernel are gone from disk. */
export const moduleMissing = (name: string): Fault => ({
  what: `Kernel module ${name} cannot be loaded any more.`,
  break: ({ node }) => void node.host.modules.delete(name),
  mend: ({ node }) => void node.host.modules.add(name),
});
