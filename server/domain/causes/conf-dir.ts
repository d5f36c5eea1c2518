import type { Evidence } from "../answer";
import { listWords } from "../words";
import { agentPart } from "./agent-part";
import { seen } from "./evidence";
import type { CauseInput } from "./types";

/** The conf dir as the runtime would load it now, or why it could not be looked at. */
export type ConfDir =
  | { readonly looked: false; readonly reason: string }
  | {
      readonly looked: true;
      readonly dir: string;
      /** The file that is in force; absent where the runtime finds none that it can use. */
      readonly effectiveFile?: string;
      /** Files that cannot be used, as "05-x.conflist: not JSON: …". */
      readonly broken: readonly string[];
      readonly evidence: Evidence;
    };

export function confDir(input: CauseInput): ConfDir {
  const config = agentPart(input, "config");
  if (!config.looked) return config;
  const { dir, effectiveFile, fileProblems = [] } = config.reading;
  const atMs = input.report?.atMs;
  const value = effectiveFile ?? (fileProblems.length === 0 ? "no file" : `none of ${listWords(fileProblems, 2)}`);
  const evidence = seen(`CNI config in force in ${dir}`, "agent", { value, ...(atMs === undefined ? {} : { atMs }) });
  return { looked: true, dir, ...(effectiveFile === undefined ? {} : { effectiveFile }), broken: fileProblems, evidence };
}
