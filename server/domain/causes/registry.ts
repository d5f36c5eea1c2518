import { cniCacheBroken } from "./cni-cache-broken";
import { cniConfigConflict } from "./cni-config-conflict";
import { cniConfigInvalid } from "./cni-config-invalid";
import { cniConfigMissing } from "./cni-config-missing";
import { cniConfigUnnoticed } from "./cni-config-unnoticed";
import { cniVersionMismatch } from "./cni-version-mismatch";
import { daemonCpuThrottled } from "./daemon-cpu-throttled";
import { daemonDown } from "./daemon-down";
import { daemonOom } from "./daemon-oom";
import { daemonUnschedulable } from "./daemon-unschedulable";
import { installDeadlock } from "./install-deadlock";
import { installerReported } from "./installer-reported";
import { ipamExhausted } from "./ipam-exhausted";
import { ipamLeak } from "./ipam-leak";
import { nadMissing } from "./nad-missing";
import { nodeCpuContention } from "./node-cpu-contention";
import { pluginBinaryMissing } from "./plugin-binary-missing";
import { runtimeStuckOrSlow } from "./runtime-stuck-or-slow";
import { sandboxNameReserved } from "./sandbox-name-reserved";
import { staleSocket } from "./stale-socket";
import { teardownFailed } from "./teardown-failed";
import type { CauseCode } from "./codes";
import type { Cause } from "./types";

/**
 * Every cause, one a line and in the order of the alphabet. Roots are shown by severity and certainty; of two that are alike in
 * both, the first here comes first.
 */
export const CAUSES: readonly Cause[] = [
  cniCacheBroken,
  cniConfigConflict,
  cniConfigInvalid,
  cniConfigMissing,
  cniConfigUnnoticed,
  cniVersionMismatch,
  daemonCpuThrottled,
  daemonDown,
  daemonOom,
  daemonUnschedulable,
  installDeadlock,
  installerReported,
  ipamExhausted,
  ipamLeak,
  nadMissing,
  nodeCpuContention,
  pluginBinaryMissing,
  runtimeStuckOrSlow,
  sandboxNameReserved,
  staleSocket,
  teardownFailed,
];

const BY_CODE: ReadonlyMap<CauseCode, Cause> = new Map(CAUSES.map((cause) => [cause.code, cause]));

export const causeOf = (code: CauseCode): Cause | undefined => BY_CODE.get(code);
