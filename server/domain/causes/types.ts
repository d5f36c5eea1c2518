import type { AgentReport } from "../agent-report";
import type { Answer, Evidence, WaitingPod } from "../answer";
import type { CniDaemon } from "../cni-daemons";
import type { DaemonGaps } from "../daemon-gaps";
import type { SharedTraits } from "../incident/shared-traits";
import type { EffectiveSocket, HeldPods, Part } from "../judge-input";
import type { Explanation } from "../messages/types";
import type { DaemonSetObject, EventObject, NadFacts, NodeObject, PodObject } from "../model";
import type { DaemonView, SignalNow } from "../node-view";
import type { CgroupKills, PageCourse } from "../node-window";
import type { KubeletPage, WatchedKind } from "../observation";
import type { SignalId } from "../signals";
import type { Source, SourceStatus } from "../sources";
import type { Thresholds } from "../thresholds";
import type { CauseCode } from "./codes";

/** Newest texts of failed sandboxes that mean the same, with the pods that met them and still have no sandbox. */
export interface ErrorGroup {
  readonly explanation: Explanation;
  /** One of the texts, whole as far as it is kept. */
  readonly text: string;
  /** "namespace/name", oldest wait first; bounded by MAX_PODS_NAMED. */
  readonly pods: readonly string[];
  /** How many pods met it. */
  readonly count: number;
  readonly firstMs: number;
  readonly lastMs: number;
  /** Since when the pod waits that met it and has waited longest; absent where only pods say so that are being torn down. */
  readonly waitingSinceMs?: number;
}

/** Most pods that a group or a finding lists by name; counts tell the whole number. */
export const MAX_PODS_NAMED = 20;
/** Most subjects that one finding names; its sentence tells how many there are. */
export const MAX_SUBJECTS = 20;
/** Most groups of texts that one judgement reads. */
export const MAX_ERROR_GROUPS = 24;
/** The complaint about a pod that is being torn down counts this long; a waiting pod's newest text counts while it waits. */
export const RECENT_TEXT_MS = 600_000;

export interface Point {
  readonly atMs: number;
  readonly value: number;
}

/**
 * Everything that the checks of one node read at one moment. Plain data and plain lookups, so that a recorded moment gives
 * the same findings for ever. What is stale is absent here, and `why` says why: a check then answers *unknown*, never *clear*.
 */
export interface CauseInput {
  readonly nowMs: number;
  readonly thresholds: Thresholds;
  readonly node: NodeObject;
  readonly answer: Answer;
  readonly held: HeldPods;
  readonly lastFreshMs?: number;
  /** Pods without a ready sandbox, oldest first, all kinds of hold. */
  readonly waitingPods: readonly WaitingPod[];
  readonly pods: ReadonlyMap<string, PodObject>;
  readonly eventsAbout: (uid: string) => Iterable<EventObject>;
  /** Texts of pods that have no sandbox now, and of pods that cannot be torn down, explained and grouped; newest group first. */
  readonly errors: readonly ErrorGroup[];
  /** The CNI daemons' pods on this node, and their DaemonSets of the whole cluster. */
  readonly daemons: readonly DaemonView[];
  readonly cniDaemons: readonly CniDaemon[];
  /** Every DaemonSet that is kept: CNI daemons and those of the system. */
  readonly daemonSets: readonly DaemonSetObject[];
  /** Network attachments by "namespace/name"; absent where they cannot be seen. */
  readonly nads?: ReadonlyMap<string, NadFacts>;
  readonly nadPluginTypes: ReadonlySet<string>;
  /** The agent's newest report while its source is fresh. */
  readonly report?: AgentReport;
  readonly sockets: readonly EffectiveSocket[];
  /** Kills inside the cgroups of CNI daemons, by `containerInstance`; see `trackCgroupKills`. */
  readonly cgroupKills: ReadonlyMap<string, CgroupKills>;
  readonly deadline: { readonly seconds: number; readonly assumed: boolean };
  /** The signal as it stands now, whatever its state; `undefined` where this node has no such series. */
  readonly signal: (signal: SignalId, instance?: string) => SignalNow | undefined;
  /** All instances of a signal. */
  readonly signalsOf: (signal: SignalId) => readonly SignalNow[];
  /** What was kept of the last TREND_MS of a series, oldest first; only for TREND_SIGNALS. */
  readonly trend: (signal: SignalId, instance?: string) => readonly Point[];
  readonly source: (source: Source) => SourceStatus;
  /** Whether a kind of API object is seen, or why not. */
  readonly kind: (kind: WatchedKind) => Part;
  /** Absent where nobody compared the nodes. */
  readonly fleet?: FleetPart;
  readonly accepted: readonly AcceptedException[];
  /** The nodes of the whole cluster without a pod of the CNI daemon "namespace/name"; `undefined` where nobody compared them. */
  readonly gapsOf: (daemon: string) => DaemonGaps | undefined;
  /** Kubelet pages that failed last, with the reason ("no answer in 10 s"). */
  readonly kubeletFailures: Readonly<Partial<Record<KubeletPage, string>>>;
  /** When each page was read last, and since when it fails: one page may hang while another answers. */
  readonly kubeletPages: Readonly<Partial<Record<KubeletPage, PageCourse>>>;
}

