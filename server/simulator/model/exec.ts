import { BIN_DIR, NODE_ARCHITECTURE, type NodeFiles } from "./files";
import type { NodeHost } from "./host";
import type { PodRecord } from "./records";
import { cannotStart, notFound } from "./texts-plugins";

/** One interface of one sandbox. */
export interface Attachment {
  readonly pod: PodRecord | undefined;
  readonly sandboxId: string;
  readonly ifName: string;
  /** Whether the sandbox's network namespace is still there. */
  readonly netns: boolean;
}

/** What a call of a plugin finds on the node. */
export interface PluginSite {
  readonly files: NodeFiles;
  readonly host: NodeHost;
  readonly nowMs: number;
  /** Whether a network's controller has told what a pod gets; see attachments.ts. */
  readonly controllerServes: (network: string) => boolean;
}

/** `error` in the words that libcni gives it; an address where one was given out. */
export type PluginResult = { readonly error: string; readonly waitMs?: number } | { readonly address?: Address };

export interface Address {
  readonly ip: string;
  /** Of the network it is from: "22". */
  readonly bits: string;
}

/** What keeps a program of the bin dir from being found or started; `undefined` where it runs. */
export function programProblem({ files, host }: PluginSite, type: string): string | undefined {
  const program = files.bin.get(type);
  if (program === undefined) return notFound(type);
  const path = `${BIN_DIR}/${type}`;
  if (!host.canFork) return cannotStart(path, "resource temporarily unavailable");
  if (!host.mayExecute || !program.executable) return cannotStart(path, "permission denied");
  if (program.sizeBytes === 0 || program.architecture !== NODE_ARCHITECTURE) return cannotStart(path, "exec format error");
  return undefined;
}
