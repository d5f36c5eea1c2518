import { apiSlow } from "../model/faults/api-slow";
import { consumerKeepsSocket } from "../model/faults/consumer-keeps-socket";
import { daemonLimits } from "../model/faults/daemon-limits";
import { daemonPanics } from "../model/faults/daemon-panics";
import { daemonRestarted } from "../model/faults/daemon-restarted";
import { daemonStopped } from "../model/faults/daemon-stopped";
import { daemonTooLarge } from "../model/faults/daemon-too-large";
import { endpointsLimited } from "../model/faults/endpoints-limited";
import { initUnlimited } from "../model/faults/init-unlimited";
import { installerCopiesOver } from "../model/faults/installer-copies-over";
import { newerShim } from "../model/faults/newer-shim";
import { nodeFull } from "../model/faults/node-full";
import { powerLost } from "../model/faults/power-lost";
import { rollout } from "../model/faults/rollout";
import { socketTaken } from "../model/faults/socket-taken";
import { HEAVY_CHAIN, type WorkloadParameters } from "../model/parameters";
import { CILIUM_NODE } from "./other-cni";
import { atOnce, inTurn, type CauseScenario } from "./types";

const GIB = 2 ** 30;
const MIB = 2 ** 20;
/** Pods of 4 GiB, of which a node of 32 GiB has room for seven beside the usual ones. */
const LARGE_PODS = { namespace: "data", app: "warehouse", count: 7, of: "ReplicaSet", memoryRequestBytes: 4 * GIB } as const;
const CONSUMER = { namespace: "kube-system", app: "dynamic-networks-controller", count: 1, of: "DaemonSet", memoryLimitBytes: 128 * MIB, mounts: [{ hostPath: "/run/multus/multus.sock", mountPath: "/host/run/multus/multus.sock", kind: "file" }] } as const;

/** A pod every half a minute. */
const MANY_JOBS: WorkloadParameters = { services: 34, hostNetworkPods: 5, cronJobs: 10, jobPeriodMs: 300_000, jobMinMs: 90_000, jobMaxMs: 260_000 };

/** The CNI daemon: what it may use, whether it runs, and how one reaches it. */
export const DAEMON_SCENARIOS = {
  "daemon-cpu-throttled": { cause: "daemon-cpu-throttled", certainty: "named", answer: "no", what: "the daemon may use a hundredth of a core, then a rollout comes", node: { chain: HEAVY_CHAIN }, steps: inTurn(5, daemonLimits("The daemon's CPU limit is lowered to 10m.", { cpuLimitCores: 0.01, cpuRequestCores: 0.01 }), rollout(20)), namedWithin: 20, clearWithin: 60 },
  "node-cpu-contention": { cause: "node-cpu-contention", certainty: "named", answer: "no", what: "other pods want four times the node's CPU, and the daemon's share is tiny", node: { chain: HEAVY_CHAIN }, daemon: { cpuRequestCores: 0.01, memoryLimitBytes: GIB, memoryRequestBytes: 50 * MIB }, steps: atOnce(nodeFull, rollout(20)), namedWithin: 20, clearWithin: 60 },
  "daemon-oom": { cause: "daemon-oom", detail: "loop", certainty: "named", answer: "no", what: "the daemon has room for one call at a time, then a rollout comes", steps: inTurn(5, daemonLimits("The daemon's memory limit is lowered to 27Mi.", { memoryLimitBytes: 27 * MIB, memoryRequestBytes: 27 * MIB }), rollout(25)), namedWithin: 8, clearWithin: 40, leaves: ["ipam-leak"] },
  "daemon-down": { cause: "daemon-down", certainty: "named", answer: "no", what: "the daemon panics after every start", steps: atOnce(daemonPanics, rollout(5)), namedWithin: 6, clearWithin: 20 },
  "daemon-slow": { cause: "daemon-slow", certainty: "named", answer: "no", what: "the daemon's process is stopped and answers nobody", steps: atOnce(daemonStopped, rollout(5)), namedWithin: 6, clearWithin: 20 },
  "daemon-waits-for-api": { cause: "daemon-slow", certainty: "named", answer: "yes", what: "the API server puts the daemon's questions off", node: { workload: MANY_JOBS }, steps: atOnce(apiSlow, rollout(8)), namedWithin: 12, clearWithin: 40 },
  "delegate-rate-limited": { cause: "daemon-slow", detail: "delegate-rate-limited", certainty: "suspected", answer: "yes", what: "the agent behind the daemon answers with 429", node: { ...CILIUM_NODE, workload: MANY_JOBS }, steps: atOnce(endpointsLimited, rollout(15)), namedWithin: 8, clearWithin: 40 },
  "shim-daemon-skew": { cause: "shim-daemon-skew", certainty: "named", answer: "no", what: "another installer puts a newer shim beside the daemon", cluster: { daemonTemplate: { image: "registry.example/cni/multus-thick:4.2.4" } }, steps: atOnce(newerShim("4.3.1"), rollout(5)), namedWithin: 8, clearWithin: 20 },
  "install-deadlock": { cause: "install-deadlock", certainty: "named", answer: "no", what: "a reboot with an installer that copies over the shim which waiting calls run", cluster: { daemonTemplate: { installer: "cp" } }, steps: atOnce(installerCopiesOver, powerLost), namedWithin: 8, clearWithin: 60 },
  "stale-socket": { cause: "stale-socket", detail: "host", certainty: "named", answer: "no", what: "the socket's path no longer leads to the daemon that runs", steps: atOnce(socketTaken, rollout(5)), namedWithin: 6, clearWithin: 20 },
  "stale-socket-consumer": { cause: "stale-socket", detail: "consumer", certainty: "named", answer: "yes", what: "a pod mounts the socket as a file and keeps the one of before a restart", node: { extraPods: [CONSUMER] }, steps: atOnce(consumerKeepsSocket, daemonRestarted), namedWithin: 4, clearWithin: 10 },
  "oom-victim-candidate": { cause: "oom-victim-candidate", certainty: "named", answer: "yes", what: "the daemon's init container has no memory limit, on a Talos node", node: { osImage: "Talos (v1.12.4), simulated" }, steps: atOnce(initUnlimited), namedWithin: 4, clearWithin: 10 },
  "daemon-unschedulable": { cause: "daemon-unschedulable", detail: "memory", certainty: "named", answer: "yes", what: "the daemon's new pod asks for more memory than the node has left", node: { extraPods: [LARGE_PODS] }, steps: atOnce(daemonTooLarge(4 * GIB)), namedWithin: 8, clearWithin: 20 },
} as const satisfies Readonly<Record<string, CauseScenario>>;
