import type { Evidence } from "../answer";
import type { CauseCode } from "../causes/codes";
import type { NodeView } from "../node-view";
import type { HurtWorkload } from "./hurt";
import type { IncidentState } from "./machine";
import type { SharedTraits, Traits } from "./shared-traits";

/** What of a node's view one look at it needs. */
export type NodeLook = Pick<NodeView, "name" | "answer" | "counts" | "lastFreshMs" | "sources" | "causes" | "unknownCauses" | "suspendedCauses">;

/** `risks`: pods start, and may stop to. The worst that the incident ever was. */
export type IncidentSeverity = "blocks" | "risks";

/** A cause as an incident remembers it, once for each code and detail. */
export interface IncidentCause {
  readonly code: CauseCode;
  readonly detail?: string;
  readonly title: string;
  readonly severity: IncidentSeverity;
  /** The best that it ever was. */
  readonly certainty: "named" | "suspected";
  /** `unseen`: it fired, and can no longer be looked for. */
  readonly state: "firing" | "ended" | "unseen";
  /** When it first began, and when it last did. */
  readonly firstMs: number;
  readonly sinceMs: number;
  /** The last look that saw it fire. */
  readonly seenMs: number;
  /** When it ended, or was lost sight of. */
  readonly toMs?: number;
  /** How often it began. */
  readonly times: number;
  /** The newest sentence and evidence while it fired. */
  readonly summary: string;
  readonly evidence: readonly Evidence[];
  readonly pods?: readonly string[];
  /** Why it cannot be looked for. */
  readonly reason?: string;
  /** The cause that brought it about, where one does. */
  readonly under?: CauseCode;
}

export const MAX_CAUSES_KEPT = 40;
export const MAX_EVIDENCE_KEPT = 24;

interface Common {
  readonly id: number;
  readonly state: IncidentState;
  readonly stateMs: number;
  readonly severity: IncidentSeverity;
  /** When the first sign of it was, as far as that can be told. */
  readonly signMs: number;
  /** Absent while it is only watched. */
  readonly openedMs?: number;
  readonly closedMs?: number;
  readonly closedBecause?: "recovered" | "node-gone";
  /** How often it came back before recovery had held, and after it had. */
  readonly relapses: number;
  readonly reopened: number;
  /** Entries of its own that were written. */
  readonly entries: number;
}

export interface NodeIncident extends Common {
  readonly scope: "node";
  readonly node: string;
  /** The fleet incident that it is part of. */
  readonly fleet?: number;
  /** Where the node stands and what it ran when it turned: what is compared among many. */
  readonly traits: Traits;
  /** When it became as bad as it is. False: nobody looked before, so it may have been so for long. */
  readonly turnMs: number;
  readonly turnSeen: boolean;
  /** Since when it is well without a break; absent while it is not. */
  readonly wellMs?: number;
  /** When it became well, while it recovers and once it is closed. */
  readonly recoveredMs?: number;
  /** Separate signs, each too short, while watched or closed. */
  readonly signs: number;
  readonly answer: Pick<NodeView["answer"], "state" | "atRisk" | "idle" | "sinceMs" | "summary">;
  /** When the answer first was *no* within it; absent where it never was. */
  readonly noMs?: number;
  /** The newest sandbox that became ready after the first sign and did not end it. */
  readonly startedMs?: number;
  readonly peak: { readonly waiting: number; readonly waitingSystem: number; readonly atMs: number };
  readonly causes: readonly IncidentCause[];
  readonly hurt: readonly HurtWorkload[];
  /** The stretch whose samples are kept as they came, while it lasts. */
  readonly keeping?: { readonly fromMs: number; readonly toMs: number };
}

export interface FleetIncident extends Common {
  readonly scope: "fleet";
  /** Nodes in the order in which they turned, at most MAX_MEMBERS_NAMED; `members` counts all. */
  readonly nodes: readonly string[];
  readonly members: number;
  /** Members by state now. */
  readonly now: { readonly open: number; readonly unknown: number; readonly recovering: number; readonly closed: number };
  /** When the newest member turned. */
  readonly lastTurnMs: number;
  /** Set where its nodes were seen sick at the first look: what they have in common is this cause, not the moment. */
  readonly sameCause?: string;
  readonly shared: SharedTraits;
  /** Titles of its members' causes with how many have each, most first. */
  readonly causes: readonly { readonly code: CauseCode; readonly detail?: string; readonly title: string; readonly nodes: number }[];
}

export type Incident = NodeIncident | FleetIncident;

export const MAX_MEMBERS_NAMED = 200;
export const MAX_FLEET_CAUSES = 12;

/** What happened to the incident itself, one line of its story. What happened on the node is told by its own rows. */
export interface IncidentEntry {
  readonly atMs: number;
  readonly kind: EntryKind;
  readonly text: string;
  readonly detail?: string;
}

export const ENTRY_KINDS = [
  "sign", "opened", "reopened", "unknown", "seen-again", "recovering", "relapsed", "closed", "worse",
  "cause-began", "cause-again", "cause-named", "cause-ended", "cause-unseen", "cause-seen-again", "joined", "left", "member", "shared",
] as const;
export type EntryKind = (typeof ENTRY_KINDS)[number];

/** Most entries of one incident; beyond it only its end is still written. */
export const MAX_ENTRIES = 1_000;

/** A look's outcome. `incident` absent: there is none (any more). */
export interface Advanced<T extends Incident = NodeIncident> {
  readonly incident?: T;
  readonly entries: readonly IncidentEntry[];
  /** Something that a list or page shows changed; figures alone do not. */
  readonly changed: boolean;
  readonly keep: readonly KeepStretch[];
}

/** Samples of a node that are kept as they came, with the incident. */
export interface KeepStretch {
  readonly incident: number;
  readonly node: string;
  readonly fromMs: number;
  readonly toMs: number;
}
