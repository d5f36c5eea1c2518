import type { Engine } from "./engine";
import type { Work } from "./multus";
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

/** CPU shares of a container without a request. */
const LEAST_REQUEST_CORES = 0.002;

/** What everything else on the node wants of its CPU, and the requests by which it is shared out. */
export interface OtherLoad {
  readonly wantsCores: number;
  readonly requestCores: number;
}

export type CallKind = "add" | "del";
/** `eof`: the daemon ended while the call was open. */
export interface CallResult {
  readonly end: "answered" | "eof";
  readonly error?: string;
}

interface Call {
  readonly kind: CallKind;
  /** Cleared when the caller is gone; the daemon works on all the same. */
  caller: ((result: CallResult) => void) | undefined;
  readonly work: () => Work;
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
  /** Its process was stopped by a signal: it holds what it has, takes connections as the kernel does, and does nothing. */
  stopped = false;
  /** Inode of the socket on which it listens, whatever stands at the path now. */
  listensAt: number | undefined;
  version = "";
  /** Uid of the pod whose process this is. */
  servedBy: string | undefined;
  readonly processor: SharedProcessor;
  private readonly calls = new Set<Call>();
  private delegateBytes = 0;
  private life = 0;
  private requestCores: number | undefined;
  private otherLoad: OtherLoad = { wantsCores: 0, requestCores: 0 };
  /** Peak of memory since the container started. */
  peakBytes = 0;
  memoryLimitBytes: number | undefined;
  addsServed = 0;
  delsServed = 0;
  onOutOfMemory: () => void = () => {};

  constructor(
    private readonly engine: Engine,
    private readonly cores: number,
    private readonly chain: ChainParameters,
    private readonly random: Random,
  ) {
    this.processor = new SharedProcessor(engine.nowMs, cores);
  }

  /** The kernel gives a cgroup that asks for more what the others leave, and at least its part by CPU requests. */
  setOtherLoad(load: OtherLoad): void {
    this.otherLoad = load;
    const own = this.requestCores ?? LEAST_REQUEST_CORES;
    const share = (this.cores * own) / (own + load.requestCores);
    this.processor.leftCores = load.wantsCores === 0 ? Infinity : Math.max(this.cores - load.wantsCores, share);
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
    this.requestCores = resources.cpuRequestCores;
    this.setOtherLoad(this.otherLoad);
  }

  start(resources: DaemonResources, version: string, listensAt: number | undefined): void {
    this.state = "running";
    this.stopped = false;
    this.version = version;
    this.listensAt = listensAt;
    this.processor.running = true;
    this.processor.counters = zeroCpu();
    this.setResources(resources);
    this.peakBytes = BASE_BYTES;
  }

  drain(): void {
    if (this.state === "running") this.state = "draining";
  }

  /** SIGSTOP, or SIGCONT. */
  signal(stopped: boolean): void {
    this.stopped = stopped;
    this.processor.running = this.state !== "down" && !stopped;
  }

  /** How long a request to the health path takes now; Infinity where nobody answers. */
  healthSeconds(): number {
    return this.state === "down" || this.stopped ? Infinity : this.processor.daemonLatencySeconds(HEALTH_CPU_SECONDS);
  }

  /** The process is gone; callers that still wait read the end of their connection. */
  end(): void {
    this.state = "down";
    this.listensAt = undefined;
    this.life += 1;
    this.processor.running = false;
    this.processor.clear();
    const calls = [...this.calls];
    this.calls.clear();
    this.delegateBytes = 0;
    for (const call of calls) call.caller?.({ end: "eof" });
  }

  /** `work` is done when the daemon comes to it, whether or not the caller still waits. */
  submit(kind: CallKind, work: () => Work, caller: (result: CallResult) => void): CallHandle {
    const call: Call = { kind, caller, work, heldBytes: 0 };
    this.calls.add(call);
    const price = (kind === "add" ? this.chain.addCpuSeconds : this.chain.delCpuSeconds) * this.random.between(1 - this.chain.spread, 1 + this.chain.spread);
    const life = this.life;
    this.processor.daemonWork(price * this.chain.daemonShare, () => {
      if (life === this.life) this.begin(call, price * (1 - this.chain.daemonShare));
    });
    this.checkMemory();
    return {
      abandon: () => {
        call.caller = undefined;
      },
    };
  }

  private begin(call: Call, cpuSeconds: number): void {
    const work = call.work();
    const life = this.life;
    const then = (run: () => void): void => {
      if (work.waitMs === 0) run();
      else this.engine.after(work.waitMs, () => {
        if (life === this.life) run();
      });
    };
    then(() => {
      if (work.brief) this.complete(call, work);
      else this.startDelegates(call, work, cpuSeconds);
    });
  }

  private startDelegates(call: Call, work: Work, cpuSeconds: number): void {
    call.heldBytes = call.kind === "add" ? this.chain.addBytes : this.chain.delBytes;
    this.delegateBytes += call.heldBytes;
    const life = this.life;
    this.processor.processWork(cpuSeconds, () => {
      if (life !== this.life) return;
      const waitMs = call.kind === "add" ? this.chain.addWaitMs : this.chain.delWaitMs;
      this.engine.after(waitMs * this.random.between(1 - this.chain.spread, 1 + this.chain.spread), () => {
        if (life === this.life) this.complete(call, work);
      });
    });
    this.checkMemory();
  }

  private complete(call: Call, work: Work): void {
    this.calls.delete(call);
    this.delegateBytes -= call.heldBytes;
    if (call.kind === "add") this.addsServed += 1;
    else this.delsServed += 1;
    work.done();
    call.caller?.({ end: "answered", ...(work.error === undefined ? {} : { error: work.error }) });
  }

  private checkMemory(): void {
    const bytes = this.memoryBytes;
    this.peakBytes = Math.max(this.peakBytes, Math.min(bytes, this.memoryLimitBytes ?? bytes));
    if (this.memoryLimitBytes !== undefined && bytes > this.memoryLimitBytes && this.state !== "down") this.onOutOfMemory();
  }
}
