import type { Fault } from "./fault";

/** A file system that has a file's name on disk before its content. Mended by taking away what is left: entries that hold nothing. */
export const freshWritesLost: Fault = {
  what: "What was written shortly before the power went is there by name only.",
  break: ({ node }) => {
    node.host.keepsFreshWrites = false;
  },
  mend: ({ node }) => {
    node.host.keepsFreshWrites = true;
    for (const cache of [node.files.results, node.files.multusCache]) for (const [key, { bytes }] of [...cache]) if (bytes === 0) cache.delete(key);
  },
};

