import type { Evidence } from "../answer";
import { lineWords } from "../words";
import { agentPart } from "./agent-part";
import { seen } from "./evidence";
import type { CauseInput } from "./types";

/** What the runtime says of its network, by the agent or as the kubelet repeats it. */
export type RuntimeNetwork =
  | { readonly told: false; readonly reason: string }
  | { readonly told: true; readonly ready: true; readonly evidence: readonly Evidence[]; readonly sinceMs?: number }
  | {
      readonly told: true;
      readonly ready: false;
      /** It has loaded no config; otherwise it has one, and a plugin says that it cannot serve. */
      readonly uninitialized: boolean;
      readonly message: string;
      /** Since when the kubelet says so. */
      readonly sinceMs?: number;
      readonly evidence: readonly Evidence[];
    };

/** Words of containerd, CRI-O, dockershim and cri-dockerd for a runtime that has no network config. */
const UNINITIALIZED = ["cni plugin not initialized", "cni config uninitialized", "cni config not initialized", "no cni configuration file", "no network config", "no networks found", "no valid networks found"] as const;
export const saysUninitialized = (text: string): boolean => {
  const lower = text.toLowerCase();
  return UNINITIALIZED.some((mark) => lower.includes(mark));
};

/** A config that was just written is loaded within a second or two, and the kubelet asks every five. */
export const CONFIG_SETTLES_MS = 20_000;
/** A node that joins has no config until its CNI daemon has been pulled and started. */
export const NODE_JOINS_MS = 120_000;
const MAX_MESSAGE_CHARS = 200;

/** Whether a missing config is still to be expected: the node has just joined, or it has been so for a moment only. */
export const isSettling = ({ node, nowMs }: CauseInput, sinceMs: number | undefined): boolean =>
  (node.createdMs !== undefined && nowMs - node.createdMs < NODE_JOINS_MS) || (sinceMs !== undefined && nowMs - sinceMs < CONFIG_SETTLES_MS);

/** The agent's word first, since it is the runtime's own; the node's Ready condition where it speaks of the network, or is True. */
export function runtimeNetwork(input: CauseInput): RuntimeNetwork {
  const byKubelet = kubeletSays(input);
  const runtime = agentPart(input, "runtime");
  const condition = runtime.looked ? runtime.reading.conditions.find(({ type }) => type === "NetworkReady") : undefined;
  if (condition === undefined) {
    if (byKubelet !== undefined) return byKubelet;
    return { told: false, reason: runtime.looked ? "The runtime does not say whether its network is ready" : runtime.reason };
  }
  const atMs = input.report?.atMs;
  const evidence = seen("Runtime condition NetworkReady", "agent", { value: condition.status ? "true" : `false: ${lineWords(condition.message || condition.reason, MAX_MESSAGE_CHARS)}`, ...(atMs === undefined ? {} : { atMs }) });
  const sameByKubelet = byKubelet?.ready === condition.status ? byKubelet : undefined;
  const shared = { evidence: [evidence, ...(sameByKubelet?.evidence ?? [])], ...(sameByKubelet?.sinceMs === undefined ? {} : { sinceMs: sameByKubelet.sinceMs }) };
  if (condition.status) return { told: true, ready: true, ...shared };
  const message = condition.message || condition.reason;
  return { told: true, ready: false, uninitialized: saysUninitialized(message), message, ...shared };
}

function kubeletSays({ node, source }: CauseInput): Extract<RuntimeNetwork, { told: true }> | undefined {
  const ready = node.conditions.find(({ type }) => type === "Ready");
  if (ready === undefined || source("api").freshness !== "fresh") return undefined;
  const since = ready.sinceMs === undefined ? {} : { sinceMs: ready.sinceMs };
  const at = ready.sinceMs === undefined ? {} : { atMs: ready.sinceMs };
  if (ready.status === "True") return { told: true, ready: true, evidence: [seen("Node condition Ready", "api", { value: "True", ...at })], ...since };
  const message = ready.message ?? "";
  if (ready.status !== "False" || !message.includes("network not ready") && !message.includes("network plugin is not ready")) return undefined;
  return { told: true, ready: false, uninitialized: saysUninitialized(message), message, evidence: [seen("Node condition Ready", "api", { value: `False: ${lineWords(message, MAX_MESSAGE_CHARS)}`, ...at })], ...since };
}
