import { explain } from "../../messages/explain";
import { NO_HELD_PODS } from "../../judge-input";
import { agentReport, node, NOW_MS, secondsAgo } from "../../testing/builders";
import type { AgentReport } from "../../agent-report";
import type { SignalNow } from "../../node-view";
import type { SignalId } from "../../signals";
import { DEFAULT_THRESHOLDS } from "../../thresholds";
import type { CauseInput, ErrorGroup, Point } from "../types";

/**
 * Inputs of checks: every source is fresh and tells nothing bad, and the test says what differs. `signals` and `trends` are
 * looked up as in the product.
 */
export interface InputParts extends Partial<Omit<CauseInput, "signal" | "signalsOf" | "trend" | "report" | "nads">> {
  readonly signals?: readonly SignalNow[];
  readonly trends?: Readonly<Partial<Record<SignalId, readonly Point[]>>>;
  /** `null`: the agent is not heard. */
  readonly report?: AgentReport | null;
  /** `null`: they cannot be seen. */
  readonly nads?: CauseInput["nads"] | null;
}

export function causeInput(parts: InputParts = {}): CauseInput {
  const { signals = [], trends = {}, report = agentReport(), nads = new Map(), ...over } = parts;
  return {
    nowMs: NOW_MS,
    thresholds: DEFAULT_THRESHOLDS,
    node: node(),
    answer: { state: "yes", atRisk: false, idle: false, row: 5, summary: "", proof: [], sinceMs: secondsAgo(3_600) },
    held: NO_HELD_PODS,
    waitingPods: [],
    pods: new Map(),
    eventsAbout: () => [],
    errors: [],
    daemons: [],
    cniDaemons: [],
    daemonSets: [],
    ...(nads === null ? {} : { nads }),
    nadPluginTypes: new Set(),
    ...(report === null ? {} : { report }),
    sockets: [],
    cgroupKills: new Map(),
    deadline: { seconds: 240, assumed: false },
    signal: (signal, instance = "") => signals.find((one) => one.signal === signal && one.instance === instance),
    signalsOf: (signal) => signals.filter((one) => one.signal === signal),
    trend: (signal) => trends[signal] ?? [],
    source: (source) => (source === "agent" && report === null ? { source, freshness: "absent", reason: "no agent on this node" } : { source, freshness: "fresh", lastMs: NOW_MS }),
    kind: () => ({ seen: true }),
    accepted: [],
    gapsOf: () => undefined,
    kubeletFailures: {},
    kubeletPages: {},
    ...over,
  };
}

/** A fresh value of a signal. */
export const signalNow = (signal: SignalId, value: number, instance = "", over: Partial<SignalNow> = {}): SignalNow => ({ signal, instance, source: "kubelet", state: "fresh", value, atMs: NOW_MS, ...over });

/** A signal that cannot be told, and why. */
export const signalUnknown = (signal: SignalId, reason: string, instance = ""): SignalNow => ({ signal, instance, source: "kubelet", state: "unknown", reason });

/** A group of texts as the product makes it: explained by `explain` itself. */
export function errorGroup(text: string, pods: readonly string[] = ["default/web-1"], over: Partial<ErrorGroup> = {}): ErrorGroup {
  return { explanation: explain(text), text, pods, count: pods.length, firstMs: secondsAgo(120), lastMs: secondsAgo(10), ...over };
}
