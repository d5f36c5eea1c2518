import type { CauseCode } from "../../causes/codes";
import type { CauseView, Diagnosis } from "../../causes/types";
import type { WaitingPod } from "../../answer";
import { advance, type LookContext } from "../advance";
import type { IncidentEntry, KeepStretch, NodeIncident, NodeLook } from "../types";

/** A node that tests make sick and well, looked at every few seconds as the collector does. */
export const T0 = Date.UTC(2026, 2, 17, 2, 0, 0);
export const SECOND = 1_000;
export const MINUTE = 60_000;

export function cause(code: CauseCode, sinceMs: number, over: Partial<CauseView> = {}): CauseView {
  return { code, state: "firing", certainty: "named", severity: "blocks", title: `The ${code}`, summary: `${code} was measured.`, evidence: [], sinceMs, consequences: [], ...over };
}

export const unseen = (code: CauseCode, reason = "no agent reports"): Diagnosis["unknownCauses"][number] => ({ reason, codes: [code] });

export function waitingPod(name: string, over: Partial<WaitingPod> = {}): WaitingPod {
  return { uid: name, namespace: "default", name, system: false, hold: { kind: "waiting", sinceMs: T0, stuck: true }, attemptsSeen: 1, ...over };
}

/** What a test says of one look; the rest is a well node. */
export interface Shown {
  readonly state?: "yes" | "no" | "unknown";
  readonly atRisk?: boolean;
  readonly causes?: readonly CauseView[];
  readonly unknownCauses?: Diagnosis["unknownCauses"];
  readonly fresh?: boolean;
  readonly stale?: boolean;
  readonly freshMs?: number;
  readonly pods?: readonly WaitingPod[];
  readonly oldestWaitMs?: number;
}

/** Follows one node's incident; `look` moves the time. */
export class Follower {
  nowMs = T0;
  previousMs: number | undefined;
  incident: NodeIncident | undefined;
  readonly entries: IncidentEntry[] = [];
  readonly kept: KeepStretch[] = [];
  /** Every incident that there ever was. */
  readonly ids = new Set<number>();
  #ids = 0;
  #answer: NodeLook["answer"] | undefined;

  constructor(readonly node = "node-07") {}

  /** One look after `forwardMs`. */
  look(shown: Shown = {}, forwardMs = 3 * SECOND): NodeIncident | undefined {
    this.nowMs += forwardMs;
    const { incident, entries, keep } = advance(this.incident, this.view(shown), this.context(shown));
    this.incident = incident;
    this.entries.push(...entries);
    this.kept.push(...keep);
    if (incident !== undefined) this.ids.add(incident.id);
    this.previousMs = this.nowMs;
    return incident;
  }

  /** The same look again and again for `forMs`. */
  stay(shown: Shown, forMs: number, everyMs = 3 * SECOND): NodeIncident | undefined {
    for (let passed = 0; passed < forMs; passed += everyMs) this.look(shown, everyMs);
    return this.incident;
  }

  /** Sandglass ends and starts: what is remembered goes through the store's text. */
  restart(awayMs: number): void {
    this.incident = this.incident === undefined ? undefined : (JSON.parse(JSON.stringify(this.incident)) as NodeIncident); // what was just written
    this.nowMs += awayMs;
  }

  view(shown: Shown): NodeLook {
    const state = shown.state ?? "yes";
    const atRisk = shown.atRisk ?? (state === "yes" && (shown.causes?.length ?? 0) > 0);
    const same = this.#answer?.state === state && this.#answer.atRisk === atRisk;
    this.#answer = { state, atRisk, idle: false, row: 3, summary: `It is ${state}.`, proof: [], sinceMs: same ? (this.#answer?.sinceMs ?? this.nowMs) : this.nowMs };
    const pods = shown.pods ?? [];
    return {
      name: this.node,
      answer: this.#answer,
      counts: { pods: 3, waiting: pods.length, waitingSystem: 0, stuck: pods.length, ownRequest: 0, other: 0, ...(shown.oldestWaitMs === undefined ? {} : { oldestWaitMs: shown.oldestWaitMs }) },
      sources: [{ source: "api", freshness: shown.stale === true ? "stale" : "fresh" }],
      causes: shown.causes ?? [],
      unknownCauses: shown.unknownCauses ?? [],
      suspendedCauses: [],
      ...(shown.freshMs !== undefined ? { lastFreshMs: shown.freshMs } : shown.fresh === true ? { lastFreshMs: this.nowMs } : {}),
    };
  }

  context(shown: Shown): LookContext {
    return {
      nowMs: this.nowMs,
      ...(this.previousMs === undefined ? {} : { previousMs: this.previousMs }),
      traits: () => ({ pool: "general" }),
      waitingPods: shown.pods ?? [],
      count: () => undefined,
      newId: () => (this.#ids += 1),
    };
  }

  get told(): readonly string[] {
    return this.entries.map(({ kind }) => kind);
  }
}
