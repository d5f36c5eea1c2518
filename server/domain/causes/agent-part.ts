import type { AgentReport } from "../agent-report";
import { agentUnseen } from "./findings";
import type { CauseInput } from "./types";

/** Parts of the agent's report that are readings, with what each is in words. */
const PART_WORDS = {
  runtime: "the container runtime's status",
  sandboxes: "the runtime's list of sandboxes",
  sockets: "sockets",
  config: "the effective CNI config",
  cgroups: "the control groups of CNI daemons",
  processes: "processes of CNI plugins",
  mounts: "mounts of sockets",
  socketUse: "connections on the daemons' sockets",
  binaries: "plugin binaries",
  configFiles: "the files of the CNI conf dir",
  caches: "CNI caches and address ranges",
  kubelet: "the kubelet's settings",
  credentials: "the credentials of CNI configs",
} as const satisfies Partial<Record<keyof AgentReport, string>>;

export type PartName = keyof typeof PART_WORDS;
type Reading<K extends PartName> = Extract<NonNullable<AgentReport[K]>, { readonly looked: true }>;

/**
 * One part of the fresh report, or why there is none: no agent is heard, the agent is older than the part, or it could not look. The
 * reasons are the same for every check, so that causes that miss the same part are listed together.
 */
export function agentPart<K extends PartName>(input: CauseInput, name: K): Reading<K> | { readonly looked: false; readonly reason: string } {
  const unseen = agentUnseen(input);
  if (unseen !== undefined) return { looked: false, reason: unseen };
  const part = input.report?.[name];
  if (part === undefined) return { looked: false, reason: `The node's agent is older than Sandglass and does not tell of ${PART_WORDS[name]}` };
  if (part.looked) return part as Reading<K>; // the part under this name, of which it is the looked kind
  return { looked: false, reason: `The node's agent could not look at ${PART_WORDS[name]}: ${part.reason}` };
}
