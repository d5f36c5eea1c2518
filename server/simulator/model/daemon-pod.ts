import { DRAIN_MS, type CniDaemon } from "./daemon";
import type { CniPlugins } from "./cni";
import type { Engine, Timer } from "./engine";
import { MULTUS_CONF, type NodeFiles } from "./files";
import type { Random } from "./random";
import { aboutPod, type EventRecorder } from "./recorder";
import type { ChangeSink, PodRecord, TerminationRecord } from "./records";
import { backOff } from "./texts";

const INIT_MS: readonly [number, number] = [500, 900];
/** From the start of the process until socket and configuration are there. */
const START_MS: readonly [number, number] = [250, 450];
/** The first restart comes at once, then 10, 20, 40 … 300 s; forgotten after ten good minutes. */
const RESTART_AT_ONCE_MS = 1_000;
const FIRST_BACKOFF_MS = 10_000;
const MAX_BACKOFF_MS = 300_000;
const BACKOFF_FORGOTTEN_MS = 600_000;
/** CPU that the daemon needs to end in good order, beside the calls that it still serves. */
const SHUTDOWN_CPU_SECONDS = 0.02;
const OOM_EXIT_CODE = 137;
/** The kubelet applies a change of resources this long after it saw it. */
const RESIZE_MS: readonly [number, number] = [800, 2_000];

interface Parts {
  readonly engine: Engine;
  readonly random: Random;
  readonly daemon: CniDaemon;
  readonly cni: CniPlugins;
  readonly files: NodeFiles;
  readonly events: EventRecorder;
  readonly sink: ChangeSink;
}

/**
 * The containers of the CNI daemon's pod: the init container that puts the shim in place, and the daemon with its
 * socket and configuration. A kill for memory shows in the container's status and nowhere else.
 */
export class DaemonPod {
  private backoffMs = 0;
  private runningSinceMs = 0;
  private timer: Timer | undefined;
  /** Kills for memory since the node came up. */
  outOfMemoryKills = 0;

  constructor(
    private readonly parts: Parts,
    readonly pod: PodRecord,
  ) {
    parts.daemon.onOutOfMemory = () => this.outOfMemory();
  }

  start(): void {
    const { engine, files, random, sink } = this.parts;
    const init = this.pod.init;
    if (init !== undefined) {
      init.state = "running";
      init.id = random.hex(64);
      init.startedMs = engine.nowMs;
    }
    this.later(INIT_MS, () => {
      files.installShim(engine.nowMs);
      if (init !== undefined) {
        init.state = "terminated";
        init.terminated = { reason: "Completed", exitCode: 0, startedMs: init.startedMs ?? engine.nowMs, finishedMs: engine.nowMs, containerId: init.id ?? "" };
      }
      this.pod.initialized = { status: true, sinceMs: engine.nowMs };
      sink.pod(this.pod);
      this.run();
    });
  }

  /** In place: the quota changes under the running process, which is not restarted. */
  resize(): void {
    const { engine, random, events, daemon, sink } = this.parts;
    events.record(engine.nowMs, aboutPod(this.pod), "Normal", "ResizeStarted", "Pod resize started");
    engine.after(random.between(RESIZE_MS[0], RESIZE_MS[1]), () => {
      if (this.pod.resources !== undefined && daemon.state !== "down") daemon.setResources(this.pod.resources);
      events.record(engine.nowMs, aboutPod(this.pod), "Normal", "ResizeCompleted", "Pod resize completed");
      sink.pod(this.pod);
    });
  }

  /** SIGTERM; ends in good order if it gets the CPU for it within the grace, else by SIGKILL. */
  terminate(done: () => void): void {
    const { engine, daemon, files, sink } = this.parts;
    if (this.timer !== undefined) this.timer.cancelled = true;
    if (daemon.state === "down") {
      this.pod.container.state = "terminated";
      done();
      return;
    }
    daemon.drain();
    const wantsMs = DRAIN_MS + daemon.processor.daemonLatencySeconds(SHUTDOWN_CPU_SECONDS) * 1_000;
    const graceful = wantsMs <= this.pod.graceMs;
    engine.after(Math.min(wantsMs, this.pod.graceMs), () => {
      if (graceful) {
        files.conf.delete(MULTUS_CONF);
        files.removeSocket();
      }
      if (daemon.state !== "down") daemon.end();
      this.ended(graceful ? { reason: "Completed", exitCode: 0 } : { reason: "Error", exitCode: OOM_EXIT_CODE });
      sink.pod(this.pod);
      done();
    });
  }

  private run(): void {
    const { engine, random, sink, events, daemon, files, cni } = this.parts;
    const { container } = this.pod;
    container.id = random.hex(64);
    container.state = "running";
    container.last = container.terminated ?? container.last;
    container.terminated = undefined;
    container.startedMs = engine.nowMs;
    this.runningSinceMs = engine.nowMs;
    this.pod.phase = "Running";
    this.pod.ready = { status: true, sinceMs: engine.nowMs };
    sink.pod(this.pod);
    const about = aboutPod(this.pod, container.name);
    events.record(engine.nowMs, about, "Normal", "Pulled", `Container image "${container.image}" already present on machine and can be accessed by the pod`);
    events.record(engine.nowMs, about, "Normal", "Created", "Container created");
    events.record(engine.nowMs, about, "Normal", "Started", "Container started");
    this.later(START_MS, () => {
      if (this.pod.resources === undefined) return;
      files.makeSocket(engine.nowMs);
      daemon.start(this.pod.resources);
      files.writeMultusConf(engine.nowMs);
      cni.daemonReady();
    });
  }

  private outOfMemory(): void {
    const { daemon, engine, sink, events } = this.parts;
    this.outOfMemoryKills += 1;
    daemon.end();
    this.ended({ reason: "OOMKilled", exitCode: OOM_EXIT_CODE });
    const good = engine.nowMs - this.runningSinceMs > BACKOFF_FORGOTTEN_MS;
    const waitMs = good || this.backoffMs === 0 ? RESTART_AT_ONCE_MS : this.backoffMs;
    this.backoffMs = good || this.backoffMs === 0 ? FIRST_BACKOFF_MS : Math.min(MAX_BACKOFF_MS, this.backoffMs * 2);
    if (waitMs > RESTART_AT_ONCE_MS) {
      events.record(engine.nowMs, aboutPod(this.pod, this.pod.container.name), "Warning", "BackOff", backOff(this.pod.container.name, this.pod.name, this.pod.namespace, this.pod.uid));
      this.later([1_000, 1_000], () => {
        const { container } = this.pod;
        container.last = container.terminated;
        container.state = "waiting";
        container.waitingReason = "CrashLoopBackOff";
        sink.pod(this.pod);
        this.restartAfter(waitMs);
      });
    } else {
      this.restartAfter(waitMs);
    }
    sink.pod(this.pod);
  }

  private restartAfter(waitMs: number): void {
    this.later([waitMs, waitMs], () => {
      this.pod.container.restarts += 1;
      this.run();
    });
  }

  private ended(how: Pick<TerminationRecord, "reason" | "exitCode">): void {
    const { container } = this.pod;
    const nowMs = this.parts.engine.nowMs;
    container.state = "terminated";
    container.terminated = { ...how, startedMs: container.startedMs ?? nowMs, finishedMs: nowMs, containerId: container.id ?? "" };
    if (this.pod.ready.status) this.pod.ready = { status: false, sinceMs: nowMs };
  }

  private later(range: readonly [number, number], run: () => void): void {
    this.timer = this.parts.engine.after(this.parts.random.between(range[0], range[1]), run);
  }
}
