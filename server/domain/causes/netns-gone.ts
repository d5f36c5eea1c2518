import { lastingTexts, nothingSaid, suspectedOf } from "./said-by-pods";
import type { Cause, CauseInput, ErrorGroup } from "./types";
import { podKey, stuckPods } from "./waiting-pods";

export const netnsGone: Cause = {
  code: "netns-gone",
  title: "A sandbox ended before its network was made",
  severity: "notice",
  meaning:
    "The plugin was called for a sandbox whose network namespace is no longer there. Usually harmless: the pod was deleted or replaced while its sandbox was made, or something that was given up is torn down late. Where the same pod says so again and again, its sandbox dies at once each time, and the reason lies there.",
  impact: "None, as a rule. A pod that is stuck on it does not start until its sandbox stays alive.",
  checks: ["Texts of waiting pods that a namespace or its process is gone, once a pod has waited for 30 s.", "Whether one of these pods is stuck: then it is a risk, and no notice."],
  lookAlikes: [
    { code: "host-permission-or-mount", tells: "There the namespace exists and the daemon cannot see it, since its mount has no propagation." },
    { code: "not-cni", tells: "Why a sandbox dies at once: a bad pause image, a memory limit that is too small." },
    { code: "retry-storm", tells: "A daemon that works on calls given up long ago says the same, for sandboxes that are gone." },
  ],
  mitigation: [
    "No pod is stuck: leave it.",
    "A pod that is stuck: look at its sandbox's end on the node, `crictl pods --name POD -o json`, `journalctl -u containerd | grep SANDBOX_ID`.",
    "The pause image is for another architecture or broken: pull it again, `crictl pull IMAGE`.",
    "The memory limit of the pod is so small that the sandbox's process is killed: raise it.",
  ],
  actions: [],
  explains: [],
  check: (input) => {
    const groups = lastingTexts(input, "netns-gone");
    if (groups.length === 0) return [nothingSaid(input, "netns-gone")];
    const finding = suspectedOf(input, groups, { says: "say that the sandbox's network namespace was gone when the plugin came." });
    return [holdsUp(input, groups) ? { ...finding, severity: "risks" } : finding];
  },
};

/** Whether a stuck pod says nothing else: then it does not wait for what other texts name. */
function holdsUp(input: CauseInput, groups: readonly ErrorGroup[]): boolean {
  const otherwise = new Set(input.errors.filter((group) => !groups.includes(group)).flatMap(({ pods }) => pods));
  const said = new Set(groups.flatMap(({ pods }) => pods));
  return stuckPods(input).some((pod) => said.has(podKey(pod)) && !otherwise.has(podKey(pod)));
}
