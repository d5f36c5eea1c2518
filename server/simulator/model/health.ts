import type { ConfLoader } from "./conf-loader";
import { CNI_NOT_INITIALIZED } from "./texts";

export interface ReadyCondition {
  status: "True" | "False" | "Unknown";
  sinceMs: number;
  reason: string;
  message: string;
}

export const READY_MESSAGE = "kubelet is posting ready status";
/** From here on without a look at the runtime's pods the kubelet says that it is not well. */
const PLEG_THRESHOLD_MS = 180_000;

/** Why no pod gets a network, as the kubelet knows it from the runtime; `undefined` where nothing is wrong. */
export function networkProblem({ loaded }: ConfLoader): string | undefined {
  return loaded === undefined ? `container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: ${CNI_NOT_INITIALIZED}` : undefined;
}

/** The Ready condition that a kubelet posts. `frozenMs`: for how long its runtime has answered nothing; then what it knew of the network is old. */
export function healthOf(network: string | undefined, frozenMs: number): Pick<ReadyCondition, "status" | "reason" | "message"> {
  const problems: string[] = [];
  if (frozenMs > PLEG_THRESHOLD_MS) problems.push(`PLEG is not healthy: pleg was last seen active ${goSeconds(frozenMs)} ago; threshold is 3m0s`);
  if (network !== undefined && frozenMs === 0) problems.push(network);
  if (problems.length === 0) return { status: "True", reason: "KubeletReady", message: READY_MESSAGE };
  return { status: "False", reason: "KubeletNotReady", message: problems.length === 1 ? problems.join("") : `[${problems.join(", ")}]` };
}

/** "3m5s", as Go prints a span. */
const goSeconds = (ms: number): string => `${Math.floor(ms / 60_000)}m${Math.floor((ms % 60_000) / 1_000)}s`;
