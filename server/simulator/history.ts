import { parseNodeName, type NodeName } from "../domain/ids";
import type { DaemonSetObject } from "../domain/model";
import type { CadvisorMetrics, KubeletMetrics, Observation, OperationCounters, WatchedKind } from "../domain/observation";
import { compared } from "../sources/kube-api/revisions";
import { isInterestingDaemonSet, makeProjector, type IsDaemonPod } from "../sources/kube-api/project";
import { SIMULATED_AGENT_VERSION } from "./agents";
import { hangs } from "./kubelets";
import { ClusterModel } from "./model/cluster";
import type { NodeModel } from "./model/node";
import { EVENT_TTL_MS } from "./model/recorder";
import { controllerRevisionObject } from "./objects/controller-revision";
import { cniDaemonSetObject } from "./objects/daemon-set";
import { eventObject } from "./objects/event";
import { attachmentObject, fixedObjects } from "./objects/fixed";
import type { KubeObject } from "./objects/json";
import { nodeObject } from "./objects/node";
import { podObject } from "./objects/pod";
import { agentMemory, agentReport, type AgentMemory } from "./pages/agent-report";
import { CFS_PERIOD_MICROSECONDS, cgroupPath } from "./pages/cadvisor";
import { goFloat } from "./pages/text";
import type { ScenarioPlan } from "./scenarios";

/** The four calls that judging uses; the page has more. */
const OPERATIONS = ["run_podsandbox", "stop_podsandbox", "remove_podsandbox", "list_podsandbox"];
const QUIET_STEP_MS = 60_000;
const KINDS: readonly WatchedKind[] = ["nodes", "daemonsets", "nads", "pods", "events"];

export interface HistoryOptions {
  readonly fromMs: number;
  readonly toMs: number;
  readonly stepMs: number;
  /** Whether kubelet pages and agent reports are part of it; both by default. */
  readonly kubelet?: boolean;
  readonly agent?: boolean;
  readonly isDaemonPod?: IsDaemonPod;
  readonly kubeletPort?: (node: string) => number;
}

/**
 * What a collector would have seen from `fromMs` to `toMs`, in the order of time: the same model run again from its
 * beginning, so nothing has to be kept meanwhile. API objects go through the API source's own projection. The silent
 * first stretch of a late `fromMs` costs the model's time and no observations.
 */
export function* history(plan: ScenarioPlan, options: HistoryOptions): Generator<Observation, void, void> {
  const model = new ClusterModel(plan.cluster);
  plan.script(model);
  const teller = new Teller(model, options);
  for (let ms = plan.cluster.startMs; ms < options.fromMs; ms = Math.min(ms + QUIET_STEP_MS, options.fromMs)) {
    model.advance(ms);
    teller.remember();
  }
  model.advance(options.fromMs);
  teller.remember();
  yield* teller.everything();
  for (let ms = options.fromMs + options.stepMs; ms <= options.toMs; ms += options.stepMs) {
    model.advance(ms);
    yield* teller.changes();
    yield* teller.readings(options.kubelet ?? true, options.agent ?? true);
  }
}

class Teller {
  private readonly daemonSets = new Map<string, DaemonSetObject>();
  private readonly projector;
  private readonly port: (node: string) => number;
  private readonly names = new Map<string, NodeName>();
  private readonly agents = new Map<string, { readonly startId: string; readonly memory: AgentMemory }>();
  private readonly nadTypes = new Map<string, readonly string[]>();
  private recent: Parameters<typeof eventObject>[0][] = [];
  private readonly listed = new Map<WatchedKind, number>();
  private sequence = 0;
  private revisions: KubeObject[] = [];

  constructor(
    private readonly model: ClusterModel,
    options: HistoryOptions,
  ) {
    this.projector = makeProjector({ isDaemonPod: options.isDaemonPod ?? ((_pod, daemonSet) => daemonSet !== undefined), daemonSet: (key) => this.daemonSets.get(key) });
    this.port = options.kubeletPort ?? (() => 10_250);
    const ids = model.random.fork("history");
    for (const name of model.nodes.keys()) {
      const parsed = parseNodeName(name);
      if (parsed !== undefined) this.names.set(name, parsed);
      this.agents.set(name, { startId: ids.uuid(), memory: agentMemory() });
    }
  }

  /** Takes what changed without telling it; an API server still has the events of the last hour. */
  remember(): void {
    const fresh = this.model.takeChanges().events;
    this.recent = [...this.recent.filter((event) => !fresh.has(event) && this.model.nowMs - event.lastMs <= EVENT_TTL_MS), ...fresh];
  }

