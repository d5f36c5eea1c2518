import type { CallHandle, CniDaemon } from "./daemon";
import type { Engine, Timer } from "./engine";
import { MULTUS_CONF, type NodeFiles } from "./files";
import type { Random } from "./random";
import type { PodRecord } from "./records";
import { notInitialized, pluginMissing, SHIM, shimEof, shimTimedOut, stopFailed } from "./texts";

/** A shim polls the daemon's readiness for this long before an ADD; a DEL asks once and goes on. */
export const SHIM_WAIT_MS = 60_000;
const SHIM_POLL_MS = 100;
/** A plugin that runs by itself, or finds that it cannot run. */
const DIRECT_MS: readonly [number, number] = [90, 260];
const REFUSED_MS: readonly [number, number] = [8, 30];

/** `undefined` error: it worked. */
export type CniDone = (error: string | undefined) => void;

const NOTHING: CallHandle = { abandon: () => {} };

/**
 * What the runtime runs for one sandbox: the plugin of the effective configuration. With the daemon's configuration in
 * place that is the shim, which needs the daemon; without it the primary plugin is run directly and the daemon is
 * passed by.
 */
export class CniPlugins {
  private readonly waiting = new Set<() => void>();
  /** Processes of the shim that live now. */
  liveShims = 0;

  constructor(
    private readonly engine: Engine,
    private readonly files: NodeFiles,
    private readonly daemon: CniDaemon,
    private readonly random: Random,
    private readonly mainPlugin: string,
    private readonly networkAdded: (pod: PodRecord) => void,
  ) {}

  add(pod: PodRecord, sandboxId: string, done: CniDone): CallHandle {
    const conf = this.files.effectiveConf();
    if (conf === undefined) return this.later(REFUSED_MS, () => done(notInitialized(sandboxId)));
    if (conf !== MULTUS_CONF) {
      const missing = !this.files.bin.has(this.mainPlugin);
      return missing
        ? this.later(REFUSED_MS, () => done(pluginMissing(sandboxId, this.mainPlugin, "cbr0")))
        : this.later(DIRECT_MS, () => done(undefined));
    }
    if (!this.files.bin.has(SHIM)) return this.later(REFUSED_MS, () => done(pluginMissing(sandboxId, SHIM, "multus-cni-network")));
    return this.shimAdd(pod, sandboxId, done);
  }

  del(sandboxId: string, done: CniDone): CallHandle {
    const conf = this.files.effectiveConf();
    const plugin = conf === MULTUS_CONF ? SHIM : this.mainPlugin;
    if (conf === undefined || !this.files.bin.has(plugin)) return this.later(REFUSED_MS, () => done(stopFailed(sandboxId, plugin)));
    if (conf !== MULTUS_CONF) return this.later(DIRECT_MS, () => done(undefined));
    // A DEL that cannot reach the daemon, or loses it, ends well: the shim only logs it.
    if (this.daemon.state === "down") return this.later(REFUSED_MS, () => done(undefined));
    this.liveShims += 1;
    let open = true;
    const end = (): void => {
      if (open) this.liveShims -= 1;
      open = false;
    };
    const call = this.daemon.submit(
      "del",
      () => {
        end();
        done(undefined);
      },
      () => {},
    );
    return {
      abandon: () => {
        end();
        call.abandon();
      },
    };
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
    this.liveShims = 0;
  }

  private shimAdd(pod: PodRecord, sandboxId: string, done: CniDone): CallHandle {
    this.liveShims += 1;
    let open = true;
    let call: CallHandle = NOTHING;
    let poll: Timer | undefined;
    const end = (): void => {
      if (open) this.liveShims -= 1;
      open = false;
      this.waiting.delete(connect);
      if (poll !== undefined) poll.cancelled = true;
      patience.cancelled = true;
    };
    const patience = this.engine.after(SHIM_WAIT_MS, () => {
      if (!open) return;
      end();
      done(shimTimedOut(sandboxId));
    });
    const connect = (): void => {
      if (!open) return;
      if (this.daemon.state !== "running") {
        this.waiting.add(connect);
        return;
      }
      const readySeconds = this.daemon.healthSeconds();
      poll = this.engine.after(readySeconds * 1_000 + this.random.float() * SHIM_POLL_MS, () => {
        if (!open) return;
        if (this.daemon.state !== "running") {
          this.waiting.add(connect);
          return;
        }
        patience.cancelled = true;
        call = this.daemon.submit(
          "add",
          (result) => {
            end();
            done(result === "ok" ? undefined : shimEof(sandboxId));
          },
          () => this.networkAdded(pod),
        );
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

  private later(range: readonly [number, number], run: () => void): CallHandle {
    const timer = this.engine.after(this.random.between(range[0], range[1]), run);
    return {
      abandon: () => {
        timer.cancelled = true;
      },
    };
  }
}
