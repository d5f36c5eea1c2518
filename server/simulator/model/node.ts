import { CniDaemon } from "./daemon";
import { CniPlugins } from "./cni";
import { DaemonPod } from "./daemon-pod";
import { Engine } from "./engine";
import { NodeFiles } from "./files";
import { Kubelet, recordStarted } from "./kubelet";
import type { DaemonResources, NodeParameters } from "./parameters";
import type { Random } from "./random";
import { aboutNode, aboutPod, EventRecorder } from "./recorder";
import type { ChangeSink, PodRecord } from "./records";
import { Runtime } from "./runtime";
import { CNI_NOT_INITIALIZED } from "./texts";

const START_CONTAINER_MS: readonly [number, number] = [300, 1_100];
const STOP_CONTAINER_MS: readonly [number, number] = [200, 1_500];
/** From power on until the kubelet runs. */
export const BOOT_MS = 20_000;
/** The kubelet posts its status this often. */
const STATUS_MS = 10_000;

export interface ReadyCondition {
  status: "True" | "False" | "Unknown";
  sinceMs: number;
  reason: string;
  message: string;
}

/** One node: kubelet, runtime, CNI daemon and files, stepped through time without any clock or socket. */
export class NodeModel {
  readonly engine: Engine;
  readonly files: NodeFiles;
  readonly daemon: CniDaemon;
  readonly runtime: Runtime;
  readonly cni: CniPlugins;
  readonly kubelet: Kubelet;
  readonly uid: string;
  readonly bootIds: { bootId: string; machineId: string };
  daemonPod: DaemonPod | undefined;
  power: "on" | "off" | "booting" = "on";
  /** Cut off from the network: it works on, but nobody hears of it. */
  silent = false;
  heartbeatMs: number;
  ready: ReadyCondition;
  unschedulable = false;
  readonly events: EventRecorder;
  private readonly multus: EventRecorder;
  private addresses = 1;

  constructor(
    readonly parameters: NodeParameters,
    readonly random: Random,
    readonly sink: ChangeSink,
    readonly createdMs: number,
  ) {
    this.engine = new Engine(createdMs);
    this.files = new NodeFiles(createdMs);
    this.uid = random.uuid();
    this.bootIds = { bootId: random.uuid(), machineId: random.hex(32) };
    this.daemon = new CniDaemon(this.engine, parameters.cores, parameters.chain, random.fork("daemon"));
    this.events = new EventRecorder(random.fork("events"), "kubelet", parameters.name, sink);
    this.multus = new EventRecorder(random.fork("multus"), "multus", undefined, sink);
    this.cni = new CniPlugins(this.engine, this.files, this.daemon, random, parameters.chain.pluginTypes[0] ?? "bridge", (pod) => this.interfaceAdded(pod));
    this.runtime = new Runtime(this.engine, this.cni, random);
    this.heartbeatMs = createdMs;
    this.ready = { status: "True", sinceMs: createdMs, reason: "KubeletReady", message: "kubelet is posting ready status" };
    this.kubelet = new Kubelet({
      engine: this.engine,
      random,
      runtime: this.runtime,
      events: this.events,
      sink,
      runtimeRequestTimeoutMs: parameters.runtimeRequestTimeoutMs,
      hostNetwork: (pod) => pod.kind === "host-network" || pod.kind === "cni-daemon",
      nextIp: (pod) => this.nextIp(pod),
      startContainers: (pod) => this.startContainers(pod),
      stopContainers: (pod, done) => this.stopContainers(pod, done),
      gone: (pod) => {
        if (this.daemonPod?.pod === pod) this.daemonPod = undefined;
      },
    });
    this.startKubelet();
  }

  advance(toMs: number): void {
    this.engine.advance(toMs, this.daemon.processor);
  }

  addPod(pod: PodRecord): void {
    if (this.power === "on") this.kubelet.add(pod);
    else this.kubelet.pods.set(pod.uid, pod);
    this.sink.pod(pod);
  }

