import type { Evidence } from "../answer";
import type { SignalNow } from "../node-view";
import { SIGNALS, type SignalDefinition } from "../signals";
import type { Source } from "../sources";

interface Reading {
  readonly value?: number | string;
  readonly unit?: string;
  readonly atMs?: number;
}

/** Something that a check looked for, and is there. */
export const seen = (what: string, source: Source, reading: Reading = {}): Evidence => ({ what, look: "seen", ...reading, source });

/** Something that a check looked for, and is not there. */
export const notSeen = (what: string, source: Source, reading: Reading = {}): Evidence => ({ what, look: "not-seen", ...reading, source });

export const couldNotLook = (what: string, source: Source, reason: string): Evidence => ({ what, look: "could-not-look", source, reason });

/** A signal as evidence: seen where its value is fresh, else why it could not be looked at. */
export function signalEvidence(what: string, now: SignalNow | undefined, absent: string): Evidence {
  if (now?.state !== "fresh" || now.value === undefined) return couldNotLook(what, now?.source ?? "kubelet", now?.reason ?? absent);
  const { unit }: SignalDefinition = SIGNALS[now.signal];
  return seen(what, now.source, { value: now.value, ...(unit === "count" || unit === "code" ? {} : { unit }), ...(now.atMs === undefined ? {} : { atMs: now.atMs }) });
}
