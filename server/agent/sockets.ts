import { MAX_SOCKETS, type SocketReading, type UnseenSocket } from "../domain/agent-report";
import { KNOWN_SOCKETS, canonicalSocketPath } from "../domain/known-sockets";
import { monotonicMs } from "../clock";
import { MAX_SOCKET_PATH_BYTES, contact, type Contact } from "./connect";
import { KIND_WORDS, reasonOf, type HostFs, type Stamp } from "./host-fs";
import { acceptQueue } from "./accept-queue";
import type { NamedSocket } from "./options";

export interface Target {
  readonly name: string;
  readonly path: string;
  readonly speaks: "http" | "any";
  readonly healthPaths: readonly string[];
}

export type Look = { readonly reading: SocketReading } | { readonly unseen: UnseenSocket };

export interface SocketLooks {
  readonly items: readonly SocketReading[];
  readonly unseen: readonly UnseenSocket[];
}

/** For one socket, all its health paths together. */
export const PROBE_TIMEOUT_MS = 5_000;
/** Even if all of them are silent, the round ends within two time-outs. */
const PROBES_AT_ONCE = MAX_SOCKETS / 2;

/**
 * Which sockets to look at: those named on the command line, those that a config of the conf dir calls, and those known
 * ones that are there, or were since the agent started. A known socket of a CNI that this node does not use is none.
 */
export async function chooseTargets(fs: HostFs, named: readonly NamedSocket[], inConfig: readonly string[], seenBefore: Set<string>): Promise<readonly Target[]> {
  const targets = new Map<string, Target>();
  const add = (target: Target): void => {
    if (!targets.has(target.path) && targets.size < MAX_SOCKETS) targets.set(target.path, target);
  };
  for (const { name, path, speaks } of named) {
    const known = KNOWN_SOCKETS.find((row) => canonicalSocketPath(row.path) === canonicalSocketPath(path));
    add({ name, path: canonicalSocketPath(path), speaks: known?.speaks ?? speaks, healthPaths: known?.healthPaths ?? ["/"] });
  }
  for (const path of inConfig.map(canonicalSocketPath)) {
    const known = KNOWN_SOCKETS.find((row) => canonicalSocketPath(row.path) === path || row.path.split("/").at(-1) === path.split("/").at(-1));
    add({ name: known?.name ?? nameFromPath(path), path, speaks: known?.speaks ?? "any", healthPaths: known?.healthPaths ?? ["/"] });
  }
  for (const known of KNOWN_SOCKETS) {
    const path = canonicalSocketPath(known.path);
    if (!seenBefore.has(path) && (await isThere(fs, path))) seenBefore.add(path);
    if (seenBefore.has(path)) add({ ...known, path });
  }
  return [...targets.values()];
}

async function isThere(fs: HostFs, path: string): Promise<boolean> {
  try {
    return (await fs.stat(path)) !== undefined;
  } catch {
    return true; // something is there that may not be looked at: the probe will say why
  }
}

/** "/run/daemon-shim/daemon.sock" → "daemon-shim". */
function nameFromPath(path: string): string {
  const parts = path.split("/").filter((part) => part !== "");
  const folder = parts.at(-2);
  return (folder === undefined || folder === "run" ? parts.at(-1)?.replace(/\.sock(et)?$/, "") : folder) ?? "socket";
}

/** Looks at every target, half of the most at a time, each at most `timeoutMs`. `signal` ends it early; what it gives then is worth nothing. */
export async function lookAtSockets(fs: HostFs, targets: readonly Target[], timeoutMs: number = PROBE_TIMEOUT_MS, signal?: AbortSignal): Promise<SocketLooks> {
  const items: SocketReading[] = [];
  const unseen: UnseenSocket[] = [];
  const queue = [...targets];
  const worker = async (): Promise<void> => {
    for (let target = queue.shift(); target !== undefined; target = queue.shift()) {
      if (signal?.aborted === true) return;
      const look = await lookAtSocket(fs, target, timeoutMs, signal);
      if ("reading" in look) items.push(look.reading);
      else unseen.push(look.unseen);
    }
  };
  await Promise.all(Array.from({ length: PROBES_AT_ONCE }, worker));
  const byPath = (a: { readonly path: string }, b: { readonly path: string }): number => (a.path < b.path ? -1 : 1);
  return { items: items.sort(byPath), unseen: unseen.sort(byPath) };
}