  /** The first lists, each with the word that it was whole. */
  *everything(): Generator<Observation> {
    const kept = new Map<WatchedKind, Set<string>>(KINDS.map((kind) => [kind, new Set()]));
    for (const observation of this.firstLists()) {
      const [kind, key] = keyOf(observation);
      if (kind !== undefined) kept.get(kind)?.add(key);
      yield observation;
    }
    for (const [kind, keys] of kept) this.listed.set(kind, keys.size);
    for (const [kind, keys] of kept) yield { source: "api", type: "listed", atMs: this.model.nowMs, kind, keys };
    yield* this.kindStatuses();
  }

  private *firstLists(): Generator<Observation> {
    yield* this.daemonSet();
    for (const { resource, object } of fixedObjects(this.model)) if (resource === "apps/daemonsets") yield* this.keptDaemonSet(object);
    for (const key of this.model.attachments.all.keys()) yield* this.attachment(key);
    for (const node of this.model.nodes.values()) yield* this.node(node);
    for (const node of this.model.nodes.values()) for (const pod of node.kubelet.pods.values()) yield* this.pod(pod);
    for (const pod of this.model.daemonSet.unplaced()) yield* this.pod(pod);
    for (const event of this.recent) yield* this.event(event);
    this.recent = [];
  }

  *changes(): Generator<Observation> {
    const changes = this.model.takeChanges();
    if (changes.daemonSet) yield* this.daemonSet();
    for (const key of changes.attachments) yield* this.attachment(key);
    for (const name of changes.nodes) {
      const node = this.model.nodes.get(name);
      if (node !== undefined) yield* this.node(node);
    }
    for (const pod of changes.pods) yield* this.pod(pod);
    for (const pod of changes.gonePods) yield { source: "api", type: "pod-gone", atMs: this.model.nowMs, uid: pod.uid };
    for (const event of changes.events) yield* this.event(event);
    yield* this.kindStatuses();
  }

  private *kindStatuses(): Generator<Observation> {
    for (const kind of KINDS) yield { source: "api", type: "kind-status", atMs: this.model.nowMs, status: { kind, state: "watching", lastMs: this.model.nowMs, objects: this.listed.get(kind) ?? 0 } };
  }

  *readings(kubelet: boolean, agent: boolean): Generator<Observation> {
    this.sequence += 1;
    for (const [name, parsed] of this.names) {
      const node = this.model.nodes.get(name);
      if (node === undefined || node.createdMs > this.model.nowMs) continue;
      const atMs = this.model.nowMs;
      const answers = node.power === "on" && !node.silent;
      if (kubelet && answers) {
        if (hangs(node, "/metrics")) yield { source: "kubelet", type: "failed", node: parsed, atMs, page: "metrics", reason: "no answer in 10 s", timedOut: true };
        else yield { source: "kubelet", type: "metrics", node: parsed, atMs, tookMs: 4, metrics: kubeletMetricsOf(node) };
        yield { source: "kubelet", type: "cadvisor", node: parsed, atMs, tookMs: 9, metrics: cadvisorMetricsOf(node) };
        if (this.sequence === 1) yield { source: "kubelet", type: "configz", node: parsed, atMs, runtimeRequestTimeoutSeconds: node.parameters.runtimeRequestTimeoutMs / 1_000 };
      }
      if (kubelet && !answers) yield { source: "kubelet", type: "failed", node: parsed, atMs, page: "metrics", reason: "no answer in time" };
      const own = this.agents.get(name);
      if (!agent || !answers || own === undefined) continue;
      own.memory.nadPluginTypes = [...new Set([...this.nadTypes.values()].flat())];
      yield { source: "agent", type: "report", node: parsed, atMs, report: agentReport(node, { startId: own.startId, sequence: this.sequence, agentVersion: SIMULATED_AGENT_VERSION }, own.memory) };
    }
  }

  private *attachment(key: string): Generator<Observation> {
    const object = attachmentObject(this.model, key);
    const nad = object === undefined ? undefined : this.projector.nad(object);
    this.nadTypes.delete(key);
    if (nad === undefined) {
      yield { source: "api", type: "nad-gone", atMs: this.model.nowMs, key };
      return;
    }
    this.nadTypes.set(key, nad.pluginTypes);
    yield { source: "api", type: "nad", atMs: this.model.nowMs, ...nad };
  }

