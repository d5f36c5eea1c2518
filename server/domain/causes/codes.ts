/** Codes that a message alone can suggest; `explain` gives one of these and no other. */
export const MESSAGE_CODES = [
  "daemon-down",
  "daemon-slow",
  "daemon-oom",
  "daemon-cpu-throttled",
  "node-cpu-contention",
  "shim-daemon-skew",
  "install-deadlock",
  "stale-socket",
  "plugin-binary-missing",
  "cni-config-missing",
  "cni-config-invalid",
  "cni-config-conflict",
  "cni-version-mismatch",
  "nad-missing",
  "ipam-exhausted",
  "ipam-leak",
  "control-plane-not-ready",
  "apiserver-unreachable",
  "auth-or-rbac",
  "host-link-conflict",
  "host-permission-or-mount",
  "kernel-or-module",
  "device-unavailable",
  "netns-gone",
  "teardown-failed",
  "runtime-stuck-or-slow",
  "node-resource-exhausted",
  "plugin-bug",
  "not-cni",
  "unknown",
] as const;
export type MessageCode = (typeof MESSAGE_CODES)[number];

/** Codes that need signals: no text is enough for them. */
export const SIGNAL_CODES = [
  "retry-storm",
  "oom-victim-candidate",
  "daemon-unschedulable",
  "wrong-master-cni",
  "sandbox-name-reserved",
  "cni-cache-broken",
  "silent-bypass",
  "cni-config-unnoticed",
  "installer-reported",
  "storm-of-nodes",
] as const;
export type SignalCode = (typeof SIGNAL_CODES)[number];

export type CauseCode = MessageCode | SignalCode;
export const CAUSE_CODES: readonly CauseCode[] = [...MESSAGE_CODES, ...SIGNAL_CODES];
export const isCauseCode = (text: string): text is CauseCode => CAUSE_CODES.includes(text as CauseCode);