export async function lookAtSocket(fs: HostFs, target: Target, timeoutMs: number = PROBE_TIMEOUT_MS, signal?: AbortSignal): Promise<Look> {
  const { name, path } = target;
  const couldNot = (reason: string): Look => ({ unseen: { name, path, reason } });
  let there: Stamp | undefined;
  const saw = (state: SocketReading["state"], detail: string, latencySeconds?: number): Look => ({
    reading: { name, path, state, detail, ...(latencySeconds === undefined ? {} : { latencySeconds }), ...(there === undefined || state === "absent" ? {} : { inode: there.inode, kind: there.kind, owner: there.owner }) },
  });
  let here: string;
  try {
    here = await fs.resolve(path);
    there = await fs.stamp(path);
    if (there === undefined) return saw("absent", "nothing at this path");
    if (there.kind !== "socket") return saw("refuses", `${KIND_WORDS[there.kind]} stands where the socket should be`);
  } catch (error) {
    return couldNot(reasonOf(error));
  }
  if (Buffer.byteLength(here) > MAX_SOCKET_PATH_BYTES) return couldNot(`${here} is longer than the ${String(MAX_SOCKET_PATH_BYTES)} bytes that a socket's path may have`);

  const startedMs = monotonicMs();
  const said: string[] = [];
  for (const healthPath of target.healthPaths) {
    const leftMs = timeoutMs - (monotonicMs() - startedMs);
    if (leftMs <= 0) return saw("silent", [...said, `no answer in ${seconds(timeoutMs)}`].join(", "));
    const met = await contact(here, requestFor(healthPath), leftMs, signal);
    if (met.met === "denied") return couldNot(met.code);
    if (met.met === "answered") {
      const status = statusOf(met);
      said.push(status === undefined ? "answers, but not in HTTP" : `${status} on ${healthPath}`);
      if (status === "404" && healthPath !== target.healthPaths.at(-1)) continue;
      return saw("answers", said.join(", "), met.tookMs / 1000);
    }
    if (met.met === "absent") return saw("absent", "went away while it was looked at");
    if (met.met === "refused") return saw("refuses", met.code);
    if (met.met === "queue-full") return saw("silent", `${met.code}: its queue of waiting connections is full`);
    if (met.met === "closed") {
      // In a protocol that is not HTTP, hanging up on a stray GET is what a live process does.
      return target.speaks === "any" ? saw("answers", "closed the connection on an HTTP request", met.tookMs / 1000) : saw("refuses", "accepted, then closed without an answer");
    }
    if (met.met === "silent") return target.speaks === "http" ? saw("silent", [...said, `connected, no answer in ${seconds(timeoutMs)}`].join(", ")) : await silentOfUnknownKind(here, timeoutMs, saw, couldNot);
  }
  return couldNot("no health path to ask");
}

/** Silence to an HTTP request proves nothing for a daemon of another protocol, unless it does not even take connections. */
async function silentOfUnknownKind(path: string, timeoutMs: number, saw: (state: SocketReading["state"], detail: string) => Look, couldNot: (reason: string) => Look): Promise<Look> {
  const queue = await acceptQueue(path);
  if (!queue.looked) return couldNot(`connected, no answer to an HTTP request in ${seconds(timeoutMs)}, and ${queue.reason}`);
  return queue.waiting > 0 ? saw("silent", `${String(queue.waiting)} connections that its process has not taken`) : saw("answers", "takes connections; its protocol is not HTTP");
}

const seconds = (ms: number): string => `${String(ms / 1000)} s`;

const requestFor = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: localhost\r\nUser-Agent: sandglass-agent\r\nAccept: */*\r\nConnection: close\r\n\r\n`;

const statusOf = (met: Extract<Contact, { met: "answered" }>): string | undefined => /^HTTP\/1\.[01] (\d{3})\b/.exec(met.firstLine)?.[1];
