import { z } from "zod";
import { MAX_CONDITIONS, MAX_SANDBOXES, MAX_TEXT_CHARS, capText, type AgentReport, type Looked, type RuntimeReading, type SandboxReading, type SocketReading, type UnseenSocket } from "../domain/agent-report";
import { canonicalSocketPath } from "../domain/known-sockets";
import type { Log } from "../log";
import { idText, nameText } from "./bounds";
import { loadedConfigs, type LoadedConfigs } from "./conf/loaded";
import { MAX_SOCKET_PATH_BYTES, contact } from "./connect";
import type { CriConnection, CriContainer, CriSandbox } from "./cri";
import { CRI_DEADLINE_MS, CriError } from "./cri-error";
import { DISTRIBUTIONS } from "./distributions";
import { KIND_WORDS, reasonOf, type HostFs, type Stamp } from "./host-fs";

/** What the runtime says in one round, and what its socket itself showed. */
export interface RuntimeLook {
  readonly runtime: AgentReport["runtime"];
  readonly sandboxes: AgentReport["sandboxes"];
  /** Containers that run; not told, but they give processes and cgroups their names. */
  readonly containers: Looked<{ readonly items: readonly RunningContainer[] }>;
  readonly socket?: { readonly reading: SocketReading } | { readonly unseen: UnseenSocket };
  /** By which network configs it works, as it last told; absent where it tells none (CRI-O). */
  readonly loaded?: LoadedConfigs;
  /** For the config: which runtime, and where it says that its configs and plugins are. */
  readonly hints: { readonly name?: string; readonly criSocket?: string; readonly confDir?: string; readonly binDirs?: readonly string[] };
}

/** As a rule the verbose status is asked for now and then; `whole` asks for it in this round. */
export interface RuntimeQuestion {
  readonly whole?: boolean;
}

export interface RunningContainer {
  readonly id: string;
  readonly sandboxId: string;
  readonly name: string;
  readonly createdMs?: number;
}

export interface RuntimeReader {
  look(nowMs: number, question?: RuntimeQuestion): Promise<RuntimeLook>;
  /** Path on this side of the socket that was last listened at; undefined where none was. */
  socketHere(): string | undefined;
  close(): void;
}

export const CRI_SOCKET_NAME = "cri";
/** The verbose status repeats the runtime's whole config, which rarely changes: asked at first and then this often. */
const VERBOSE_EVERY_ROUNDS = 20;
const CONNECT_TIMEOUT_MS = 2_000;
/** A sandbox cannot be from the future; clocks that step a little are forgiven. */
const FUTURE_SLACK_MS = 60_000;
/** Running containers that are kept; a node runs some hundred. */
const MAX_CONTAINERS = 4_096;

