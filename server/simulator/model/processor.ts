import type { ContinuousWork } from "./engine";
import { MinHeap } from "./heap";

/** The kernel's CFS bandwidth period. */
export const CFS_PERIOD_SECONDS = 0.1;
/** CPU that an idle daemon uses, and the periods a second in which it is seen running. */
const IDLE_CORES = 0.002;
const IDLE_PERIODS_PER_SECOND = 1.2;
/** A job of which no more is left counts as done. Above the step of a float that holds UTC milliseconds, so time always moves on. */
const EPSILON_SECONDS = 1e-6;

interface Job {
  readonly done: () => void;
}

/** Counters of one cgroup since its container started. */
export interface CpuCounters {
  usageSeconds: number;
  periods: number;
  throttledPeriods: number;
  throttledSeconds: number;
  /** PSI "some" and "full". */
  waitingSeconds: number;
  stalledSeconds: number;
}

export const zeroCpu = (): CpuCounters => ({ usageSeconds: 0, periods: 0, throttledPeriods: 0, throttledSeconds: 0, waitingSeconds: 0, stalledSeconds: 0 });

/**
 * The CPU of the CNI daemon's cgroup. Its own work runs on a few threads that all waiting calls share; each delegate is
 * a process of its own. Runnable threads and processes get equal shares, each at most one core, all together at most
 * the quota: so the more delegates run, the slower the daemon starts new ones, and nothing is finished early while
 * many calls wait.
 */
export class SharedProcessor implements ContinuousWork {
  private readonly daemonJobs = new MinHeap<Job>();
  private readonly processJobs = new MinHeap<Job>();
  /** CPU seconds that every present job of the class has been given since the beginning. */
  private daemonServed = 0;
  private processServed = 0;
  counters: CpuCounters = zeroCpu();
  running = false;
  quotaCores: number | undefined;
  /** What the rest of the node leaves it: all of it on a node that is not full. */
  leftCores = Infinity;

  constructor(
    private nowMs: number,
    private readonly cores: number,
  ) {}

  /** Threads of the daemon: Go takes the quota into account, but never fewer than two. */
  private get threads(): number {
    return Math.min(this.cores, Math.max(2, Math.ceil(this.quotaCores ?? Infinity)));
  }

  get daemonWaiting(): number {
    return this.daemonJobs.size;
  }

  get processesRunning(): number {
    return this.processJobs.size;
  }

  daemonWork(cpuSeconds: number, done: () => void): void {
    this.daemonJobs.push(this.daemonServed + cpuSeconds, { done });
  }

  processWork(cpuSeconds: number, done: () => void): void {
    this.processJobs.push(this.processServed + cpuSeconds, { done });
  }

  /** Drops all work: the container ended. */
  clear(): void {
    this.daemonJobs.clear();
    this.processJobs.clear();
  }

  nextMs(): number {
    const { perThread, perDaemonJob } = this.rates();
    const daemon = remaining(this.daemonJobs, this.daemonServed, perDaemonJob);
    const process = remaining(this.processJobs, this.processServed, perThread);
    return this.nowMs + 1_000 * Math.min(daemon, process);
  }

  settle(toMs: number): void {
    const seconds = (toMs - this.nowMs) / 1_000;
    this.nowMs = toMs;
    if (seconds <= 0 || !this.running) return;
    const { perThread, perDaemonJob, runnable, used, demand } = this.rates();
    this.daemonServed += perDaemonJob * seconds;
    this.processServed += perThread * seconds;
    this.count(seconds, runnable, demand, used);
  }

  finish(): void {
    finishIn(this.daemonJobs, this.daemonServed);
    finishIn(this.processJobs, this.processServed);
  }

  /** How long a request of `cpuSeconds` to the daemon itself would take now, queue and all. */
  daemonLatencySeconds(cpuSeconds: number): number {
    const waiting = this.daemonJobs.size;
    const threads = Math.min(waiting + 1, this.threads);
    const runnable = threads + this.processJobs.size;
    const perThread = Math.min(1, this.capacity() / runnable);
    const perJob = (perThread * threads) / (waiting + 1);
    return cpuSeconds / perJob;
  }

  private capacity(): number {
    return Math.min(this.quotaCores ?? Infinity, this.cores, this.leftCores);
  }

  private rates(): { perThread: number; perDaemonJob: number; runnable: number; demand: number; used: number } {
    const waiting = this.daemonJobs.size;
    const threads = Math.min(waiting, this.threads);
    const runnable = threads + this.processJobs.size;
    if (runnable === 0 || !this.running) return { perThread: 0, perDaemonJob: 0, runnable: 0, demand: 0, used: 0 };
    const perThread = Math.min(1, this.capacity() / runnable);
    return {
      perThread,
      perDaemonJob: waiting === 0 ? 0 : (perThread * threads) / waiting,
      runnable,
      demand: Math.min(runnable, this.cores),
      used: perThread * runnable,
    };
  }

  private count(seconds: number, runnable: number, demand: number, used: number): void {
    const c = this.counters;
    if (runnable === 0) {
      c.usageSeconds += IDLE_CORES * seconds;
      if (this.quotaCores !== undefined) c.periods += IDLE_PERIODS_PER_SECOND * seconds;
      return;
    }
    c.usageSeconds += used * seconds;
    if (this.quotaCores !== undefined) {
      c.periods += seconds / CFS_PERIOD_SECONDS;
      // Who gets less of the node than its quota is not stopped by the quota.
      if (demand > this.quotaCores + EPSILON_SECONDS && this.quotaCores <= this.leftCores) {
        c.throttledPeriods += seconds / CFS_PERIOD_SECONDS;
        // Each CPU that had something to run counts its own wait, so this may pass the clock.
        c.throttledSeconds += (demand - this.quotaCores) * seconds;
        c.stalledSeconds += (1 - this.quotaCores / demand) * seconds;
      }
    }
    if (runnable > used + EPSILON_SECONDS) c.waitingSeconds += seconds;
  }
}

function remaining(jobs: MinHeap<Job>, served: number, rate: number): number {
  const target = jobs.peekKey();
  if (target === undefined) return Infinity;
  const left = target - served;
  if (left <= EPSILON_SECONDS) return 0;
  return rate <= 0 ? Infinity : left / rate;
}

function finishIn(jobs: MinHeap<Job>, served: number): void {
  // Only what was there when this began: a finished job may bring new work of the same class.
  const finished: Job[] = [];
  for (let target = jobs.peekKey(); target !== undefined && target - served <= EPSILON_SECONDS; target = jobs.peekKey()) {
    const job = jobs.pop();
    if (job !== undefined) finished.push(job);
  }
  for (const job of finished) job.done();
}
