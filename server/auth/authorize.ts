import { actorName, type Actor, type AuditEntry, type Permit, type Right } from "../domain/permit";
import { ServiceError } from "../errors";

/**
 * The only maker of a Permit. In local mode the person at the loopback may read, plan, export and accept a
 * kubelet's new key; acting on a real
 * cluster needs `--allow-actions` as well, and the cluster's own word on this person's rights, asked by the service.
 */
export function authorize(actor: Actor, right: Right, object: string, allowed: { readonly actionsAllowed: boolean }): Permit {
  if (right === "run-action" && !allowed.actionsAllowed) {
    throw new ServiceError("forbidden", "Actions are off. Start Sandglass with --allow-actions to be able to change this cluster.");
  }
  return { actor, right, object } as Permit;
}

/** The audit row that goes with a permit: who, what, on what. */
export function auditEntry(permit: Permit, entry: Pick<AuditEntry, "atMs" | "verb" | "requestId" | "outcome" | "detail">): AuditEntry {
  return { ...entry, actor: actorName(permit.actor), object: permit.object };
}