  private *node(node: NodeModel): Generator<Observation> {
    const object = this.projector.node(nodeObject(node, this.port(node.parameters.name), this.model.nowMs));
    if (object !== undefined) yield { source: "api", type: "node", atMs: this.model.nowMs, object };
  }

  private *pod(pod: Parameters<typeof podObject>[0]): Generator<Observation> {
    const address = this.model.nodes.get(pod.node)?.parameters.address ?? "";
    const object = this.projector.pod(podObject(pod, address));
    if (object !== undefined) yield { source: "api", type: "pod", atMs: this.model.nowMs, object };
  }

  private *event(event: Parameters<typeof eventObject>[0]): Generator<Observation> {
    const object = this.projector.event(eventObject(event));
    if (object !== undefined && object !== "ignored") yield { source: "api", type: "event", atMs: this.model.nowMs, object };
  }

  private *daemonSet(): Generator<Observation> {
    const object = cniDaemonSetObject(this.model.daemonSet, this.model.parameters.startMs);
    yield* this.keptDaemonSet({ ...object, metadata: { ...object.metadata, resourceVersion: String(this.model.daemonSet.generation) } });
    const { generation, revision, owner } = this.model.daemonSet;
    const before = this.revisions.at(-1);
    if (Number(before?.["revision"] ?? 0) === generation) return;
    this.revisions = [...this.revisions.slice(-1), controllerRevisionObject(object, revision, generation, this.model.nowMs)];
    if (before !== undefined) yield { source: "api", type: "revisions", atMs: this.model.nowMs, uid: owner.uid, generation, reading: compared({ items: this.revisions }, owner.uid) };
  }

  private *keptDaemonSet(raw: KubeObject): Generator<Observation> {
    const object = this.projector.daemonSet(raw);
    if (object === undefined || !isInterestingDaemonSet(object)) return;
    this.daemonSets.set(`${object.namespace}/${object.name}`, object);
    yield { source: "api", type: "daemonset", atMs: this.model.nowMs, object };
  }
}

/** Under which kind and key an object of a list is kept. */
function keyOf(observation: Observation): readonly [WatchedKind, string] | readonly [undefined, ""] {
  switch (observation.type) {
    case "node":
      return ["nodes", observation.object.name];
    case "pod":
      return ["pods", observation.object.uid];
    case "event":
      return ["events", observation.object.uid];
    case "daemonset":
      return ["daemonsets", observation.object.uid];
    case "nad":
      return ["nads", observation.key];
    default:
      return [undefined, ""];
  }
}

/** The same figures that the page carries, without the detour over its text; a test holds the two together. */
export function kubeletMetricsOf(node: NodeModel): KubeletMetrics {
  const operations: Record<string, OperationCounters> = {};
  for (const name of OPERATIONS) {
    const histogram = node.kubelet.operations.get(name);
    if (histogram === undefined) continue;
    operations[name] = {
      buckets: [...histogram.buckets.map((upTo, i) => ({ upTo: Number(goFloat(upTo)), count: histogram.counts[i] ?? 0 })), { upTo: Infinity, count: histogram.count }],
      ...(histogram.errors > 0 ? { errors: histogram.errors } : {}),
    };
  }
  return { operations, processStartSeconds: node.kubelet.startedMs / 1_000 };
}

export function cadvisorMetricsOf(node: NodeModel): CadvisorMetrics {
  const pod = node.daemonPod?.pod;
  const v2 = node.parameters.cgroup === "v2";
  if (pod === undefined || pod.container.state !== "running") return { containers: [], hasPressure: v2 };
  const { daemon } = node;
  const { counters, quotaCores } = daemon.processor;
  return {
    hasPressure: v2,
    containers: [
      {
        namespace: pod.namespace,
        pod: pod.name,
        container: pod.container.name,
        cgroupId: cgroupPath(node, pod),
        cpuUsageSeconds: counters.usageSeconds,
        memoryWorkingSetBytes: Math.round(daemon.memoryBytes),
        memoryMaxUsageBytes: Math.round(daemon.peakBytes),
        oomEvents: 0,
        startTimeSeconds: Math.floor((pod.container.startedMs ?? 0) / 1_000),
        statsAtMs: Math.round(node.engine.nowMs),
        ...(quotaCores === undefined ? {} : { cfsPeriods: Math.floor(counters.periods), cfsThrottledPeriods: Math.floor(counters.throttledPeriods), cpuQuotaMicroseconds: Math.round(quotaCores * CFS_PERIOD_MICROSECONDS) }),
        ...(v2 ? { cpuPressureWaitingSeconds: counters.waitingSeconds } : {}),
      },
    ],
  };
}
