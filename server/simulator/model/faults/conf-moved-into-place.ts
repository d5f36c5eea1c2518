import type { Fault } from "./fault";

/** A tool that writes atomically: the old files go, and finished ones are moved to their place. */
export const confMovedIntoPlace: Fault = {
  what: "The files of the conf dir are removed, and the same ones moved into it.",
  break: ({ node }) => {
    const files = [...node.files.conf];
    for (const [name] of files) node.files.removeConf(name);
    for (const [name, { text }] of files) node.files.moveConf(name, text, node.engine.nowMs);
  },
  mend: ({ node }) => {
    for (const [name, { text }] of [...node.files.conf]) node.files.writeConf(name, text, node.engine.nowMs);
  },
};
