import { CNI_ROWS } from "../cni-daemons";
import type { EffectiveSocket } from "../judge-input";
import { canonicalSocketPath, KNOWN_SOCKETS, knownSocketFor } from "../known-sockets";
import { AGENT_PERIOD_MS } from "../sources";
import { agentPart } from "./agent-part";
import { daemonPods, isRunning, type DaemonPod } from "./daemon-pods";
import { couldNotLook, seen } from "./evidence";
import { lineWords } from "./findings";
import type { CauseInput } from "./types";
import type { Evidence } from "../answer";

/** A state counts once two reports in a row tell it: in an ordinary restart a socket is gone for a second or two. Reports come a little early or late. */
export const SOCKET_LASTS_MS = (2 / 3) * AGENT_PERIOD_MS;
const MAX_DETAIL_CHARS = 120;

/** A socket that plugins of the config in force call. */
export interface CalledSocket {
  readonly socket: EffectiveSocket;
  /** Pods on this node of the CNI whose plugin calls it, none where no DaemonSet is known to serve it. */
  readonly servers: readonly DaemonPod[];
}

export type SocketLook = { readonly looked: true; readonly called: readonly CalledSocket[] } | { readonly looked: false; readonly reason: string };

/** The sockets that the config in force calls, each with the daemon that should serve it. */
export function calledSockets(input: CauseInput): SocketLook {
  const sockets = agentPart(input, "sockets");
  if (!sockets.looked) return sockets;
  const config = agentPart(input, "config");
  if (!config.looked) return config;
  const types = config.reading.pluginTypes;
  const called = input.sockets.filter(({ effective }) => effective).map((socket) => ({ socket, servers: serversOf(input, socket, types) }));
  return { looked: true, called };
}

function serversOf(input: CauseInput, { path }: EffectiveSocket, types: readonly string[]): readonly DaemonPod[] {
  const known = KNOWN_SOCKETS.find((one) => canonicalSocketPath(one.path) === canonicalSocketPath(path)) ?? onlyOne(types.flatMap((type) => knownSocketFor(type) ?? []));
  const cnis = CNI_ROWS.filter(({ pluginTypes }) => pluginTypes.some((type) => known?.pluginTypes.includes(type))).map(({ cni }) => cni);
  return daemonPods(input).filter(({ daemon }) => cnis.includes(daemon.cni));
}

const onlyOne = <T>(items: readonly T[]): T | undefined => (items.length === 1 ? items[0] : undefined);

/** When the agent was heard last: what it tells was so then, and may be otherwise now. */
export const agentHeardMs = (input: CauseInput): number => input.source("agent").lastMs ?? input.nowMs;

/** Nobody listens at the path, and that for longer than a restart takes. */
export function isDead(input: CauseInput, { state, sinceMs }: EffectiveSocket): boolean {
  return (state === "refuses" || state === "absent") && sinceMs !== undefined && agentHeardMs(input) - sinceMs >= SOCKET_LASTS_MS;
}

export const serverRuns = ({ servers }: CalledSocket): DaemonPod | undefined => servers.find(isRunning);

export const STATE_WORDS: Readonly<Record<EffectiveSocket["state"], string>> = { answers: "answers", silent: "accepts and does not answer", refuses: "refuses connections", absent: "is absent" };

export function socketEvidence(input: CauseInput, { path, state, detail, sinceMs }: EffectiveSocket): Evidence {
  const atMs = sinceMs ?? input.report?.atMs;
  const value = `${state}${detail === undefined ? "" : ` (${lineWords(detail, MAX_DETAIL_CHARS)})`}`;
  return seen(`Socket ${path}, which the config in force calls`, "agent", { value, ...(atMs === undefined ? {} : { atMs }) });
}

/** The sockets that are called, or why none can be looked at. */
export function socketsEvidence(input: CauseInput, look: SocketLook): readonly Evidence[] {
  return look.looked ? look.called.map(({ socket }) => socketEvidence(input, socket)) : [couldNotLook("Sockets that the config in force calls", "agent", look.reason)];
}