/** `socket`: a path on the node, "auto" to find it, "none" to do without. */
export function runtimeReader(fs: HostFs, socket: string, log: Log, deadlineMs: number = CRI_DEADLINE_MS): RuntimeReader {
  let open: { readonly path: string; readonly here: string; readonly connection: CriConnection } | undefined;
  let round = 0;
  let told: Told = {};

  const connectionTo = async (path: string, here: string): Promise<CriConnection> => {
    if (open?.path === path) return open.connection;
    open?.connection.close();
    // Loaded only now: an agent without the runtime's socket does without the memory of gRPC.
    const { openCri } = await import("./cri");
    const connection = openCri(here, path, deadlineMs);
    open = { path, here, connection };
    round = 0;
    told = {};
    return connection;
  };

  return {
    look: async (nowMs, { whole = false } = {}) => {
      if (socket === "none") return blindLook("the agent was told to do without the runtime's socket (--cri-socket none)");
      const candidates = socket === "auto" ? DISTRIBUTIONS.map((row) => row.criSocket) : [canonicalSocketPath(socket)];
      const found = await findSocket(fs, candidates);
      if (found === undefined) return blindLook(`no runtime's socket at ${candidates.join(", ")}`);
      const { path } = found;
      const hints = { criSocket: path };
      if (found.state !== "connects") {
        const blind = blindLook(`${path}: ${found.detail}`);
        if (found.state === "unseen") return { ...blind, hints, socket: { unseen: { name: CRI_SOCKET_NAME, path, reason: found.detail } } };
        return { ...blind, hints, socket: { reading: { name: CRI_SOCKET_NAME, path, state: found.state, detail: found.detail, ...identity(found.there) } } };
      }
      const connection = await connectionTo(path, found.here);
      const verbose = whole || round % VERBOSE_EVERY_ROUNDS === 0;
      round += 1;
      const [version, status, list, running] = await Promise.all([settle(connection.version()), settle(connection.status(verbose)), settle(connection.listSandboxes()), settle(connection.listContainers())]);
      if (verbose && status.ok) told = toldBy(status.value.info, nowMs, log);
      const answered = version.ok || status.ok || list.ok;
      return {
        runtime: version.ok && status.ok ? { looked: true, reading: { name: nameText(version.value.runtime_name), version: nameText(version.value.runtime_version), conditions: conditions(status.value.status?.conditions ?? []) } } : { looked: false, reason: capText(version.ok ? (status.ok ? "" : status.error.message) : version.error.message) },
        sandboxes: list.ok ? { looked: true, ...sandboxes(list.value.items, nowMs), tookSeconds: list.value.tookSeconds } : { looked: false, reason: capText(list.error.message) },
        containers: running.ok ? { looked: true, items: containers(running.value, nowMs) } : { looked: false, reason: capText(running.error.message) },
        socket: { reading: { ...socketReading(path, answered, list), ...identity(found.there) } },
        ...(told.loaded === undefined ? {} : { loaded: told.loaded }),
        hints: { ...hints, ...told.folders, ...(version.ok ? { name: version.value.runtime_name } : {}) },
      };
    },
    socketHere: () => open?.here,
    close: () => {
      open?.connection.close();
      open = undefined;
    },
  };
}

type Settled<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: Error };

async function settle<T>(call: Promise<T>): Promise<Settled<T>> {
  try {
    return { ok: true, value: await call };
  } catch (error) {
    return { ok: false, error: error instanceof Error ? error : new Error(String(error)) };
  }
}

export const blindLook = (reason: string): RuntimeLook => ({ runtime: { looked: false, reason }, sandboxes: { looked: false, reason }, containers: { looked: false, reason }, hints: {} });

function socketReading(path: string, answered: boolean, list: Settled<{ readonly tookSeconds: number }>): SocketReading {
  const base = { name: CRI_SOCKET_NAME, path };
  if (list.ok) return { ...base, state: "answers", latencySeconds: list.value.tookSeconds, detail: "ListPodSandbox" };
  if (answered || !(list.error instanceof CriError) || list.error.kind !== "silent") return { ...base, state: "answers", detail: capText(list.error.message) };
  return { ...base, state: "silent", detail: capText(list.error.message) };
}

type Found = { readonly path: string; readonly there?: Stamp } & ({ readonly state: "connects"; readonly here: string } | { readonly state: "refuses" | "silent" | "unseen" | "absent"; readonly detail: string });

const identity = (there: Stamp | undefined): Pick<SocketReading, "inode" | "kind" | "owner"> => (there === undefined ? {} : { inode: there.inode, kind: there.kind, owner: there.owner });

/** The first socket that takes a connection; failing that, the first that is there at all. */
async function findSocket(fs: HostFs, candidates: readonly string[]): Promise<Found | undefined> {
  let second: Found | undefined;
  for (const path of candidates) {
    const found = await trySocket(fs, path);
    if (found.state === "connects") return found;
    if (found.state !== "absent" || candidates.length === 1) second ??= found;
  }
  return second;
}

async function trySocket(fs: HostFs, path: string): Promise<Found> {
  try {
    const there = await fs.stamp(path);
    if (there === undefined) return { path, state: "absent", detail: "nothing at this path" };
    if (there.kind !== "socket") return { path, there, state: "refuses", detail: `${KIND_WORDS[there.kind]} stands where the socket should be` };
    const here = await fs.resolve(path);
    if (Buffer.byteLength(here) > MAX_SOCKET_PATH_BYTES) return { path, state: "unseen", detail: `longer than ${String(MAX_SOCKET_PATH_BYTES)} bytes` };
    const met = await contact(here, undefined, CONNECT_TIMEOUT_MS);
    if (met.met === "connected") return { path, there, state: "connects", here };
    if (met.met === "denied") return { path, state: "unseen", detail: met.code };
    if (met.met === "absent") return { path, state: "absent", detail: "went away while it was looked at" };
    if (met.met === "queue-full") return { path, there, state: "silent", detail: `${met.code}: its queue of waiting connections is full` };
    return { path, there, state: "refuses", detail: met.met === "refused" ? met.code : met.met };
  } catch (error) {
    return { path, state: "unseen", detail: reasonOf(error) };
  }
}

