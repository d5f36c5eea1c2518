import type { Evidence } from "../answer";
import { countWords, rangeWords, spanWords } from "../words";
import type { CauseCode } from "./codes";
import { seen } from "./evidence";
import type { CauseInput } from "./types";

/** A sandbox takes a second or two; from here on a start is slow, long before a pod counts as stuck. */
export const SLOW_START_MS = 30_000;
/** RunPodSandbox in the 95th percentile. */
export const SLOW_CALLS_SECONDS = 10;

/** Texts that say at once why a call fails: a pod that waits with one of them does not wait because anything is slow. */
const QUICK_ENDS: ReadonlySet<CauseCode> = new Set([
  "plugin-binary-missing",
  "cni-config-missing",
  "cni-config-invalid",
  "cni-version-mismatch",
  "nad-missing",
  "ipam-exhausted",
  "ipam-leak",
  "auth-or-rbac",
  "host-link-conflict",
  "host-permission-or-mount",
  "kernel-or-module",
  "device-unavailable",
  "node-resource-exhausted",
  "not-cni",
] satisfies CauseCode[]);

/**
 * Whether starts are slow now, with what shows it: pods wait for longer than a healthy node lets them, or calls that finished took long.
 * Daemons that are throttled or starved of CPU and all the same keep up are in order. `undefined`: nothing is held up, or what waits was
 * refused at once for a reason of its own.
 */
export function heldUp(input: CauseInput): { readonly words: string; readonly evidence: Evidence } | undefined {
  const { waiting, oldestWaitMs } = input.held;
  if (waiting > 0 && oldestWaitMs !== undefined && input.nowMs - oldestWaitMs >= SLOW_START_MS && !allEndQuickly(input)) {
    return {
      words: `${countWords(waiting, "pod")} ${waiting === 1 ? "waits" : "wait"}, the oldest for ${spanWords(oldestWaitMs, input.nowMs)}`,
      evidence: seen("Pods waiting for a sandbox", "api", { value: waiting, unit: "count", atMs: oldestWaitMs }),
    };
  }
  const low = input.signal("cri.run_sandbox.p95.low");
  if (low?.state !== "fresh" || low.value === undefined || low.value < SLOW_CALLS_SECONDS) return undefined;
  const high = input.signal("cri.run_sandbox.p95.high");
  const range = rangeWords(low.value, high?.state === "fresh" ? high.value : undefined);
  return {
    words: `RunPodSandbox takes ${range} in the 95th percentile`,
    evidence: seen("RunPodSandbox latency, 95th percentile of the last 5 min", low.source, { value: range, ...(low.atMs === undefined ? {} : { atMs: low.atMs }) }),
  };
}

function allEndQuickly({ errors, held }: CauseInput): boolean {
  if (errors.length === 0 || errors.some(({ explanation }) => !QUICK_ENDS.has(explanation.cause) || explanation.confidence === "low")) return false;
  return errors.reduce((sum, { count }) => sum + count, 0) >= held.waiting;
}
