import type { MessageCode } from "../../causes/codes";
import { exhausted, leak } from "./addresses";
import { apiUnreachable, auth, bug, notCni, undecided } from "./access";
import { binaryMissing, configConflict, configInvalid, configMissing, nadMissing, versionMismatch } from "./configs";
import { controlPlane, daemonDown, daemonOom, daemonSlow, daemonThrottled, deadlock, nodeContention, skew, staleSocket } from "./daemon";
import { device, hostPermission, kernel, linkConflict, netnsGone, resources, runtimeSlow, teardown } from "./node";
import type { Advice, AdviceInput, Adviser } from "./types";

const ADVISERS: Readonly<Record<MessageCode, Adviser>> = {
  "daemon-down": daemonDown,
  "daemon-slow": daemonSlow,
  "daemon-oom": daemonOom,
  "daemon-cpu-throttled": daemonThrottled,
  "node-cpu-contention": nodeContention,
  "shim-daemon-skew": skew,
  "install-deadlock": deadlock,
  "stale-socket": staleSocket,
  "plugin-binary-missing": binaryMissing,
  "cni-config-missing": configMissing,
  "cni-config-invalid": configInvalid,
  "cni-config-conflict": configConflict,
  "cni-version-mismatch": versionMismatch,
  "nad-missing": nadMissing,
  "ipam-exhausted": exhausted,
  "ipam-leak": leak,
  "control-plane-not-ready": controlPlane,
  "apiserver-unreachable": apiUnreachable,
  "auth-or-rbac": auth,
  "host-link-conflict": linkConflict,
  "host-permission-or-mount": hostPermission,
  "kernel-or-module": kernel,
  "device-unavailable": device,
  "netns-gone": netnsGone,
  "teardown-failed": teardown,
  "runtime-stuck-or-slow": runtimeSlow,
  "node-resource-exhausted": resources,
  "plugin-bug": bug,
  "not-cni": notCni,
  unknown: undecided,
};

/** What to look at and what to do, for a cause and the plugin and names of the text; NODE, POD and the like are for the reader to fill in. */
export const adviceFor = (input: AdviceInput): Advice => ADVISERS[input.cause](input);
