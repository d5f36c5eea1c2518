import { kubeletRemedy } from "./kubelet-remedy";
import { FAMILY_GONE, familyGoneRemedy, KUBELET_MINORS, kubeletMinorOf, minorOf } from "./kubelet-versions";
import type { NodeView, SignalNow } from "./node-view";
import { ABOVE_LAST_BUCKET, NO_CALL_FINISHED, NO_POD_WAITS } from "./signals-now";

/**
 * What to do to see a signal that is not seen, in one sentence; `undefined` where it is seen, or where nothing is hidden (no call
 * finished, no pod waits). Rests on the reason that the signal carries and on what is known of its source.
 */
export function remedyOf(now: SignalNow, view: Pick<NodeView, "sources" | "versions">): string | undefined {
  if (now.state === "fresh" || nothingToSee(now)) return undefined;
  if (now.reason === FAMILY_GONE) return familyGoneRemedy(view.versions.kubelet);
  if (now.reason === "no limit") return "Nothing to do: without a limit there is none to tell of. Pressure (PSI) shows whether the daemon waits for a CPU.";
  const status = view.sources.find(({ source }) => source === now.source);
  if (now.signal === "daemon.cpu.psi_share" && status?.freshness === "fresh") return psiRemedy(view.versions.kubelet);
  switch (now.source) {
    case "agent":
      return status?.freshness === "absent" ? "Run the Sandglass agent on this node (docs/operate/agent.md)." : status?.freshness === "stale" ? "Look whether the agent still runs on this node and reaches Sandglass." : "Give the agent the right or the mount that its reason names (docs/operate/agent.md).";
    case "kubelet":
      if (now.signal === "cri.deadline") return "Grant get on nodes/configz, or run the agent, which reads the kubelet's own configuration.";
      return status?.freshness === "fresh" ? "Wait for the next reading; where it stays away, this kubelet does not report it for this container." : `${kubeletRemedy(status?.reason)}.`;
    case "api":
      return "Grant get, list and watch on the kind that the reason names, and look whether the API server answers.";
    case "prometheus":
      return "Look whether the Prometheus server answers and scrapes this node.";
  }
}

/** Whether a signal has no value because there is nothing of it now, and nothing is hidden: no call finished, no pod waits. */
export const nothingToSee = ({ state, reason }: Pick<SignalNow, "state" | "reason">): boolean =>
  state === "unknown" && (reason === NO_CALL_FINISHED || reason === NO_POD_WAITS || reason?.startsWith(ABOVE_LAST_BUCKET) === true);

function psiRemedy(kubelet: string | undefined): string {
  const known = kubeletMinorOf(kubelet);
  const agent = "The agent reads it from the cgroup where the node has cgroup v2.";
  if (known?.pressure === "none" || (known === undefined && (minorOf(kubelet) ?? Infinity) < FIRST_WITH_PRESSURE)) return `Kubelets report pressure of containers from v1.${FIRST_WITH_PRESSURE} on by themselves; this one is ${kubelet ?? "older"}. ${agent}`;
  if (known?.pressure === "behind-feature") return `Kubelets of v1.${known.minor} report pressure of containers only with the feature KubeletPSI switched on, from v1.${FIRST_WITH_PRESSURE} on by themselves. ${agent}`;
  return "Pressure needs cgroup v2, a kernel with PSI switched on (psi=1), and the kubelet's feature KubeletPSI.";
}

/** The first version that reports it without being asked to. */
const FIRST_WITH_PRESSURE = KUBELET_MINORS.find(({ pressure }) => pressure === "on")?.minor ?? Infinity;
