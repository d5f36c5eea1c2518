import type { Plan } from "../../domain/actions/types";
import { parseRequestId, type RequestId } from "../../domain/ids";
import type { AuditEntry, Permit } from "../../domain/permit";
import type { NewRun } from "../state-types";
import { T0 } from "./temp-store";

/** What `authorize()` would return; it lives in a layer that the store does not know. */
export const permit = { actor: { kind: "local", systemUser: "anna" }, right: "run-action", object: "DaemonSet kube-system/kube-multus-ds" } as unknown as Permit;

export const entry = (requestId: string, outcome: AuditEntry["outcome"] = "allowed"): AuditEntry => ({ atMs: T0, actor: "anna", verb: "action.run", object: permit.object, requestId, outcome, detail: { node: "a", note: "…" } });

export function requestId(text: string): RequestId {
  const id = parseRequestId(text);
  if (id === undefined) throw new Error(`${text} is no request id`);
  return id;
}

const plan: Plan = {
  action: "set-daemon-resources",
  title: "Set kube-multus to 2 CPU and 4Gi",
  node: "a",
  object: { kind: "DaemonSet", namespace: "kube-system", name: "kube-multus-ds" },
  params: { container: "kube-multus", cpuLimitCores: 2 },
  steps: [{ title: "Change the limits", writes: true }],
  diff: [],
  affected: { nodes: 3, ofNodes: 3, podsRestarted: 3, atOnce: "1" },
  hazards: [],
  refusals: [],
  undo: { possible: true, how: "set the old values" },
  confirm: { kind: "type", text: "kube-multus-ds" },
  needs: { verb: "patch", group: "apps", resource: "daemonsets", namespace: "kube-system", name: "kube-multus-ds" },
  version: "v1",
  evidence: [],
  passRule: "a fresh sandbox",
};

export const run = (id: string): NewRun => ({ requestId: requestId(id), plan, before: { atMs: T0, answer: "no", atRisk: false, waiting: 220, oomKillsMs: [] }, startedMs: T0 });
