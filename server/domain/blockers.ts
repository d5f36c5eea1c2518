import type { Evidence } from "./answer";
import { RUNTIME_SOCKET, type EffectiveSocket, type JudgeInput } from "./judge-input";
import { SILENT_SOCKET_SECONDS } from "./thresholds";
import { durationWords, lineWords, listWords } from "./words";

/** Longest text of a condition that a summary repeats. */
const MAX_CONDITION_WORDS = 200;

/** A definite blocker, measured now: no pod can get a sandbox while it lasts. */
export interface Blocker {
  /** Subject of the summary: "The runtime's network is not ready: cni plugin not initialized". */
  readonly words: string;
  readonly evidence: Evidence;
}

/** Something that must hold for a pod to start, and can be looked at without one. */
export interface Precondition {
  readonly holds: boolean;
  readonly words: string;
  readonly evidence: Evidence;
}

/**
 * What makes a start impossible by itself (row 2 of DESIGN "Judging"), from fresh sources only. The kubelet's Ready
 * condition counts where it repeats what the runtime says of itself; "PLEG is not healthy" and other reasons are no blockers,
 * nor is any text of an event, nor a socket that no plugin of the effective conflist calls.
 */
export function definiteBlockers(input: JudgeInput): readonly Blocker[] {
  const blockers: Blocker[] = [];
  if (input.api.freshness === "fresh") blockers.push(...conditionBlockers(input));
  if (input.agentStatus.freshness === "fresh") blockers.push(...runtimeBlockers(input), ...binaryBlockers(input), ...socketBlockers(input));
  return blockers;
}

function conditionBlockers({ ready, api }: JudgeInput): Blocker[] {
  if (ready?.status !== "False") return [];
  const message = ready.message ?? "";
  const what = "Node condition Ready";
  const evidence: Evidence = { what, look: "seen", value: lineWords(`False: ${message}`, MAX_CONDITION_WORDS), source: "api", ...at(ready.sinceMs ?? api.lastMs) };
  if (message.includes("container runtime is down")) return [{ words: "The kubelet says that the container runtime is down", evidence }];
  if (message.includes("container runtime network not ready")) return [{ words: `The runtime's network is not ready: ${networkReason(message)}`, evidence }];
  return [];
}

/** The runtime's own words out of the kubelet's sentence. */
function networkReason(message: string): string {
  const mark = "message:";
  const start = message.indexOf(mark);
  const text = start < 0 ? message : message.slice(start + mark.length);
  const prefix = "Network plugin returns error: ";
  return lineWords(text.startsWith(prefix) ? text.slice(prefix.length) : text, MAX_CONDITION_WORDS);
}

function runtimeBlockers({ agent, agentStatus }: JudgeInput): Blocker[] {
  const down = agent?.runtime?.conditions.filter(({ type, status }) => !status && (type === "NetworkReady" || type === "RuntimeReady")) ?? [];
  return down.map(({ type, reason, message }) => ({
    words: type === "NetworkReady" ? `The runtime's network is not ready: ${networkReason(message || reason)}` : `The runtime says that it is not ready: ${lineWords(message || reason, MAX_CONDITION_WORDS)}`,
    evidence: { what: `Runtime condition ${type}`, look: "seen", value: lineWords(`false: ${message || reason}`, MAX_CONDITION_WORDS), source: "agent", ...at(agentStatus.lastMs) },
  }));
}

function binaryBlockers({ agent, agentStatus }: JudgeInput): Blocker[] {
  const missing = agent?.config?.missingBinaries ?? [];
  if (agent?.config === undefined || missing.length === 0) return [];
  const { effectiveFile, binDirs } = agent.config;
  return [
    {
      words: `Plugin ${listWords(missing)} of ${effectiveFile ?? "the effective conflist"} is not in ${listWords(binDirs)}`,
      evidence: { what: "Plugin binaries of the effective conflist that are absent", look: "seen", value: missing.join(", "), source: "agent", ...at(agentStatus.lastMs) },
    },
  ];
}

