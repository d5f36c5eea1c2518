import { NO_DIAGNOSIS } from "../../domain/causes/types";
import { parseNodeName, type NodeName } from "../../domain/ids";
import type { EventObject } from "../../domain/model";
import type { NodeView } from "../../domain/node-view";
import type { SignalId } from "../../domain/signals";
import type { IngestBatch } from "../types";

export function nodeName(text: string): NodeName {
  const name = parseNodeName(text);
  if (name === undefined) throw new Error(`${text} is no node name`);
  return name;
}

export function batch(atMs: number, parts: Partial<IngestBatch> = {}): IngestBatch {
  return { atMs, samples: [], events: [], views: [], gone: [], answers: [], sources: [], kubeletKeys: [], ...parts };
}

export function sample(node: string, signal: SignalId, atMs: number, value: number, instance = ""): IngestBatch["samples"][number] {
  return { node: nodeName(node), signal, instance, atMs, value };
}

export function event(uid: string, parts: Partial<EventObject> = {}): EventObject {
  return { uid, namespace: "default", reason: "FailedCreatePodSandBox", type: "Warning", message: "failed to setup network", count: 1, firstMs: 0, lastMs: 0, about: { kind: "Pod", namespace: "default", name: "web-1", uid: "p1" }, ...parts };
}

export function view(name: string, state: "yes" | "no" | "unknown" = "yes", sinceMs = 0): NodeView {
  return {
    name,
    pool: "default",
    answer: { state, atRisk: false, idle: false, row: 5, summary: `${name} is ${state}`, proof: [], sinceMs },
    ready: "True",
    schedulable: true,
    taints: [],
    conditions: [],
    versions: {},
    sources: [],
    signals: [],
    counts: { pods: 0, waiting: 0, waitingSystem: 0, stuck: 0, ownRequest: 0, other: 0 },
    waitingPods: [],
    deadline: { seconds: 240, assumed: true },
    daemons: [],
    sockets: [],
    blind: [],
    ...NO_DIAGNOSIS,
  };
}

export const answer = (node: string, atMs: number, state: "yes" | "no" | "unknown", parts: Partial<IngestBatch["answers"][number]> = {}): IngestBatch["answers"][number] => ({ node, atMs, state, atRisk: false, idle: false, summary: `${node} ${state}`, ...parts });
