import type { Engine, Timer } from "./engine";
import type { OperationHistogram } from "./histogram";
import type { Random } from "./random";
import { aboutPod, type EventRecorder } from "./recorder";
import type { ChangeSink, PodRecord, SandboxRecord } from "./records";
import type { Runtime } from "./runtime";
import { failedCreate, failedKill, SANDBOX_CHANGED } from "./texts";

/** A pod's worker tries again this long after an error, and up to half as long again. */
export const SYNC_BACKOFF_MS = 10_000;
/** The same after what the kubelet takes to pass by itself. */
const TRANSIENT_BACKOFF_MS = 1_000;
export const SYNC_BACKOFF_JITTER = 0.5;
const FIRST_SYNC_MS: readonly [number, number] = [30, 400];

/** What every pod worker of one kubelet shares. */
export interface KubeletContext {
  readonly engine: Engine;
  readonly random: Random;
  readonly runtime: Runtime;
  readonly events: EventRecorder;
  readonly sink: ChangeSink;
  readonly runtimeRequestTimeoutMs: number;
  operation(name: string): OperationHistogram;
  /** A sandbox was made, or was not. */
  ran(seconds: number, failed: boolean): void;
  hostNetwork(pod: PodRecord): boolean;
  /** Why no pod gets a network now, as the kubelet knows it from the runtime; it tries none then. */
  networkProblem(): string | undefined;
  addressOf(pod: PodRecord): string | undefined;
  /** A sandbox of this pod has just become ready. */
  sandboxReady(pod: PodRecord): void;
  /** The sandbox is ready: containers may start. */
  startContainers(pod: PodRecord): void;
  /** Ends the containers of a pod that is being deleted, then calls back. */
  stopContainers(pod: PodRecord, done: () => void): void;
  /** The pod's object is gone. */
  forget(pod: PodRecord): void;
}

/**
 * The kubelet's worker of one pod. It stops what is left of an earlier sandbox, makes a new one, and starts over after
 * a pause when either fails: never two calls at once, never giving up.
 */
export class PodWorker {
  private busy = false;
  private retry: Timer | undefined;

  constructor(
    private readonly context: KubeletContext,
    readonly pod: PodRecord,
  ) {
    const [low, high] = FIRST_SYNC_MS;
    context.engine.after(context.random.between(low, high), () => this.sync());
  }

  /** Something about the pod changed; while a call is open the worker sees it when that ends. */
  wake(): void {
    if (!this.busy) this.sync();
  }

  private sync(): void {
    if (this.busy) return;
    if (this.retry !== undefined) this.retry.cancelled = true;
    const { pod, context } = this;
    if (pod.startMs === undefined) {
      pod.startMs = context.engine.nowMs;
      pod.initialized = { status: pod.init === undefined, sinceMs: context.engine.nowMs };
      context.sink.pod(pod);
    }
    if (pod.deletingMs !== undefined) {
      this.terminate();
      return;
    }
    if (pod.phase === "Succeeded" || pod.phase === "Failed") {
      this.tearDown(() => {});
      return;
    }
    const newest = context.runtime.ofPod(pod.uid).at(-1);
    const problem = context.hostNetwork(pod) || newest?.state === "ready" ? undefined : context.networkProblem();
    if (problem !== undefined) {
      context.events.record(context.engine.nowMs, aboutPod(pod), "Warning", "NetworkNotReady", `network is not ready: ${problem}`);
      this.again(TRANSIENT_BACKOFF_MS);
      return;
    }
    if (newest === undefined) this.create(0);
    else if (newest.state !== "ready") this.replace(newest);
  }

  private replace(newest: SandboxRecord): void {
    const { pod, context } = this;
    context.events.record(context.engine.nowMs, aboutPod(pod), "Normal", "SandboxChanged", SANDBOX_CHANGED);
    this.notReady("pod sandbox is not ready");
    this.tearDown(() => this.create(newest.attempt + 1));
  }

  private create(attempt: number): void {
    const { pod, context } = this;
    this.busy = true;
    const beganMs = context.engine.nowMs;
    // Making a sandbox has twice the time of any other call to the runtime.
    context.runtime.run(pod, attempt, 2 * context.runtimeRequestTimeoutMs, context.hostNetwork(pod), (error) => {
      this.busy = false;
      context.ran((context.engine.nowMs - beganMs) / 1_000, error !== undefined);
      if (error !== undefined) {
        // Of a pod that is being ended the kubelet says nothing.
        if (pod.deletingMs === undefined) context.events.record(context.engine.nowMs, aboutPod(pod), "Warning", "FailedCreatePodSandBox", failedCreate(error));
        this.again();
        return;
      }
      if (pod.deletingMs !== undefined) {
        this.terminate();
        return;
      }
      context.sandboxReady(pod);
      pod.sandboxReady = { status: true, sinceMs: context.engine.nowMs, message: "" };
      pod.ip = context.addressOf(pod);
      context.sink.pod(pod);
      context.startContainers(pod);
    });
  }

  private terminate(): void {
    const { context, pod } = this;
    this.busy = true;
    context.stopContainers(pod, () => {
      this.busy = false;
      this.notReady("pod sandbox is not ready");
      this.tearDown(() => context.forget(pod), (error) => context.events.record(context.engine.nowMs, aboutPod(pod), "Warning", "FailedKillPod", failedKill(pod.uid, error)));
    });
  }

  /** Stops every sandbox of the pod, newest first, as the kubelet does; one failure means trying all again later. */
  private tearDown(done: () => void, refused: (error: string) => void = () => {}): void {
    const { context, pod } = this;
    const left = context.runtime.ofPod(pod.uid).filter((s, i, all) => !s.networkDown || s.state !== "dead" || i === all.length - 1);
    const next = (failure: string | undefined): void => {
      const sandbox = left.pop();
      if (sandbox === undefined) {
        this.busy = false;
        if (failure === undefined) {
          done();
          return;
        }
        refused(failure);
        this.again();
        return;
      }
      this.busy = true;
      const beganMs = context.engine.nowMs;
      context.runtime.stop(sandbox, context.runtimeRequestTimeoutMs, (error) => {
        context.operation("stop_podsandbox").observe((context.engine.nowMs - beganMs) / 1_000, error !== undefined);
        next(error ?? failure);
      });
    };
    next(undefined);
  }

  private again(pauseMs = SYNC_BACKOFF_MS): void {
    const { engine, random } = this.context;
    this.retry = engine.after(pauseMs * (1 + random.float() * SYNC_BACKOFF_JITTER), () => this.sync());
  }

  private notReady(message: string): void {
    const { pod, context } = this;
    const nowMs = context.engine.nowMs;
    pod.ip = context.hostNetwork(pod) ? pod.ip : undefined;
    if (pod.sandboxReady.status || pod.sandboxReady.message !== message) {
      pod.sandboxReady = { status: false, sinceMs: pod.sandboxReady.status ? nowMs : pod.sandboxReady.sinceMs, message };
      if (pod.ready.status) pod.ready = { status: false, sinceMs: nowMs };
      context.sink.pod(pod);
    }
  }
}
