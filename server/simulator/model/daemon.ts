import type { Engine } from "./engine";
import type { ChainParameters, DaemonResources } from "./parameters";
import { SharedProcessor, zeroCpu } from "./processor";
import type { Random } from "./random";

/** What the daemon holds before any call, and what each open connection adds, as measured. */
const BASE_BYTES = 24 * 2 ** 20;
const BYTES_PER_CONNECTION = 48 * 2 ** 10;
/** From SIGTERM on the daemon answers "not ready" for this long, then it ends. */
export const DRAIN_MS = 10_000;
/** CPU of one request to the health path. */
const HEALTH_CPU_SECONDS = 0.0005;

export type CallKind = "add" | "del";
/** `eof`: the daemon ended while the call was open. */
export type CallResult = "ok" | "eof";

interface Call {
  readonly kind: CallKind;
  /** Cleared when the caller is gone; the daemon works on all the same. */
  caller: ((result: CallResult) => void) | undefined;
  readonly onServed: () => void;
  heldBytes: number;
}

export interface CallHandle {
  /** The caller is killed. The connection stays open on the daemon's side and the call stays queued. */
  abandon(): void;
}

/**
 * A thick CNI daemon: it takes every call at once, never gives one up, and runs its delegates inside its own cgroup.
 * It knows nothing of pods: how many calls wait follows from who calls and how fast it may work.
 */
export class CniDaemon {
  state: "down" | "running" | "draining" = "down";
  readonly processor: SharedProcessor;
  private readonly calls = new Set<Call>();
  private delegateBytes = 0;
  private life = 0;
  /** Peak of memory since the container started. */
  peakBytes = 0;
  memoryLimitBytes: number | undefined;
  addsServed = 0;
  delsServed = 0;
  onOutOfMemory: () => void = () => {};

  constructor(
    private readonly engine: Engine,
    cores: number,
    private readonly chain: ChainParameters,
    private readonly random: Random,
  ) {
    this.processor = new SharedProcessor(engine.nowMs, cores);
  }

  get connections(): number {
    return this.calls.size;
  }

  get memoryBytes(): number {
    return this.state === "down" ? 0 : BASE_BYTES + this.calls.size * BYTES_PER_CONNECTION + this.delegateBytes;
  }

  /** Limits may change while it runs: an in-place resize does not restart the container. */
  setResources(resources: DaemonResources): void {
    this.processor.quotaCores = resources.cpuLimitCores;
    this.memoryLimitBytes = resources.memoryLimitBytes;
  }

  start(resources: DaemonResources): void {
    this.state = "running";
    this.processor.running = true;
    this.processor.counters = zeroCpu();
    this.setResources(resources);
    this.peakBytes = BASE_BYTES;
  }

  drain(): void {
    if (this.state === "running") this.state = "draining";
  }

  /** How long a request to the health path takes now; Infinity where nobody listens. */
  healthSeconds(): number {
    return this.state === "down" ? Infinity : this.processor.daemonLatencySeconds(HEALTH_CPU_SECONDS);
  }

  /** The process is gone; callers that still wait read the end of their connection. */
  end(): void {
    this.state = "down";
    this.life += 1;
    this.processor.running = false;
    this.processor.clear();
    const calls = [...this.calls];
    this.calls.clear();
    this.delegateBytes = 0;
    for (const call of calls) call.caller?.("eof");
  }

  /** `onServed` runs when the daemon has done the work, whether or not the caller still waits. */
  submit(kind: CallKind, caller: (result: CallResult) => void, onServed: () => void): CallHandle {
    const call: Call = { kind, caller, onServed, heldBytes: 0 };
    this.calls.add(call);
    const price = (kind === "add" ? this.chain.addCpuSeconds : this.chain.delCpuSeconds) * this.random.between(1 - this.chain.spread, 1 + this.chain.spread);
    const life = this.life;
    this.processor.daemonWork(price * this.chain.daemonShare, () => {
      if (life === this.life) this.startDelegates(call, price * (1 - this.chain.daemonShare));
    });
    this.checkMemory();
    return {
      abandon: () => {
        call.caller = undefined;
      },
    };
  }

  private startDelegates(call: Call, cpuSeconds: number): void {
    call.heldBytes = call.kind === "add" ? this.chain.addBytes : this.chain.delBytes;
    this.delegateBytes += call.heldBytes;
    const life = this.life;
    this.processor.processWork(cpuSeconds, () => {
      if (life !== this.life) return;
      const waitMs = call.kind === "add" ? this.chain.addWaitMs : this.chain.delWaitMs;
      this.engine.after(waitMs * this.random.between(1 - this.chain.spread, 1 + this.chain.spread), () => {
        if (life === this.life) this.complete(call);
      });
    });
    this.checkMemory();
  }

  private complete(call: Call): void {
    this.calls.delete(call);
    this.delegateBytes -= call.heldBytes;
    if (call.kind === "add") this.addsServed += 1;
    else this.delsServed += 1;
    call.onServed();
    call.caller?.("ok");
  }

  private checkMemory(): void {
    const bytes = this.memoryBytes;
    this.peakBytes = Math.max(this.peakBytes, Math.min(bytes, this.memoryLimitBytes ?? bytes));
    if (this.memoryLimitBytes !== undefined && bytes > this.memoryLimitBytes && this.state !== "down") this.onOutOfMemory();
  }
}
