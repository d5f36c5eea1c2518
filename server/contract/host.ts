import { z } from "zod";
import { BINARY_PROBLEMS } from "../domain/agent-readings";

/** What an agent saw on its node's disk and in its mounts; a part that could not be looked at is absent. */
export const HostSchema = z.object({
  /** The conf dir in load order. */
  configFiles: z.array(z.object({ name: z.string(), usable: z.boolean(), problem: z.string().optional(), pluginTypes: z.array(z.string()) })).optional(),
  /** False: a usable file is there and the runtime has not loaded it. */
  configLoaded: z.boolean().optional(),
  /** The network by which the runtime works, where that is not the file's that it would load by now. */
  configLoadedOther: z.string().optional(),
  binDirs: z.array(z.string()).optional(),
  /** Programs that some config asks for, that have a fault, or that run now. */
  binaries: z.array(z.object({ name: z.string(), problem: z.enum(BINARY_PROBLEMS).optional(), version: z.string().optional(), wantedBy: z.array(z.string()), running: z.number().int() })).optional(),
  /** Whole, and asked for by nobody. */
  otherBinaries: z.array(z.string()).optional(),
  staleMounts: z
    .array(
      z.object({
        socketPath: z.string(),
        mountPath: z.string(),
        because: z.enum(["deleted", "no-links", "other-inode"]),
        namespace: z.string().optional(),
        pod: z.string().optional(),
        container: z.string().optional(),
        mountedInode: z.string().optional(),
        hostInode: z.string().optional(),
      }),
    )
    .optional(),
  mountsSeen: z.number().int().optional(),
});
export type HostOut = z.infer<typeof HostSchema>;