function socketBlockers(input: JudgeInput): Blocker[] {
  const { agent, agentStatus } = input;
  return (agent?.sockets ?? []).flatMap((socket) => {
    const trouble = socketTrouble(socket, input);
    if (trouble === undefined) return [];
    const isRuntime = socket.name === RUNTIME_SOCKET;
    const detail = socket.detail === undefined ? "" : ` (${lineWords(socket.detail, MAX_CONDITION_WORDS)})`;
    return [
      {
        words: isRuntime ? `The container runtime's socket ${socket.path} ${trouble}` : `Socket ${socket.path}, which the effective conflist calls, ${trouble}`,
        evidence: {
          what: isRuntime ? `Socket ${socket.path} of the container runtime` : `Socket ${socket.path}, called by the effective conflist`,
          look: "seen",
          value: `${socket.state}${detail}`,
          source: "agent",
          ...at((socket.state === "silent" ? socket.sinceMs : undefined) ?? agentStatus.lastMs),
        },
      },
    ];
  });
}

/** What makes a socket a blocker, as the end of a sentence; `undefined` where it is none. */
function socketTrouble(socket: EffectiveSocket, { nowMs, lastFreshMs }: JudgeInput): string | undefined {
  if (!socket.effective && socket.name !== RUNTIME_SOCKET) return undefined;
  if (socket.state === "refuses") return "refuses connections";
  if (socket.state === "absent") return "is absent";
  if (socket.state === "answers" || socket.sinceMs === undefined) return undefined;
  const silentSeconds = (nowMs - socket.sinceMs) / 1_000;
  const provenSince = lastFreshMs !== undefined && lastFreshMs >= socket.sinceMs;
  return silentSeconds >= SILENT_SOCKET_SECONDS && !provenSince ? `has been silent for ${durationWords(silentSeconds)}` : undefined;
}

/**
 * What an idle node's yes rests on: every precondition that a fresh source lets us look at. Empty where none can be
 * looked at; the caller then says unknown.
 */
export function preconditions(input: JudgeInput): readonly Precondition[] {
  const found: Precondition[] = [];
  const add = (holds: boolean, words: string, evidence: Omit<Evidence, "look">): void => {
    found.push({ holds, words, evidence: { ...evidence, look: holds ? "seen" : "not-seen" } });
  };
  if (input.api.freshness === "fresh") {
    const { ready } = input;
    if (ready !== undefined && ready.status !== "Unknown") {
      add(ready.status === "True", ready.status === "True" ? "the kubelet is ready" : `the kubelet is not ready (${lineWords(ready.message ?? ready.reason ?? "no reason told", MAX_CONDITION_WORDS)})`, { what: "Node condition Ready", value: ready.status, source: "api", ...at(ready.sinceMs) });
    }
    if (input.pods.seen) {
      for (const daemon of input.daemons) add(daemon.ready, `${daemon.name} is ${daemon.ready ? "ready" : "not ready"}`, { what: `CNI daemon ${daemon.name}`, value: daemon.ready ? "ready" : "not ready", source: "api" });
    }
  }
  const { agent } = input;
  if (input.agentStatus.freshness !== "fresh" || agent === undefined) return found;
  for (const { type, status, message, reason } of agent.runtime?.conditions ?? []) {
    if (type === "NetworkReady" || type === "RuntimeReady") add(status, `${type} is ${String(status)}`, { what: `Runtime condition ${type}`, value: status ? "true" : `false: ${lineWords(message || reason, MAX_CONDITION_WORDS)}`, source: "agent" });
  }
  if (agent.config !== undefined) {
    const { effectiveFile, dir, missingBinaries } = agent.config;
    add(effectiveFile !== undefined, effectiveFile === undefined ? `${dir} holds no usable CNI config` : `${effectiveFile} is loaded from ${dir}`, { what: "Effective CNI config", value: effectiveFile ?? "none", source: "agent" });
    if (effectiveFile !== undefined) add(missingBinaries.length === 0, missingBinaries.length === 0 ? "its plugins are installed" : `plugin ${listWords(missingBinaries)} is missing`, { what: "Plugin binaries of the effective conflist", value: missingBinaries.length === 0 ? "all there" : `missing: ${missingBinaries.join(", ")}`, source: "agent" });
  }
  for (const socket of agent.sockets) if (socket.effective) add(socket.state === "answers", `socket ${socket.path} ${socket.state === "answers" ? "answers" : `is ${socket.state}`}`, { what: `Socket ${socket.path}`, value: socket.state, source: "agent" });
  return found;
}

const at = (atMs: number | undefined): { atMs?: number } => (atMs === undefined ? {} : { atMs });