const conditions = (all: RuntimeReading["conditions"]): RuntimeReading["conditions"] =>
  all.slice(0, MAX_CONDITIONS).map(({ type, status, reason, message }) => ({ type: nameText(type), status, reason: capText(reason), message: capText(message, MAX_TEXT_CHARS) }));

const SANDBOX_READY = 0;
const NANOSECONDS_PER_MS = 1_000_000;

/** containerd gives a sandbox of unknown state the year 1, which is negative here. */
function createdTime(createdAt: number, nowMs: number): { readonly createdMs?: number } {
  const createdMs = Math.floor(createdAt / NANOSECONDS_PER_MS);
  return createdMs > 0 && createdMs <= nowMs + FUTURE_SLACK_MS ? { createdMs } : {};
}

const containers = (all: readonly CriContainer[], nowMs: number): readonly RunningContainer[] =>
  all.slice(0, MAX_CONTAINERS).map(({ id, pod_sandbox_id: sandboxId, metadata, created_at: createdAt }) => ({ id, sandboxId, name: metadata?.name ?? "", ...createdTime(createdAt, nowMs) }));

function sandboxes(all: readonly CriSandbox[], nowMs: number): { items: SandboxReading[]; truncated: boolean } {
  return { items: all.slice(0, MAX_SANDBOXES).map((sandbox) => sandboxReading(sandbox, nowMs)), truncated: all.length > MAX_SANDBOXES };
}

export const sandboxReading = (sandbox: CriSandbox, nowMs: number): SandboxReading => ({
  id: idText(sandbox.id),
  namespace: nameText(sandbox.metadata?.namespace ?? ""),
  name: nameText(sandbox.metadata?.name ?? ""),
  uid: idText(sandbox.metadata?.uid ?? ""),
  attempt: sandbox.metadata?.attempt ?? 0,
  ready: sandbox.state === SANDBOX_READY,
  ...createdTime(sandbox.created_at, nowMs),
});

const Cni = z.object({
  confDir: z.string().startsWith("/").optional(),
  binDir: z.string().startsWith("/").optional(),
  binDirs: z.array(z.string().startsWith("/")).optional(),
});
/** Of containerd's config only these are taken out: the rest may hold registry credentials. */
const RuntimeConfig = z.object({ cni: Cni });

interface Told {
  readonly folders?: { readonly confDir?: string; readonly binDirs?: readonly string[] };
  readonly loaded?: LoadedConfigs;
}

/** containerd's verbose status holds its config, and in it the folders that it really uses, and the network configs that it has loaded; CRI-O's does not. */
function toldBy(info: Readonly<Record<string, string>>, nowMs: number, log: Log): Told {
  const networks = info["cniconfig"];
  const loaded = networks === undefined ? undefined : loadedConfigs(networks, nowMs);
  return { folders: foldersTold(info, log), ...(loaded === undefined ? {} : { loaded }) };
}

function foldersTold(info: Readonly<Record<string, string>>, log: Log): NonNullable<Told["folders"]> {
  const text = info["config"];
  if (text === undefined) return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    log.debug("the runtime's own config is not JSON; the usual folders are looked at");
    return {};
  }
  const parsed = RuntimeConfig.safeParse(value);
  if (!parsed.success) return {};
  const { confDir, binDir, binDirs } = parsed.data.cni;
  const bins = binDirs !== undefined && binDirs.length > 0 ? binDirs : binDir === undefined ? undefined : [binDir];
  return { ...(confDir === undefined ? {} : { confDir }), ...(bins === undefined ? {} : { binDirs: bins }) };
}

