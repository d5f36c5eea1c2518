import type { CniPlugins } from "./cni";
import { DRAIN_MS, type CniDaemon } from "./daemon";
import { chooseMaster, type DaemonConfigMap } from "./daemon-config";
import type { Timer } from "./engine";
import { MULTUS_CONF, multusConf, type NodeFiles } from "./files";
import type { NodeHost } from "./host";
import { versionOf } from "./images";
import { install } from "./installer";
import type { Multus } from "./multus";
import { aboutPod } from "./recorder";
import type { PodRecord, TerminationRecord } from "./records";
import { Restarts, type RestartParts } from "./restarts";

const INIT_MS: readonly [number, number] = [500, 900];
/** From the start of the process until socket and configuration are there. */
const START_MS: readonly [number, number] = [250, 450];
/** CPU that the daemon needs to end in good order, beside the calls that it still serves. */
const SHUTDOWN_CPU_SECONDS = 0.02;
/** Ended by SIGKILL. */
const KILLED_EXIT_CODE = 137;
const PANIC_EXIT_CODE = 2;
const PANIC = "panic: runtime error: invalid memory address or nil pointer dereference\n[signal SIGSEGV: segmentation violation code=0x1 addr=0x28 pc=0x8f2c4a]";
/** The kubelet applies a change of resources this long after it saw it. */
const RESIZE_MS: readonly [number, number] = [800, 2_000];
/** Without any conflist the daemon looks again and again for this long, then ends. */
const WAITS_FOR_CONF_MS = 120_000;
const LOOKS_FOR_CONF_MS = 1_000;

export interface DaemonPodParts extends RestartParts {
  readonly daemon: CniDaemon;
  readonly multus: Multus;
  readonly cni: CniPlugins;
  readonly files: NodeFiles;
  readonly host: NodeHost;
  readonly config: DaemonConfigMap;
}

type Ended = Pick<TerminationRecord, "reason" | "exitCode" | "message">;

/**
 * The containers of the CNI daemon's pod: the init container that puts the shim in place, and the daemon with its
 * socket and configuration. A kill for memory shows in the container's status and nowhere else.
 */
export class DaemonPod {
  private readonly mainRestarts: Restarts;
  private readonly initRestarts: Restarts | undefined;
  private timer: Timer | undefined;
  private ending = false;
  /** Kills for memory since the node came up. */
  outOfMemoryKills = 0;

  constructor(
    private readonly parts: DaemonPodParts,
    readonly pod: PodRecord,
  ) {
    this.mainRestarts = new Restarts(parts, pod, pod.container);
    this.initRestarts = pod.init === undefined ? undefined : new Restarts(parts, pod, pod.init);
  }

  start(): void {
    this.initRestarts?.running();
    this.later(INIT_MS, () => this.install());
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
    this.ending = true;
    if (this.timer !== undefined) this.timer.cancelled = true;
    this.mainRestarts.cancel();
    this.initRestarts?.cancel();
    if (!this.isServing) {
      this.pod.container.state = "terminated";
      done();
      return;
    }
    daemon.drain();
    const wantsMs = DRAIN_MS + daemon.processor.daemonLatencySeconds(SHUTDOWN_CPU_SECONDS) * 1_000;
    const graceful = wantsMs <= this.pod.graceMs && !daemon.stopped;
    engine.after(Math.min(wantsMs, this.pod.graceMs), () => {
      if (graceful) {
        // By their paths, whoever has made them.
        files.removeConf(MULTUS_CONF);
        files.removeSocket();
      }
      if (this.isServing) daemon.end();
      this.ended(graceful ? { reason: "Completed", exitCode: 0 } : { reason: "Error", exitCode: KILLED_EXIT_CODE });
      sink.pod(this.pod);
      done();
    });
  }

  /** The process dies in the middle of its work and leaves everything where it is. */
  crash(how: Ended = { reason: "Error", exitCode: PANIC_EXIT_CODE, message: PANIC }): void {
    if (this.ending) return;
    if (this.isServing) this.parts.daemon.end();
    this.ended(how);
    this.mainRestarts.again(() => this.run());
  }

