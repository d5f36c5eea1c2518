import { ApiAccess } from "./api-access";
import type { NetworkAttachments } from "./attachments";
import { CniPlugins } from "./cni";
import { ConfLoader } from "./conf-loader";
import { CniDaemon } from "./daemon";
import type { DaemonConfigMap } from "./daemon-config";
import { DaemonPod } from "./daemon-pod";
import { Engine } from "./engine";
import type { PluginSite } from "./exec";
import { MULTUS_CONF, multusConf, NodeFiles, PRIMARY_NETWORK } from "./files";
import { healthOf, networkProblem, READY_MESSAGE, type ReadyCondition } from "./health";
import { NodeHost } from "./host";
import { versionOf } from "./images";
import { Kubelet, recordStarted } from "./kubelet";
import { mountNow } from "./mounts";
import { Multus, type AddedInterface } from "./multus";
import type { DaemonResources, NodeParameters } from "./parameters";
import type { Random } from "./random";
import { aboutNode, aboutPod, EventRecorder } from "./recorder";
import type { ChangeSink, PodRecord } from "./records";
import { CILIUM_SOCKET } from "./programs";
import { Runtime } from "./runtime";

const START_CONTAINER_MS: readonly [number, number] = [300, 1_100];
const STOP_CONTAINER_MS: readonly [number, number] = [200, 1_500];
/** From power on until the kubelet runs. */
export const BOOT_MS = 20_000;
/** The kubelet posts its status this often. */
const STATUS_MS = 10_000;
/** What was written in this time before a power cut may be on disk by its name only. */
const FRESH_WRITES_MS = 300_000;

/** What a node shares with all the others. */
export interface ClusterSide {
  readonly sink: ChangeSink;
  readonly attachments: NetworkAttachments;
  readonly daemonConfig: DaemonConfigMap;
}

/** One node: kubelet, runtime, CNI daemon and files, stepped through time without any clock or socket. */
export class NodeModel {
  readonly engine: Engine;
  readonly files: NodeFiles;
  readonly host = new NodeHost();
  readonly api = new ApiAccess();
  readonly loader: ConfLoader;
  readonly daemon: CniDaemon;
  readonly multus: Multus;
  readonly runtime: Runtime;
  readonly cni: CniPlugins;
  readonly kubelet: Kubelet;
  readonly uid: string;
  readonly bootIds: { bootId: string; machineId: string };
  /** Of the pod that came last; one that is ending may still be there. */
  daemonPod: DaemonPod | undefined;
  private readonly daemonPods = new Map<string, DaemonPod>();
  power: "on" | "off" | "booting" = "on";
  /** Cut off from the network: it works on, but nobody hears of it. */
  silent = false;
  heartbeatMs: number;
  ready: ReadyCondition;
  unschedulable = false;
  /** Too few processes are left, by the kubelet. */
  pressure = false;
  pressureSinceMs: number | undefined;
  readonly events: EventRecorder;
  readonly sink: ChangeSink;
  private readonly multusEvents: EventRecorder;
  /** Since when the runtime does nothing. */
  private frozenSinceMs: number | undefined;

