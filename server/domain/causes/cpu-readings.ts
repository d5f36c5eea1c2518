import type { Evidence } from "../answer";
import type { SignalNow } from "../node-view";
import { numberWords } from "../words";
import { containerOf, daemonPods, daemonsUnseen, signalOf, type DaemonPod } from "./daemon-pods";
import { couldNotLook, signalEvidence } from "./evidence";
import { kubeletUnseen } from "./findings";
import type { CauseInput } from "./types";

/** Throttled in so many of its periods a container has used up its limit for as long as it worked: a burst of three pods at 100m gave 52 %, a queue that does not end 94 to 99.9 % (recorded from multus). */
export const THROTTLED_SHARE = 0.75;
/** Below this its own limit is not what it waits for. */
export const BARELY_THROTTLED_SHARE = 0.25;
/** Share of time in which some thread of the daemon wanted a CPU and had none. */
export const STARVED_SHARE = 0.4;

export interface CpuReading {
  readonly daemonPod: DaemonPod;
  readonly limitCores?: number;
  readonly throttled?: SignalNow;
  readonly pressure?: SignalNow;
}

/** CPU of every CNI daemon on the node, or why nothing can be told of any. */
export function cpuReadings(input: CauseInput): { readonly seen: true; readonly readings: readonly CpuReading[] } | { readonly seen: false; readonly reason: string } {
  const reason = daemonsUnseen(input);
  if (reason !== undefined) return { seen: false, reason };
  const readings = daemonPods(input).map((daemonPod): CpuReading => {
    const throttled = signalOf(input, daemonPod, "daemon.cpu.throttled_share");
    const pressure = signalOf(input, daemonPod, "daemon.cpu.psi_share");
    const limitCores = daemonPod.view?.cpuLimitCores;
    return { daemonPod, ...(limitCores === undefined ? {} : { limitCores }), ...(throttled === undefined ? {} : { throttled }), ...(pressure === undefined ? {} : { pressure }) };
  });
  return { seen: true, readings };
}

export const fresh = (now: SignalNow | undefined): number | undefined => (now?.state === "fresh" ? now.value : undefined);

/** Why a share of a daemon's CPU is not known; the same sentence for every check that misses what the kubelet tells. */
export function whyUnknown(input: CauseInput, what: string, { daemonPod }: CpuReading, now: SignalNow | undefined): string {
  const unseen = input.report === undefined ? kubeletUnseen(input) : undefined;
  return unseen ?? `${what} of ${containerOf(daemonPod)} cannot be told: ${now?.reason ?? "nothing tells it"}`;
}

export const throttledEvidence = (input: CauseInput, reading: CpuReading): Evidence =>
  reading.limitCores === undefined
    ? couldNotLook(`CFS periods of ${containerOf(reading.daemonPod)}`, "kubelet", "it has no CPU limit, so it has none")
    : signalEvidence(`CFS periods in which ${containerOf(reading.daemonPod)} was throttled, last 5 min`, reading.throttled, "nothing tells it");
export const pressureEvidence = (reading: CpuReading): Evidence => signalEvidence(`Time in which ${containerOf(reading.daemonPod)} waited for a CPU (PSI), last 5 min`, reading.pressure, "nothing tells it");

/** "99.9 %": near the whole one decimal more, so that nearly all is not all. */
export const nearlyWords = (share: number): string => `${numberWords(share * 100, share >= 0.99 && share < 1 ? 1 : 0)} %`;