  /** A pod that has long been running when the model begins. */
  adoptPod(pod: PodRecord): void {
    const nowMs = this.engine.nowMs;
    const id = this.random.hex(64);
    pod.startMs = pod.createdMs;
    pod.initialized = { status: true, sinceMs: pod.createdMs };
    pod.sandboxReady = { status: true, sinceMs: pod.createdMs, message: "" };
    pod.ready = { status: true, sinceMs: pod.createdMs };
    pod.phase = "Running";
    pod.ip = this.nextIp(pod);
    pod.container.state = "running";
    pod.container.id = this.random.hex(64);
    pod.container.startedMs = pod.createdMs;
    const hostNetwork = pod.kind === "host-network" || pod.kind === "cni-daemon";
    this.runtime.adopt({ id, podUid: pod.uid, namespace: pod.namespace, podName: pod.name, attempt: 0, hostNetwork, state: "ready", createdMs: pod.createdMs, networkDown: hostNetwork });
    if (pod.kind === "cni-daemon") {
      if (pod.init !== undefined) {
        pod.init.state = "terminated";
        pod.init.id = this.random.hex(64);
        pod.init.terminated = { reason: "Completed", exitCode: 0, startedMs: pod.createdMs, finishedMs: pod.createdMs, containerId: pod.init.id };
      }
      this.files.installShim(nowMs);
      this.files.makeSocket(nowMs);
      this.files.writeMultusConf(nowMs);
      if (pod.resources !== undefined) this.daemon.start(pod.resources);
      this.daemonPod = this.daemonPodOf(pod);
    } else if (!hostNetwork) {
      pod.networkStatus = this.networkStatusOf(pod, pod.ip);
    }
    this.addPod(pod);
  }

  /** The deletion timestamp is set; the kubelet does the rest. */
  deletePod(pod: PodRecord, atMs: number): void {
    if (pod.deletingMs !== undefined) return;
    pod.deletingMs = atMs;
    this.sink.pod(pod);
    if (this.power === "on" && !this.silent) this.kubelet.wake(pod.uid);
  }

  resizeDaemon(pod: PodRecord, resources: DaemonResources): void {
    pod.resources = resources;
    pod.resourcesGeneration += 1;
    this.sink.pod(pod);
    if (this.daemonPod?.pod === pod) this.daemonPod.resize();
  }

  /** The power goes: processes, connections and everything under /run are lost, files and sandboxes' records are not. */
  powerOff(): void {
    this.power = "off";
    this.engine.clear();
    if (this.daemon.state !== "down") this.daemon.end();
    this.engine.clear();
    this.cni.powerOff();
    this.runtime.powerOff();
    this.files.removeSocket();
    this.daemonPod = undefined;
  }

  powerOn(): void {
    this.power = "booting";
    this.engine.after(BOOT_MS, () => {
      this.power = "on";
      this.bootIds.bootId = this.random.uuid();
      for (const pod of this.kubelet.pods.values()) {
        if (pod.container.state === "running") {
          pod.container.state = "waiting";
          pod.container.waitingReason = "ContainerCreating";
          pod.container.restarts += 1;
        }
        pod.sandboxReady = { status: false, sinceMs: this.engine.nowMs, message: "pod sandbox is not ready" };
        pod.ready = { status: false, sinceMs: this.engine.nowMs };
        this.sink.pod(pod);
      }
      this.events.record(this.engine.nowMs, aboutNode(this.parameters.name), "Normal", "Starting", "Starting kubelet.");
      this.events.record(this.engine.nowMs, aboutNode(this.parameters.name), "Warning", "Rebooted", `Node ${this.parameters.name} has been rebooted, boot id: ${this.bootIds.bootId}`);
      this.startKubelet();
    });
  }

  private startKubelet(): void {
    this.kubelet.start();
    this.postStatus();
  }

  private postStatus(): void {
    if (!this.silent) {
      this.heartbeatMs = this.engine.nowMs;
      const initialized = this.files.effectiveConf() !== undefined;
      const status = initialized ? "True" : "False";
      const reason = initialized ? "KubeletReady" : "KubeletNotReady";
      const message = initialized
        ? "kubelet is posting ready status"
        : `container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: ${CNI_NOT_INITIALIZED}`;
      if (this.ready.status !== status) {
        this.ready = { status, reason, message, sinceMs: this.engine.nowMs };
        this.events.record(this.engine.nowMs, aboutNode(this.parameters.name), "Normal", initialized ? "NodeReady" : "NodeNotReady", `Node ${this.parameters.name} status is now: ${initialized ? "NodeReady" : "NodeNotReady"}`);
        this.sink.node(this.parameters.name);
      }
    }
    this.engine.after(STATUS_MS, () => this.postStatus());
  }

