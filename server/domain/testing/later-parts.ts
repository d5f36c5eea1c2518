import type { LaterParts } from "../agent-readings";

const T = 1_779_999_000_000;

/** Every later part of a report with every field that it can have, as a node with a stale consumer and a stuck caller tells it. */
export const EVERY_LATER_PART = {
  cgroups: {
    looked: true,
    readMs: T + 1,
    truncated: true,
    items: [
      {
        namespace: "kube-system", pod: "kube-multus-ds-abcde", podUid: "0b5c9f0e-0000-4000-8000-000000000001", container: "kube-multus", containerId: "c".repeat(64), startedMs: T + 2, cni: "multus", cgroupVersion: 2, cpuQuotaCores: 0.1,
        cpuPeriods: 6_217, cpuThrottledPeriods: 6_195, cpuUsageSeconds: 62.5, cpuPressureSeconds: 580.25, memoryBytes: 41_000_000, memoryWorkingSetBytes: 40_000_000, memoryLimitBytes: 52_428_800, memoryPeakBytes: 52_428_800, oomEvents: 3, oomKills: 2, podMemoryLimited: false,
      },
    ],
  },
  processes: {
    looked: true,
    truncated: false,
    items: [{ pid: 89_204, program: "multus-shim", path: "/opt/cni/bin/multus-shim", startedMs: T + 3, state: "S", command: "ADD", namespace: "default", pod: "load-7bf9d7dfdd-lhgx9", podUid: "79ecc7ca-6d55-43dc-a0b0-8b07557ef071", sandboxId: "1f".repeat(32), called: true, replaced: true }],
  },
  mounts: {
    looked: true,
    mountsSeen: 3,
    unread: 1,
    truncated: true,
    stale: [
      {
        socketPath: "/run/multus/multus.sock", mountPath: "/host/run/multus", kind: "directory", pid: 4_711, namespace: "kube-system", pod: "dynamic-networks-controller-x2x4z", podUid: "0b5c9f0e-0000-4000-8000-000000000002", container: "controller",
        mountedInode: "0:25/11043286", hostInode: "0:25/11043719", because: "deleted",
      },
    ],
  },
  socketUse: { looked: true, items: [{ path: "/run/multus/multus.sock", connections: 2_015, liveShims: 58 }] },
  binaries: {
    looked: true,
    unread: ["/usr/libexec/cni: EACCES"],
    truncated: true,
    items: [{ type: "bridge", dir: "/opt/cni/bin", sizeBytes: 0, modifiedMs: T + 4, sha256: "e3b0c442".repeat(8), architecture: "amd64", version: "github.com/containernetworking/plugins v1.10.0", problem: "empty", wantedBy: ["10-bridge.conflist", "NAD"] }],
  },
  configFiles: {
    looked: true,
    reading: {
      dir: "/etc/cni/net.d",
      files: [{ name: "00-multus.conf", usable: false, problem: "not JSON: a comma or a bracket was expected at line 3, column 7", networkName: "multus-cni-network", cniVersion: "0.3.1", pluginTypes: ["multus-shim"], modifiedMs: T + 5 }],
      truncated: true,
      loaded: false,
      loadedOther: "cbr0",
      usableSinceMs: T + 6,
      multus: {
        masterCni: "05-cilium.conflist", nestedMasterCni: "10-bridge.conflist", daemonConfigPath: "/var/lib/kubelet/pods/u/volumes/kubernetes.io~configmap/multus-daemon-config/daemon-config.json", daemonConfigModifiedMs: T + 7, daemonConfigProblem: "empty",
        clusterNetwork: "10-bridge.conflist", clusterNetworkExists: false, generated: true, thick: true, readinessIndicatorFile: "/host/etc/cni/net.d/05-cilium.conflist", readinessIndicatorExists: true,
      },
    },
  },
  configChanges: [{ file: "10-bridge.conflist", atMs: T + 8, change: "changed", diff: '-   "bridge": "cni0"\n+   "bridge": "cni1"' }],
  caches: {
    looked: true,
    items: [{ kind: "results", dir: "/var/lib/cni/results", entries: 110, broken: ["cbr0-1f-eth0"], brokenCount: 1, problem: "cut at 20000 entries" }],
    truncated: true,
    pools: [{ network: "cbr0", range: "10.244.0.0/24", dir: "/var/lib/cni/networks/cbr0", leases: 110, leaked: 3, size: 253 }],
  },
  kubeletPods: { looked: true, truncated: false, items: [{ uid: "0b5c9f0e-0000-4000-8000-000000000001", namespace: "kube-system", name: "kube-multus-ds-abcde", phase: "Running" }] },
  kubelet: { looked: true, reading: { runtimeRequestTimeoutSeconds: 900, timeoutFrom: "--runtime-request-timeout" } },
  credentials: { looked: true, items: [{ path: "/etc/cni/net.d/multus.d/multus.kubeconfig", wantedBy: ["00-multus.conf"], kind: "token", expiresUnixSeconds: 1_779_000_000, problem: "as an example" }] },
} as const satisfies Required<LaterParts>;
