import { saidByPods } from "./said-by-pods";
import type { Cause } from "./types";

export const notCni: Cause = {
  code: "not-cni",
  title: "The sandbox fails before any network is made",
  severity: "blocks",
  meaning:
    "The sandbox cannot be made, and the network has no part in it: the pause image cannot be pulled, the control group cannot be made, the pod's own memory limit is too small for the sandbox's process, a security profile cannot be applied, or the pod asks for a runtime that the node does not have.",
  impact: "The pods that say so wait. With a pause image that cannot be had it is every pod of the node that has none cached.",
  checks: ["Texts of waiting pods about the sandbox's image, control groups, the runtime's own container or its handler, once a pod has waited for 30 s."],
  lookAlikes: [
    { code: "runtime-stuck-or-slow", tells: "There the runtime does not answer; here it answers with an error of its own." },
    { code: "node-resource-exhausted", tells: "There the runtime's error names a full disk, no process or no descriptor." },
    { code: "netns-gone", tells: "There the sandbox's process ends and takes its namespace along; the reason may be one of these." },
  ],
  mitigation: [
    "Pause image: `crictl images | grep pause`, and the runtime's setting (`sandbox_image`, in containerd 2 `pinned_images.sandbox`). An image collector that is not told to keep it removes it; pin it, or pull it from a registry that the node reaches.",
    "Control groups: kubelet and runtime must use the same driver (systemd or cgroupfs), most of all after an upgrade to cgroup v2.",
    "A memory limit of a few Mi is too little for the sandbox's process itself: raise the pod's limit.",
    "`no runtime for …`: the RuntimeClass names a handler that this node's runtime does not have; restrict it to nodes that do (scheduling.nodeSelector).",
  ],
  actions: [],
  explains: [],
  check: (input) => saidByPods(input, "not-cni", { says: "say that their sandbox fails before any network is made." }),
};
