import { apiserverUnreachable } from "./apiserver-unreachable";
import { authOrRbac } from "./auth-or-rbac";
import { cniCacheBroken } from "./cni-cache-broken";
import { cniConfigConflict } from "./cni-config-conflict";
import { cniConfigInvalid } from "./cni-config-invalid";
import { cniConfigMissing } from "./cni-config-missing";
import { cniConfigUnnoticed } from "./cni-config-unnoticed";
import { cniVersionMismatch } from "./cni-version-mismatch";
import { controlPlaneNotReady } from "./control-plane-not-ready";
import { daemonCpuThrottled } from "./daemon-cpu-throttled";
import { daemonDown } from "./daemon-down";
import { daemonOom } from "./daemon-oom";
import { daemonSlow } from "./daemon-slow";
import { daemonUnschedulable } from "./daemon-unschedulable";
import { deviceUnavailable } from "./device-unavailable";
import { hostLinkConflict } from "./host-link-conflict";
import { hostPermissionOrMount } from "./host-permission-or-mount";
import { installDeadlock } from "./install-deadlock";
import { installerReported } from "./installer-reported";
import { ipamExhausted } from "./ipam-exhausted";
import { ipamLeak } from "./ipam-leak";
import { kernelOrModule } from "./kernel-or-module";
import { nadMissing } from "./nad-missing";
import { netnsGone } from "./netns-gone";
import { nodeCpuContention } from "./node-cpu-contention";
import { nodeResourceExhausted } from "./node-resource-exhausted";
import { notCni } from "./not-cni";
import { oomVictimCandidate } from "./oom-victim-candidate";
import { pluginBinaryMissing } from "./plugin-binary-missing";
import { pluginBug } from "./plugin-bug";
import { retryStorm } from "./retry-storm";
import { runtimeStuckOrSlow } from "./runtime-stuck-or-slow";
import { sandboxNameReserved } from "./sandbox-name-reserved";
import { shimDaemonSkew } from "./shim-daemon-skew";
import { silentBypass } from "./silent-bypass";
import { staleSocket } from "./stale-socket";
import { stormOfNodes } from "./storm-of-nodes";
import { teardownFailed } from "./teardown-failed";
import { unknown } from "./unknown";
import { wrongMasterCni } from "./wrong-master-cni";
import type { CauseCode } from "./codes";
import type { Cause } from "./types";

/**
 * Every cause, one a line and in the order of the alphabet. Roots are shown by severity and certainty; of two that are alike in
 * both, the first here comes first.
 */
export const CAUSES: readonly Cause[] = [
  apiserverUnreachable,
  authOrRbac,
  cniCacheBroken,
  cniConfigConflict,
  cniConfigInvalid,
  cniConfigMissing,
  cniConfigUnnoticed,
  cniVersionMismatch,
  controlPlaneNotReady,
  daemonCpuThrottled,
  daemonDown,
  daemonOom,
  daemonSlow,
  daemonUnschedulable,
  deviceUnavailable,
  hostLinkConflict,
  hostPermissionOrMount,
  installDeadlock,
  installerReported,
  ipamExhausted,
  ipamLeak,
  kernelOrModule,
  nadMissing,
  netnsGone,
  nodeCpuContention,
  nodeResourceExhausted,
  notCni,
  oomVictimCandidate,
  pluginBinaryMissing,
  pluginBug,
  retryStorm,
  runtimeStuckOrSlow,
  sandboxNameReserved,
  shimDaemonSkew,
  silentBypass,
  staleSocket,
  stormOfNodes,
  teardownFailed,
  unknown,
  wrongMasterCni,
];

const BY_CODE: ReadonlyMap<CauseCode, Cause> = new Map(CAUSES.map((cause) => [cause.code, cause]));

export const causeOf = (code: CauseCode): Cause | undefined => BY_CODE.get(code);
