/**
 * The life of an incident as a table: every state knows what to do with everything that a look at its node can show. The
 * text of it, with its invariants, is docs/develop/spec.md, "Incident".
 */
export const INCIDENT_STATES = [
  /** A sign is there that has not lasted yet; nobody is told. */
  "watched",
  /** The node was sick, or half well, at the last look. */
  "open",
  /** Whether it still is cannot be told: what it rested on is not seen any more. */
  "unknown",
  /** Well at the last look, not for long enough yet. */
  "recovering",
  "closed",
] as const;
export type IncidentState = (typeof INCIDENT_STATES)[number];

export const INCIDENT_INPUTS = [
  /** A cause that blocks or risks fires, or the answer is *no*; not for long enough to open an incident. */
  "sick",
  /** The same, for long enough. */
  "sick-held",
  /** Neither: the answer is *yes, at risk* with no such cause, so some pods start and some do not. */
  "mixed",
  /** The answer is *yes* and nothing fires; not for long enough. */
  "well",
  /** The same, for long enough. */
  "well-held",
  /** The answer is *unknown*, or a cause that has not ended cannot be looked for. */
  "blind",
  /** The node left the cluster. */
  "gone",
] as const;
export type IncidentInput = (typeof INCIDENT_INPUTS)[number];

/** A sign that did not hold leaves no trace. */
export const FORGOTTEN = "forgotten";
/** No input of this state: the keeper asks for it only of states in which it can come. */
export const IMPOSSIBLE = "impossible";

/** A cell that is missing, or one too many, does not compile. */
export type IncidentTable = { readonly [S in IncidentState]: { readonly [I in IncidentInput]: IncidentState | typeof FORGOTTEN | typeof IMPOSSIBLE } };

export const INCIDENT_TABLE: IncidentTable = {
  watched: {
    sick: "watched",
    "sick-held": "open",
    mixed: "watched",
    well: "watched",
    "well-held": FORGOTTEN,
    blind: "watched",
    gone: FORGOTTEN,
  },
  open: {
    sick: "open",
    "sick-held": "open",
    mixed: "open",
    well: "recovering",
    "well-held": IMPOSSIBLE,
    blind: "unknown",
    gone: "closed",
  },
  unknown: {
    sick: "open",
    "sick-held": "open",
    mixed: "open",
    well: "recovering",
    "well-held": IMPOSSIBLE,
    blind: "unknown",
    gone: "closed",
  },
  recovering: {
    sick: "open",
    "sick-held": "open",
    mixed: "open",
    well: "recovering",
    "well-held": "closed",
    blind: "unknown",
    gone: "closed",
  },
  closed: {
    sick: "closed",
    "sick-held": "open",
    mixed: "closed",
    well: "closed",
    "well-held": "closed",
    blind: "closed",
    gone: "closed",
  },
};