  constructor(
    readonly parameters: NodeParameters,
    readonly random: Random,
    readonly cluster: ClusterSide,
    readonly createdMs: number,
  ) {
    const { sink } = cluster;
    this.sink = sink;
    this.engine = new Engine(createdMs);
    this.files = new NodeFiles(createdMs, parameters.podCidr, parameters.primary);
    for (const program of parameters.extraPrograms ?? []) this.files.putProgram(program, createdMs);
    if (parameters.primary === "cilium") this.host.otherSockets.add(CILIUM_SOCKET);
    for (const pciAddress of parameters.functions ?? []) this.host.functions.push({ pciAddress, bound: true });
    this.loader = new ConfLoader(this.files);
    this.uid = random.uuid();
    this.bootIds = { bootId: random.uuid(), machineId: random.hex(32) };
    this.daemon = new CniDaemon(this.engine, parameters.cores, parameters.chain, random.fork("daemon"));
    this.events = new EventRecorder(random.fork("events"), "kubelet", parameters.name, sink);
    this.multusEvents = new EventRecorder(random.fork("multus"), "multus", undefined, sink);
    const hasNetns = (sandboxId: string): boolean => this.runtime.netns.has(sandboxId);
    this.multus = new Multus({
      files: this.files,
      host: this.host,
      api: this.api,
      attachments: cluster.attachments,
      nowMs: () => this.engine.nowMs,
      hasNetns,
      added: (pod, interfaces, whole) => this.interfacesAdded(pod, interfaces, whole),
      noNetwork: (pod, text) => this.multusEvents.record(this.engine.nowMs, aboutPod(pod), "Warning", "NoNetworkFound", text),
    });
    this.cni = new CniPlugins({ engine: this.engine, files: this.files, loader: this.loader, daemon: this.daemon, multus: this.multus, random, site: () => this.site(), hasNetns });
    this.files.watchConf((name) => {
      // The daemon follows the file that it hands pods to, and no other.
      if (name === this.multus.master && this.daemon.state === "running" && this.files.conf.has(name)) this.files.writeConf(MULTUS_CONF, multusConf(name), this.engine.nowMs);
    });
    this.runtime = new Runtime(this.engine, this.cni, random);
    this.heartbeatMs = createdMs;
    this.ready = { status: "True", sinceMs: createdMs, reason: "KubeletReady", message: READY_MESSAGE };
    this.kubelet = new Kubelet({
      engine: this.engine,
      random,
      runtime: this.runtime,
      events: this.events,
      sink,
      nodeName: parameters.name,
      runtimeRequestTimeoutMs: parameters.runtimeRequestTimeoutMs,
      hostNetwork: isHostNetwork,
      networkProblem: () => networkProblem(this.loader),
      addressOf: (pod) => this.addressOf(pod),
      startContainers: (pod) => this.startContainers(pod),
      stopContainers: (pod, done) => this.stopContainers(pod, done),
      gone: (pod) => {
        this.daemonPods.delete(pod.uid);
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
    const id = this.random.hex(64);
    pod.startMs = pod.createdMs;
    pod.initialized = { status: true, sinceMs: pod.createdMs };
    pod.sandboxReady = { status: true, sinceMs: pod.createdMs, message: "" };
    pod.ready = { status: true, sinceMs: pod.createdMs };
    pod.phase = "Running";
    pod.container.state = "running";
    pod.container.id = this.random.hex(64);
    // What it mounts of the daemon's is as the daemon made it: it began after that.
    pod.container.startedMs = pod.mounts.length === 0 ? pod.createdMs : Math.max(pod.createdMs, ...[...this.kubelet.pods.values()].filter(({ kind }) => kind === "cni-daemon").map(({ createdMs }) => createdMs));
    const hostNetwork = isHostNetwork(pod);
    this.runtime.adopt({ id, podUid: pod.uid, namespace: pod.namespace, podName: pod.name, attempt: 0, hostNetwork, state: "ready", createdMs: pod.createdMs, networkDown: hostNetwork });
    if (pod.kind === "cni-daemon") this.adoptDaemon(pod);
    else if (!hostNetwork) pod.networkStatus = this.networkStatusOf(this.multus.adopt(pod, id));
    pod.ip = this.addressOf(pod);
    mountNow(pod, this.files, this.host);
    this.addPod(pod);
  }

  private adoptDaemon(pod: PodRecord): void {
    if (pod.init !== undefined) {
      pod.init.state = "terminated";
      pod.init.id = this.random.hex(64);
      pod.init.terminated = { reason: "Completed", exitCode: 0, startedMs: pod.createdMs, finishedMs: pod.createdMs, containerId: pod.init.id };
    }
    this.files.installShim(this.engine.nowMs, versionOf(pod.container.image));
    this.daemonPod = this.daemonPodOf(pod);
    this.daemonPod.adopt();
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
    this.files.pools.clear();
    if (!this.host.keepsFreshWrites) this.files.loseFreshWrites(this.engine.nowMs - FRESH_WRITES_MS);
    this.daemonPod = undefined;
    this.daemonPods.clear();
    this.frozenSinceMs = undefined;
  }

  powerOn(): void {
    this.power = "booting";
    this.engine.after(BOOT_MS, () => {
      this.power = "on";
      this.bootIds.bootId = this.random.uuid();
      this.loader.load();
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

  /** The runtime's data is thrown away: its sandboxes are gone without a word to any plugin, and the kubelet makes new ones. */
  loseSandboxes(): void {
    const nowMs = this.engine.nowMs;
    for (const sandbox of [...this.runtime.sandboxes.values()]) {
      const pod = this.kubelet.pods.get(sandbox.podUid);
      if (sandbox.hostNetwork) continue;
      this.runtime.lose(sandbox);
      if (pod === undefined || pod.phase === "Succeeded") continue;
      pod.sandboxReady = { status: false, sinceMs: nowMs, message: "pod sandbox is not ready" };
      pod.ready = { status: false, sinceMs: nowMs };
      pod.container.state = "waiting";
      pod.container.waitingReason = "ContainerCreating";
      pod.ip = undefined;
      this.sink.pod(pod);
      this.kubelet.wake(pod.uid);
    }
  }

  private startKubelet(): void {
    this.kubelet.start();
    this.postStatus();
  }

  private postStatus(): void {
    if (!this.silent) {
      this.heartbeatMs = this.engine.nowMs;
      const { status, reason, message } = healthOf(networkProblem(this.loader), this.frozenSinceMs === undefined ? 0 : this.engine.nowMs - this.frozenSinceMs);
      if (this.ready.status !== status) {
        this.ready = { status, reason, message, sinceMs: this.engine.nowMs };
        const word = status === "True" ? "NodeReady" : "NodeNotReady";
        this.events.record(this.engine.nowMs, aboutNode(this.parameters.name), "Normal", word, `Node ${this.parameters.name} status is now: ${word}`);
        this.sink.node(this.parameters.name);
      } else if (this.ready.message !== message && status === "False") {
        this.ready = { ...this.ready, reason, message };
        this.sink.node(this.parameters.name);
      }
      if (this.pressure !== this.host.fewTasksLeft) {
        this.pressure = this.host.fewTasksLeft;
        this.pressureSinceMs = this.engine.nowMs;
        this.sink.node(this.parameters.name);
      }
    }
    this.engine.after(STATUS_MS, () => this.postStatus());
  }

  /** The runtime stands still, or goes on. */
  freezeRuntime(frozen: boolean): void {
    this.frozenSinceMs = frozen ? this.engine.nowMs : undefined;
    this.runtime.freeze(frozen);
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
      mountNow(pod, this.files, this.host);
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
    const daemonPod = this.daemonPods.get(pod.uid);
    if (daemonPod !== undefined) {
      daemonPod.terminate(done);
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
  private interfacesAdded(pod: PodRecord, interfaces: readonly AddedInterface[], whole: boolean): void {
    if (!this.kubelet.pods.has(pod.uid)) return;
    for (const { ifName, address, network } of interfaces) this.multusEvents.record(this.engine.nowMs, aboutPod(pod), "Normal", "AddedInterface", `Add ${ifName} [${address === undefined ? "" : `${address.ip}/${address.bits}`}] from ${network}`);
    if (!whole) return;
    pod.networkStatus = this.networkStatusOf(interfaces);
    this.sink.pod(pod);
  }

  private networkStatusOf(interfaces: readonly AddedInterface[]): string {
    const rows = interfaces.map(({ ifName, network, address }, index) => {
      const row = { name: network, interface: ifName, ips: address === undefined ? [] : [address.ip], mac: this.mac() };
      return index === 0 ? { ...row, default: true, dns: {}, gateway: ["<nil>"] } : { ...row, dns: {} };
    });
    return JSON.stringify(rows, null, 4);
  }

  private site(): PluginSite {
    return { files: this.files, host: this.host, nowMs: this.engine.nowMs, controllerServes: (network) => this.cluster.attachments.serves(network) };
  }

  private daemonPodOf(pod: PodRecord): DaemonPod {
    const { engine, random, daemon, cni, files, events, sink, multus, host } = this;
    const made = new DaemonPod({ engine, random, daemon, cni, files, events, sink, multus, host, config: this.cluster.daemonConfig }, pod);
    this.daemonPods.set(pod.uid, made);
    return made;
  }

  /** The node's own, or what the sandbox was given. */
  private addressOf(pod: PodRecord): string | undefined {
    if (isHostNetwork(pod)) return this.parameters.address;
    const sandbox = this.runtime.ofPod(pod.uid).at(-1);
    return sandbox === undefined ? undefined : this.files.pools.get(PRIMARY_NETWORK)?.addressOf(sandbox.id);
  }

  private mac(): string {
    return (this.random.hex(12).match(/../g) ?? []).join(":");
  }
}

const isHostNetwork = (pod: PodRecord): boolean => pod.kind === "host-network" || pod.kind === "cni-daemon";
