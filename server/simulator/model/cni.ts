import type { ConfLoader } from "./conf-loader";
import type { CallHandle, CniDaemon } from "./daemon";
import type { Engine, Timer } from "./engine";
import { programProblem, type PluginSite } from "./exec";
import type { NodeFiles } from "./files";
import { knowsReadinessPath } from "./images";
import type { Multus } from "./multus";
import type { NetworkConf } from "./net-conf";
import { addNetwork, deleteNetwork, emptyResult, resultKey } from "./plugins";
import type { Random } from "./random";
import type { PodRecord, SandboxRecord } from "./records";
import { CNI_NOT_INITIALIZED, destroyFailed, notInitialized, setupFailed, SHIM, shimCannotRun, shimEof, shimRefused, shimCannotStop, shimStopRefused, shimTimedOut } from "./texts";

/** A shim polls the daemon's readiness for this long before an ADD; a DEL asks once and goes on. */
export const SHIM_WAIT_MS = 60_000;
const SHIM_POLL_MS = 100;
/** A plugin that runs by itself, or finds that it cannot run. */
const DIRECT_MS: readonly [number, number] = [90, 260];
const REFUSED_MS: readonly [number, number] = [8, 30];
const IF_NAME = "eth0";

/** `undefined` error: it worked. */
export type CniDone = (error: string | undefined) => void;

/** A process of the shim; it runs the file that stood under the shim's name when it began. */
export interface ShimProcess {
  readonly pid: number;
  readonly startedMs: number;
  readonly command: "ADD" | "DEL";
  readonly namespace: string;
  readonly pod: string;
  readonly podUid: string;
  readonly sandboxId: string;
  readonly inode: number | undefined;
}

/** Whose sandbox a call is about. */
type Owner = Pick<ShimProcess, "namespace" | "pod" | "podUid" | "sandboxId">;

const NOTHING: CallHandle = { abandon: () => {} };

export interface CniParts {
  readonly engine: Engine;
  readonly files: NodeFiles;
  readonly loader: ConfLoader;
  readonly daemon: CniDaemon;
  readonly multus: Multus;
  readonly random: Random;
  readonly site: () => PluginSite;
  readonly hasNetns: (sandboxId: string) => boolean;
}

/**
 * What the runtime runs for one sandbox: the plugins of the config that it has loaded. With the daemon's own config that is the shim,
 * which needs the daemon; without it the primary plugins are run directly and the daemon is passed by.
 */
export class CniPlugins {
  private readonly waiting = new Set<() => void>();
  /** Processes of the shim that live now, by pid. */
  readonly shims = new Map<number, ShimProcess>();

  constructor(private readonly parts: CniParts) {}

  get liveShims(): number {
    return this.shims.size;
  }

  add(pod: PodRecord, sandboxId: string, done: CniDone): CallHandle {
    const conf = this.parts.loader.loaded;
    if (conf === undefined) return this.later(REFUSED_MS, () => done(notInitialized(sandboxId)));
    if (!isShim(conf)) {
      const result = addNetwork(this.parts.site(), conf, { pod, sandboxId, ifName: IF_NAME, netns: this.parts.hasNetns(sandboxId) });
      if (!("error" in result)) return this.later(DIRECT_MS, () => done(undefined));
      return this.later(REFUSED_MS, () => done(setupFailed(sandboxId, result.error)), result.waitMs);
    }
    const problem = programProblem(this.parts.site(), SHIM);
    if (problem !== undefined) return this.later(REFUSED_MS, () => done(shimCannotRun(sandboxId, problem)));
    return this.shimAdd(pod, sandboxId, conf, done);
  }

  del(sandbox: Owner, done: CniDone): CallHandle {
    const conf = this.parts.loader.loaded;
    const { sandboxId } = sandbox;
    if (conf === undefined) return this.later(REFUSED_MS, () => done(destroyFailed(sandboxId, CNI_NOT_INITIALIZED)));
    if (!isShim(conf)) {
      const error = deleteNetwork(this.parts.site(), conf, { pod: undefined, sandboxId, ifName: IF_NAME, netns: this.parts.hasNetns(sandboxId) });
      return error === undefined ? this.later(DIRECT_MS, () => done(undefined)) : this.later(REFUSED_MS, () => done(destroyFailed(sandboxId, error)));
    }
    if (this.parts.files.results.get(resultKey(conf, sandboxId, IF_NAME))?.bytes === 0) return this.later(REFUSED_MS, () => done(destroyFailed(sandboxId, emptyResult(conf.name))));
    const problem = programProblem(this.parts.site(), SHIM);
    if (problem !== undefined) return this.later(REFUSED_MS, () => done(shimCannotStop(sandboxId, problem)));
    return this.shimDel(sandbox, conf, done);
  }

