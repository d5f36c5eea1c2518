import { command, controllerLook, daemonLastState, daemonLogs, daemonName, daemonPods, onNode, safe } from "./commands";
import type { AdviceInput, Adviser } from "./types";

function socketLook({ facts }: AdviceInput): readonly string[] {
  if (facts.socketPath === undefined) return [];
  const socket = safe(facts.socketPath, "SOCKET");
  return [onNode(`ls -li ${socket}; grep ${socket} /proc/net/unix`, "a file that nobody listens on is left over")];
}

export const daemonDown: Adviser = (input) => ({
  lookAt: [daemonPods(input), ...(input.detail === "died-during-call" ? [daemonLastState(input)] : []), ...socketLook(input), daemonLogs(input)],
  fix: [
    `Make ${daemonName(input)} run on this node: what its pod's state and its log name comes first (memory, a file that is busy, a config that is refused, no room to schedule).`,
    ...(input.plugin === "flannel" || input.plugin === "calico" ? ["The file that is missing is written by the daemon at its start; do not make it by hand."] : []),
    "If the daemon runs and serves other calls, the socket may be stale, or the config may be that of a CNI which is not meant to run here: compare with stale-socket and cni-config-conflict.",
  ],
});

export const daemonSlow: Adviser = (input) => {
  const limited = input.detail === "delegate-rate-limited";
  return {
    lookAt: [
      ...(limited && input.plugin === "cilium" ? ["The agent's metrics on this node: `cilium_api_limiter_rate_limit`, `cilium_api_limiter_wait_duration_seconds`, `cilium_endpoint_regeneration_time_stats_seconds`"] : []),
      "The daemon's CPU: `container_cpu_cfs_throttled_periods_total` / `container_cpu_cfs_periods_total`; throttled means daemon-cpu-throttled",
      "How many calls wait: shims on the node against connections on the daemon's socket (/proc/net/unix), and whether the number of pods in ContainerCreating falls",
      daemonPods(input),
      daemonLogs(input),
    ],
    fix: [
      limited
        ? "Let the burst drain: stop what makes pods by the hundred on this node (cordon, scale down); then find what keeps the agent busy. Raising the limit helps only where it has CPU to spare."
        : `Give ${daemonName(input)} the CPU that it needs, and take work away from it (cordon the node, scale down what keeps retrying) until the number of waiting pods falls.`,
      ...(input.plugin === "multus" ? ["Compare the versions of shim and daemon: a newer shim asks for /readyz, which an older daemon answers with 404, and then waits in vain (shim-daemon-skew)."] : []),
    ],
  };
};

export const daemonOom: Adviser = (input) => ({
  lookAt: [
    daemonLastState(input),
    "`container_memory_max_usage_bytes` of the daemon against its limit",
    onNode("dmesg | grep -i 'out of memory'"),
    "Plugins that the daemon starts count in its memory: a killed plugin does not restart the container",
  ],
  fix: [
    `Raise the memory limit of ${daemonName(input)} above its peak, request and limit of init containers and sidecars too; one pod can be resized in place where the cluster allows it (\`kubectl patch pod POD --subresource resize\`).`,
    "Keep a limit, and set a request: a limit without a request becomes the request.",
  ],
});

export const daemonThrottled: Adviser = (input) => ({
  lookAt: ["`container_cpu_cfs_throttled_periods_total` / `container_cpu_cfs_periods_total` of the daemon's container", "Number of pods in ContainerCreating on the node, and whether it falls", daemonPods(input)],
  fix: [`Raise or remove the CPU limit of ${daemonName(input)}: at first of the one pod (\`kubectl patch pod POD --subresource resize\`), then in its DaemonSet, which rolls every node.`],
});

export const nodeContention: Adviser = (input) => ({
  lookAt: [
    "CPU pressure of the node: `container_pressure_cpu_waiting_seconds_total`",
    onNode("cat /proc/pressure/cpu"),
    "The daemon's throttled share: near zero here, else it is daemon-cpu-throttled",
    command("kubectl top node NODE; kubectl describe node NODE", "requests against capacity"),
  ],
  fix: [`Raise the CPU request of ${daemonName(input)}: it decides its share when the node is full.`, "Move load away from the node, or limit what fills it."],
});

export const skew: Adviser = (input) => ({
  lookAt: [
    ...(input.plugin === "multus" ? [onNode("/opt/cni/bin/multus-shim --version", "against the image of the daemon's pod"), "The daemon's log for 404 on /readyz"] : ["Version of the plugin's program on the node against the image of the daemon's pod"]),
    daemonPods(input),
  ],
  fix: ["Bring program and daemon to one version: finish or undo the rollout, and let its installer run on this node again (delete the daemon's pod here)."],
});

export const deadlock: Adviser = (input) => ({
  lookAt: [
    daemonPods(input),
    command("kubectl -n NAMESPACE logs POD -c INIT-CONTAINER", "Text file busy"),
    onNode("fuser -v /opt/cni/bin/multus-shim", "callers that hold the file while they wait for the daemon; the text may name another file"),
  ],
  fix: [
    "On the node, take the busy file aside by a rename (`mv`; a copy over it fails for as long as it is held), then delete the daemon's pod: its successor installs at once.",
    "For good: an installer that writes a temporary file and renames it (multus: install_multus), or `cp -f`. All waiting calls then come at once: see that the daemon's memory suffices.",
  ],
});

export const staleSocket: Adviser = (input) =>
  input.detail === "consumer"
    ? {
        lookAt: [onNode("grep deleted /proc/PID/mountinfo", "of the consumer: a mount that ends in //deleted is of a socket that was replaced"), ...socketLook(input), daemonPods(input)],
        fix: ["Delete the consumer's pod, so that it mounts the socket that is there now.", "For good: mount the folder above the daemon's own (for multus /run), not the socket file nor /run/multus, which the daemon makes anew at each start."],
      }
    : {
        lookAt: [...socketLook(input), onNode("ss -xlp", "who listens"), daemonPods(input), daemonLogs(input)],
        fix: [`Delete the pod of ${daemonName(input)} on this node in the ordinary way, so that it makes its socket anew; where a second daemon runs beside it, end that one first.`],
      };

export const controlPlane: Adviser = (input) => ({
  lookAt: [controllerLook(input), "Whether other nodes meet the same: then it is the controller and not this node", command("kubectl -n NAMESPACE get pod POD -o yaml", "annotations that the network's controller sets"), daemonPods(input)],
  fix: ["Make the network's controller work again: its log names why it does not allocate or bind.", "Node and daemon need no repair while the controller is the cause; restarting them adds load."],
});
