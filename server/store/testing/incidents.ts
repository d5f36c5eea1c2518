import type { FleetIncident, NodeIncident } from "../../domain/incident/types";
import type { IncidentBatch } from "../types";
import { T0 } from "./temp-store";

export const incidentBatch = (parts: Partial<IncidentBatch>): IncidentBatch => ({ saved: [], forgotten: [], retold: [], entries: [], kept: [], ...parts });

export function nodeIncident(id: number, node: string, over: Partial<NodeIncident> = {}): NodeIncident {
  return {
    id, scope: "node", node, state: "open", stateMs: T0, severity: "blocks", signMs: T0, openedMs: T0, relapses: 0, reopened: 0, entries: 0, traits: { pool: "default" }, turnMs: T0, turnSeen: true, signs: 1,
    answer: { state: "no", atRisk: false, idle: false, sinceMs: T0, summary: "No." }, noMs: T0, peak: { waiting: 0, waitingSystem: 0, atMs: T0 }, causes: [], hurt: [], ...over,
  };
}

export function fleetIncident(id: number, over: Partial<FleetIncident> = {}): FleetIncident {
  return {
    id, scope: "fleet", state: "open", stateMs: T0, severity: "blocks", signMs: T0, openedMs: T0, relapses: 0, reopened: 0, entries: 0, nodes: ["a", "b", "c"], members: 3, now: { open: 3, unknown: 0, recovering: 0, closed: 0 }, lastTurnMs: T0,
    shared: { sick: 3, well: 9, shared: [], compared: [] }, causes: [], ...over,
  };
}
