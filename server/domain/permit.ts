/**
 * The trace that every write on behalf of a person carries. A Permit comes from `authorize()` in server/auth and from
 * nowhere else: its brand is not exported as a value, and lint allows the cast in that folder only.
 */
declare const issued: unique symbol;

export type Actor =
  | { readonly kind: "local"; readonly systemUser: string }
  /** The name that the API server gives to the credentials in use. */
  | { readonly kind: "cluster-user"; readonly user: string; readonly systemUser: string };

export const RIGHTS = ["read", "plan-action", "run-action", "accept-key", "accept-exception", "export", "annotate"] as const;
export type Right = (typeof RIGHTS)[number];

export interface Permit {
  readonly [issued]: true;
  readonly actor: Actor;
  readonly right: Right;
  readonly object: string;
}

export interface AuditEntry {
  readonly atMs: number;
  readonly actor: string;
  /** Dotted verb: "action.run", "kubelet-key.accept". */
  readonly verb: string;
  readonly object: string;
  readonly requestId: string;
  readonly outcome: "allowed" | "refused" | "done" | "failed";
  readonly detail: Readonly<Record<string, unknown>>;
}

/** "anna (system:serviceaccount:…)" as the audit log shows it. */
export function actorName(actor: Actor): string {
  return actor.kind === "local" ? actor.systemUser : `${actor.systemUser} as ${actor.user}`;
}
