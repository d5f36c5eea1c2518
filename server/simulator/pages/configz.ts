import type { NodeModel } from "../model/node";

/** `/configz`: only the settings that differ from node to node or that somebody reads. */
export function configz(node: NodeModel): string {
  const { maxPods, runtimeRequestTimeoutMs, cgroup } = node.parameters;
  return JSON.stringify({
    kubeletconfig: {
      enableServer: true,
      port: 10_250,
      cgroupDriver: cgroup === "v1" ? "cgroupfs" : "systemd",
      nodeStatusUpdateFrequency: "10s",
      nodeStatusReportFrequency: "5m0s",
      runtimeRequestTimeout: goDuration(runtimeRequestTimeoutMs),
      maxPods,
      containerRuntimeEndpoint: "unix:///run/containerd/containerd.sock",
      enforceNodeAllocatable: ["pods"],
    },
  });
}

/** As Go's time.Duration writes it: "2m0s", "15s", "1h0m0s". */
export function goDuration(ms: number): string {
  const seconds = ms / 1_000;
  const hours = Math.floor(seconds / 3_600);
  const minutes = Math.floor((seconds % 3_600) / 60);
  const rest = `${seconds % 60}s`;
  if (hours > 0) return `${hours}h${minutes}m${rest}`;
  return minutes > 0 ? `${minutes}m${rest}` : rest;
}