  /** Takes over a daemon that has been running since before the model begins. */
  adopt(): void {
    this.serve(this.parts.engine.nowMs);
  }

  /** Whether the process of this node's daemon is this pod's: two may overlap. */
  private get isServing(): boolean {
    return this.parts.daemon.state !== "down" && this.parts.daemon.servedBy === this.pod.uid;
  }

  private install(): void {
    const { engine, files, host, cni, sink } = this.parts;
    const { initRestarts } = this;
    const { exitCode, message } = install(this.pod.installer, files, host, versionOf(this.pod.container.image), (inode) => cni.isBusy(inode), engine.nowMs);
    initRestarts?.ended({ reason: exitCode === 0 ? "Completed" : "Error", exitCode, ...(message === undefined ? {} : { message }) });
    if (exitCode !== 0) {
      initRestarts?.again(() => {
        initRestarts.running();
        sink.pod(this.pod);
        this.later(INIT_MS, () => this.install());
      });
      return;
    }
    if (!this.pod.initialized.status) this.pod.initialized = { status: true, sinceMs: engine.nowMs };
    sink.pod(this.pod);
    this.run();
  }

  private run(): void {
    const { engine, sink, events } = this.parts;
    const { container } = this.pod;
    this.mainRestarts.running();
    this.pod.phase = "Running";
    this.pod.ready = { status: true, sinceMs: engine.nowMs };
    sink.pod(this.pod);
    const about = aboutPod(this.pod, container.name);
    events.record(engine.nowMs, about, "Normal", "Pulled", `Container image "${container.image}" already present on machine and can be accessed by the pod`);
    events.record(engine.nowMs, about, "Normal", "Created", "Container created");
    events.record(engine.nowMs, about, "Normal", "Started", "Container started");
    const startedMs = engine.nowMs;
    this.later(START_MS, () => this.serve(startedMs));
  }

  /** Reads its config, makes socket and generated config, and serves; or ends, or waits for a conflist to come. */
  private serve(startedMs: number): void {
    const { engine, files, daemon, cni, host, multus, config } = this.parts;
    if (this.pod.resources === undefined) return;
    if (host.daemonPanics) return this.crash();
    const choice = chooseMaster(config.copy(this.pod.createdMs, engine.nowMs).text, files);
    if ("fails" in choice) return this.crash({ reason: "Error", ...choice.fails });
    if ("waits" in choice) {
      if (engine.nowMs - startedMs > WAITS_FOR_CONF_MS) return this.crash({ reason: "Error", exitCode: 1, message: "[error] failed to create the configuration manager for the primary CNI plugin: failed to find the cluster master CNI plugin" });
      this.timer = engine.after(LOOKS_FOR_CONF_MS, () => this.serve(startedMs));
      return;
    }
    // Who still serves here loses its calls: a new daemon takes the folder of the socket away.
    if (daemon.state !== "down") daemon.end();
    files.makeSocket(engine.nowMs);
    daemon.start(this.pod.resources, versionOf(this.pod.container.image), files.socket?.file.inode);
    daemon.servedBy = this.pod.uid;
    daemon.onOutOfMemory = () => this.outOfMemory();
    multus.master = choice.master;
    files.writeConf(MULTUS_CONF, multusConf(choice.master), engine.nowMs);
    cni.daemonReady();
  }

  private outOfMemory(): void {
    this.outOfMemoryKills += 1;
    if (this.ending) this.parts.daemon.end();
    else this.crash({ reason: "OOMKilled", exitCode: KILLED_EXIT_CODE });
  }

  private ended(how: Ended): void {
    this.mainRestarts.ended(how);
    if (this.pod.ready.status) this.pod.ready = { status: false, sinceMs: this.parts.engine.nowMs };
  }

  private later(range: readonly [number, number], run: () => void): void {
    this.timer = this.parts.engine.after(this.parts.random.between(range[0], range[1]), run);
  }
}