/** Series whose recent past is kept in memory, and how much of it. */
export const TREND_SIGNALS: readonly SignalId[] = ["sandbox.backlog", "pods.waiting", "cri.run_sandbox.errors", "cri.stop_sandbox.errors", "cri.list_seconds"];
export const TREND_MS = 900_000;

/** An object about which a person has said that a finding of this cause is as it should be, and why. */
export interface AcceptedException {
  readonly code: CauseCode;
  /** "kube-system/csi-node": what the finding is about. */
  readonly subject: string;
  readonly reason: string;
  /** Who said so, and when. */
  readonly by: string;
  readonly atMs: number;
}

/** What the whole fleet says of this node: whether it turned together with others, and what these share. */
export type FleetPart =
  | {
      readonly seen: true;
      /** Whether this node is one of those that are ill together. */
      readonly includesThis: boolean;
      /** When the first and the last of them turned; absent where they were ill when they were first looked at. */
      readonly turned?: { readonly firstMs: number; readonly lastMs: number };
      readonly shared: SharedTraits;
    }
  | { readonly seen: false; readonly reason: string };

/** What one check found on one node. */
export interface Finding {
  readonly state: "firing" | "clear" | "unknown";
  /** Only where firing: a measured mechanism names a cause, a text alone makes it suspected. */
  readonly certainty?: "named" | "suspected";
  /** Which kind of the cause fires, or, where it is unknown, which alone cannot be looked for; absent: all of it. */
  readonly detail?: string;
  /** One sentence with the figures: "kube-multus was throttled in 99.6 % of its CFS periods." For unknown: why it cannot be told. */
  readonly summary: string;
  readonly evidence: readonly Evidence[];
  /** "namespace/name" of the pods that it concerns, bounded by MAX_PODS_NAMED. */
  readonly pods?: readonly string[];
  /** Of a cause that `accepts`: what it is about now ("kube-system/csi-node"), and what it would be about, were that not accepted. Each at most MAX_SUBJECTS. */
  readonly subjects?: readonly string[];
  readonly accepted?: readonly string[];
  /** Where this one is graver or milder than its cause: a pod that asks for what is not there says nothing of the node. */
  readonly severity?: Severity;
  /** Where this one brings about less than its cause may: of the codes in the cause's own `explains`. */
  readonly explains?: readonly CauseCode[];
}

/**
 * `blocks`: pods do not start while it lasts. `risks`: they may stop to at the next occasion, or start wrongly. `notice`: worth
 * mending, and no risk for starting pods by itself; such a cause never marks a node *at risk* and opens no incident.
 */
export type Severity = "blocks" | "risks" | "notice";

/** One named failure: what it is, how it is found, what to do. One file each. */
export interface Cause {
  readonly code: CauseCode;
  readonly title: string;
  readonly severity: Severity;
  /** What happens, in two or three sentences that an SRE understands at three in the morning. */
  readonly meaning: string;
  readonly impact: string;
  /** What is looked at, one line each, with the threshold. */
  readonly checks: readonly string[];
  readonly lookAlikes: readonly { readonly code: CauseCode; readonly tells: string }[];
  /** Steps, in order; facts and hazards, no promises. */
  readonly mitigation: readonly string[];
  /** Names of actions that fit, registered or to come. */
  readonly actions: readonly string[];
  /** Causes that this one brings about: where both fire, they are folded under it. */
  readonly explains: readonly CauseCode[];
  /** It says what happens to calls and never why: where it was measured, a cause that only a text of the same pods suggests explains it all the same. */
  readonly symptom?: true;
  /** A finding of it may be right as it is, and a person may say so of one subject: what that subject is ("a system daemon"). Only of a *notice*: what stops pods cannot be accepted away. */
  readonly accepts?: string;
  /** One finding, or several where the cause has details that can fire side by side. Never empty. */
  readonly check: (input: CauseInput) => readonly Finding[];
}

/** A firing cause without what it brings about. */
export interface FiringCause extends Finding {
  readonly code: CauseCode;
  readonly state: "firing";
  readonly certainty: "named" | "suspected";
  readonly title: string;
  readonly severity: Severity;
  readonly sinceMs: number;
}

/** A firing cause as a view keeps it: one that no other firing cause explains, with those that it explains, nearest first. */
export interface CauseView extends FiringCause {
  readonly consequences: readonly FiringCause[];
}

/** What a node's checks came to. */
export interface Diagnosis {
  /** Roots, the gravest first; empty where nothing fires. */
  readonly causes: readonly CauseView[];
  /** Causes that could not be looked for, by the reason. */
  readonly unknownCauses: readonly { readonly reason: string; readonly codes: readonly CauseCode[] }[];
  /** What would fire here, were it not accepted; absent where nothing would. */
  readonly acceptedCauses?: readonly { readonly code: CauseCode; readonly title: string; readonly subjects: readonly string[] }[];
  /** Fired when they were last seen, and cannot be looked for now: neither firing nor cleared. */
  readonly suspendedCauses: readonly { readonly code: CauseCode; readonly detail?: string; readonly title: string; readonly sinceMs: number; readonly reason: string }[];
}

export const NO_DIAGNOSIS: Diagnosis = { causes: [], unknownCauses: [], suspendedCauses: [] };

export const causeDocs = (code: CauseCode): string => `docs/use/causes/${code}.md`;