  /** Every shim that polls finds the daemon ready at once. */
  daemonReady(): void {
    const waiting = [...this.waiting];
    this.waiting.clear();
    for (const connect of waiting) connect();
  }

  /** All processes are gone with the power. */
  powerOff(): void {
    this.waiting.clear();
    this.shims.clear();
  }

  /** Whether a live process runs the file of this inode: then nobody can write into it. */
  isBusy(inode: number): boolean {
    for (const shim of this.shims.values()) if (shim.inode === inode) return true;
    return false;
  }

  private shimDel(sandbox: Owner, conf: NetworkConf, done: CniDone): CallHandle {
    const { daemon, multus, files } = this.parts;
    const { sandboxId } = sandbox;
    const forget = (): void => void files.results.delete(resultKey(conf, sandboxId, IF_NAME));
    // A DEL that cannot reach the daemon, or loses it, ends well: the shim only logs it.
    if (!this.reachable) {
      return this.later(REFUSED_MS, () => {
        forget();
        done(undefined);
      });
    }
    const end = this.started("DEL", sandbox);
    const call = daemon.submit("del", () => multus.del(sandboxId), (result) => {
      end();
      if (result.error === undefined) forget();
      done(result.error === undefined ? undefined : shimStopRefused(sandboxId, conf, result.error));
    });
    return {
      abandon: () => {
        end();
        call.abandon();
      },
    };
  }

  private shimAdd(pod: PodRecord, sandboxId: string, conf: NetworkConf, done: CniDone): CallHandle {
    const { engine, daemon, multus, files, random } = this.parts;
    const asksReadiness = knowsReadinessPath(files.bin.get(SHIM)?.version ?? "");
    const ready = (): boolean => this.isReadyFor(asksReadiness);
    const ended = this.started("ADD", { namespace: pod.namespace, pod: pod.name, podUid: pod.uid, sandboxId });
    let open = true;
    let call: CallHandle = NOTHING;
    let poll: Timer | undefined;
    const end = (): void => {
      ended();
      open = false;
      this.waiting.delete(connect);
      if (poll !== undefined) poll.cancelled = true;
      patience.cancelled = true;
    };
    const patience = engine.after(SHIM_WAIT_MS, () => {
      if (!open) return;
      end();
      done(shimTimedOut(sandboxId, conf));
    });
    const connect = (): void => {
      if (!open) return;
      if (!ready()) {
        this.waiting.add(connect);
        return;
      }
      const readySeconds = daemon.healthSeconds();
      poll = engine.after(readySeconds * 1_000 + random.float() * SHIM_POLL_MS, () => {
        if (!open) return;
        if (!ready()) {
          this.waiting.add(connect);
          return;
        }
        patience.cancelled = true;
        call = daemon.submit("add", () => multus.add(pod, sandboxId), (result) => {
          end();
          if (result.end === "eof") return done(shimEof(sandboxId, conf));
          if (result.error !== undefined) return done(shimRefused(sandboxId, conf, result.error));
          files.cacheResult(resultKey(conf, sandboxId, IF_NAME), engine.nowMs);
          done(undefined);
        });
      });
    };
    connect();
    return {
      abandon: () => {
        end();
        call.abandon();
      },
    };
  }

  /** Whether the path leads to the daemon's listener. */
  private get reachable(): boolean {
    const { daemon, files } = this.parts;
    return daemon.state !== "down" && files.socket?.file.inode === daemon.listensAt;
  }

  /** What a shim polls for before it sends an ADD: newer ones ask on a path that older daemons do not have. */
  private isReadyFor(asksReadiness: boolean): boolean {
    const { daemon } = this.parts;
    return daemon.state === "running" && !daemon.stopped && this.reachable && (!asksReadiness || knowsReadinessPath(daemon.version));
  }

  private started(command: ShimProcess["command"], owner: Owner): () => void {
    const pid = this.parts.site().host.newPid();
    this.shims.set(pid, { pid, startedMs: this.parts.engine.nowMs, command, ...owner, inode: this.parts.files.bin.get(SHIM)?.inode });
    return () => void this.shims.delete(pid);
  }

  private later(range: readonly [number, number], run: () => void, extraMs = 0): CallHandle {
    const timer = this.parts.engine.after(extraMs + this.parts.random.between(range[0], range[1]), run);
    return {
      abandon: () => {
        timer.cancelled = true;
      },
    };
  }
}

const isShim = (conf: NetworkConf): boolean => conf.plugins[0]?.type === SHIM;
export const ownerOf = ({ namespace, podName, podUid, id }: Pick<SandboxRecord, "namespace" | "podName" | "podUid" | "id">): Owner => ({ namespace, pod: podName, podUid, sandboxId: id });
