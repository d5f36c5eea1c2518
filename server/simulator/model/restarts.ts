import type { Engine, Timer } from "./engine";
import type { Random } from "./random";
import { aboutPod, type EventRecorder } from "./recorder";
import type { ChangeSink, ContainerRecord, PodRecord, TerminationRecord } from "./records";
import { backOff } from "./texts";

/** The first restart comes at once, then 10, 20, 40 … 300 s; forgotten after ten good minutes. */
const RESTART_AT_ONCE_MS = 1_000;
const FIRST_BACKOFF_MS = 10_000;
const MAX_BACKOFF_MS = 300_000;
const BACKOFF_FORGOTTEN_MS = 600_000;

export interface RestartParts {
  readonly engine: Engine;
  readonly random: Random;
  readonly events: EventRecorder;
  readonly sink: ChangeSink;
}

/** One container of a pod that the kubelet starts again, ever more slowly, after each end. */
export class Restarts {
  private backoffMs = 0;
  private runningSinceMs = 0;
  private timer: Timer | undefined;

  constructor(
    private readonly parts: RestartParts,
    private readonly pod: PodRecord,
    private readonly container: ContainerRecord,
  ) {}

  /** Its process has begun. */
  running(): void {
    const { engine, random } = this.parts;
    const { container } = this;
    container.id = random.hex(64);
    container.state = "running";
    container.last = container.terminated ?? container.last;
    container.terminated = undefined;
    container.startedMs = engine.nowMs;
    this.runningSinceMs = engine.nowMs;
  }

  ended(how: Pick<TerminationRecord, "reason" | "exitCode" | "message">): void {
    const { container } = this;
    const { nowMs } = this.parts.engine;
    container.state = "terminated";
    container.terminated = { ...how, startedMs: container.startedMs ?? nowMs, finishedMs: nowMs, containerId: container.id ?? "" };
  }

  /** It has ended, and begins again after its pause. */
  again(run: () => void): void {
    const { engine, sink, events } = this.parts;
    const { container, pod } = this;
    const fresh = this.backoffMs === 0 || engine.nowMs - this.runningSinceMs > BACKOFF_FORGOTTEN_MS;
    const waitMs = fresh ? RESTART_AT_ONCE_MS : this.backoffMs;
    this.backoffMs = fresh ? FIRST_BACKOFF_MS : Math.min(MAX_BACKOFF_MS, this.backoffMs * 2);
    if (waitMs > RESTART_AT_ONCE_MS) {
      events.record(engine.nowMs, aboutPod(pod, container.name), "Warning", "BackOff", backOff(container.name, pod.name, pod.namespace, pod.uid));
      this.later(RESTART_AT_ONCE_MS, () => {
        container.last = container.terminated;
        container.terminated = undefined;
        container.state = "waiting";
        container.waitingReason = "CrashLoopBackOff";
        sink.pod(pod);
        this.restart(waitMs, run);
      });
    } else {
      this.restart(waitMs, run);
    }
    sink.pod(pod);
  }

  /** Nothing begins again: the pod is being ended. */
  cancel(): void {
    if (this.timer !== undefined) this.timer.cancelled = true;
  }

  private restart(waitMs: number, run: () => void): void {
    this.later(waitMs, () => {
      this.container.restarts += 1;
      run();
    });
  }

  private later(ms: number, run: () => void): void {
    this.timer = this.parts.engine.after(ms, run);
  }
}