  private startContainers(pod: PodRecord): void {
    if (pod.kind === "cni-daemon") {
      this.daemonPod = this.daemonPodOf(pod);
      this.daemonPod.start();
      return;
    }
    this.engine.after(this.random.between(START_CONTAINER_MS[0], START_CONTAINER_MS[1]), () => {
      if (pod.deletingMs !== undefined || !pod.sandboxReady.status) return;
      const nowMs = this.engine.nowMs;
      this.kubelet.operation("create_container").observe(this.random.between(0.02, 0.2), false);
      this.kubelet.operation("start_container").observe(this.random.between(0.02, 0.15), false);
      pod.container.state = "running";
      pod.container.id = this.random.hex(64);
      pod.container.startedMs = nowMs;
      pod.phase = "Running";
      pod.ready = { status: true, sinceMs: nowMs };
      recordStarted({ events: this.events, engine: this.engine }, pod);
      this.sink.pod(pod);
      if (pod.kind === "job") this.finishLater(pod);
    });
  }

  private finishLater(pod: PodRecord): void {
    const { jobMinMs, jobMaxMs } = this.parameters.workload;
    this.engine.after(this.random.between(jobMinMs, jobMaxMs), () => {
      if (pod.deletingMs !== undefined || pod.container.state !== "running") return;
      const nowMs = this.engine.nowMs;
      pod.container.state = "terminated";
      pod.container.terminated = { reason: "Completed", exitCode: 0, startedMs: pod.container.startedMs ?? nowMs, finishedMs: nowMs, containerId: pod.container.id ?? "" };
      pod.phase = "Succeeded";
      pod.ready = { status: false, sinceMs: nowMs };
      pod.sandboxReady = { status: false, sinceMs: nowMs, message: "pod sandbox is not ready" };
      this.sink.pod(pod);
      this.kubelet.wake(pod.uid);
    });
  }

  private stopContainers(pod: PodRecord, done: () => void): void {
    if (pod.container.state === "running") {
      this.events.record(this.engine.nowMs, aboutPod(pod, pod.container.name), "Normal", "Killing", `Stopping container ${pod.container.name}`);
    }
    if (this.daemonPod?.pod === pod) {
      this.daemonPod.terminate(done);
      return;
    }
    if (pod.container.state !== "running") {
      done();
      return;
    }
    const takesMs = this.random.between(STOP_CONTAINER_MS[0], STOP_CONTAINER_MS[1]);
    this.engine.after(Math.min(takesMs, pod.graceMs), () => {
      pod.container.state = "terminated";
      pod.ready = { status: false, sinceMs: this.engine.nowMs };
      done();
    });
  }

  /** The daemon has set up a pod's interfaces, whether or not anybody still waits for that. */
  private interfaceAdded(pod: PodRecord): void {
    if (!this.kubelet.pods.has(pod.uid)) return;
    const nowMs = this.engine.nowMs;
    const ip = this.podAddress();
    this.multus.record(nowMs, aboutPod(pod), "Normal", "AddedInterface", `Add eth0 [${ip}/24] from cbr0`);
    if (pod.networks !== undefined) this.multus.record(nowMs, aboutPod(pod), "Normal", "AddedInterface", `Add net1 [${this.secondAddress()}/24] from ${pod.namespace}/${pod.networks}`);
    pod.networkStatus = this.networkStatusOf(pod, ip);
    this.sink.pod(pod);
  }

  private networkStatusOf(pod: PodRecord, ip: string): string {
    const first = { name: "cbr0", interface: "eth0", ips: [ip], mac: this.mac(), default: true, dns: {}, gateway: ["<nil>"] };
    const second = pod.networks === undefined ? [] : [{ name: `${pod.namespace}/${pod.networks}`, interface: "net1", ips: [this.secondAddress()], mac: this.mac(), dns: {} }];
    return JSON.stringify([first, ...second], null, 4);
  }

  private daemonPodOf(pod: PodRecord): DaemonPod {
    return new DaemonPod({ engine: this.engine, random: this.random, daemon: this.daemon, cni: this.cni, files: this.files, events: this.events, sink: this.sink }, pod);
  }

  private secondAddress(): string {
    return `10.250.0.${this.addresses}`;
  }

  private nextIp(pod: PodRecord): string {
    return pod.kind === "host-network" || pod.kind === "cni-daemon" ? this.parameters.address : this.podAddress();
  }

  private podAddress(): string {
    this.addresses = (this.addresses % 253) + 1;
    return this.parameters.podCidr.replace(/\d+\/\d+$/, String(this.addresses + 1));
  }

  private mac(): string {
    return (this.random.hex(12).match(/../g) ?? []).join(":");
  }
}
