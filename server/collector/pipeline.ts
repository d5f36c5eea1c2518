import { monotonicMs, type Clock } from "../clock";
import { MAX_CNI_DAEMON_SETS, MAX_NAD_PLUGIN_TYPES, type PushAnswer } from "../domain/agent-report";
import { buildView } from "../domain/build-view";
import { allFiring } from "../domain/causes/diagnose";
import type { AcceptedException } from "../domain/causes/types";
import { NO_KNOWN_DAEMON_SETS, type KnownDaemonSets } from "../domain/cluster-changes";
import { cniDaemonOf, type CniDaemon } from "../domain/cni-daemons";
import { trackFresh } from "../domain/fresh";
import type { NodeName } from "../domain/ids";
import type { DaemonSetObject, NadFacts, NodeObject, PodObject } from "../domain/model";
import { effectivePluginTypes, MAX_OOM_KILLS_KEPT, trackFailure, trackOomKills } from "../domain/node-window";
import type { NodeView } from "../domain/node-view";
import type { Observation, WatchedKind } from "../domain/observation";
import { agentSamples, apiSamples } from "../domain/samples";
import { partOf } from "../domain/source-status";
import type { Freshness, Source } from "../domain/sources";
import type { Thresholds } from "../domain/thresholds";
import type { Log } from "../log";
import type { Admission } from "../sources/agent/listener";
import type { CollectorStatus } from "../store/types";
import { ClusterState } from "./cluster-state";
import { FleetGaps } from "./fleet-gaps";
import type { IncidentSink, KeptIncidents, PastIncidents } from "./incident-keeper";
import { Incidents } from "./incidents";
import { NodeMemory } from "./node-memory";
import { unheardView, unjudgedView } from "../domain/unknown-views";
import type { Writer } from "./writer";

/** A sample of what the API says of a node is taken at least this often, and at once when a count changed. */
const API_SAMPLE_MS = 15_000;
/** A node with nothing new is judged again after this, since time alone can change an answer. */
export const CALM_REJUDGE_MS = 15_000;
const BUSY_REJUDGE_MS = 3_000;
/** After a start the first lists have this long before what the store remembers counts as unheard of. */
const START_GRACE_MS = 10_000;

export interface PipelineOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly thresholds: Thresholds;
  readonly cniDaemons: readonly string[];
  readonly writer: Writer;
  /** What the store remembers of each node. */
  readonly views: readonly NodeView[];
  /** The same of incidents. */
  readonly incidents?: KeptIncidents;
  /** The same of DaemonSets. */
  readonly daemonSets?: KnownDaemonSets;
  /** Where incidents go instead of to the writer. */
  readonly incidentSink?: IncidentSink;
  readonly expects: { readonly kubelet: boolean; readonly agents: boolean };
  readonly onTick?: (seconds: number, views: number) => void;
}

/** The way of a sample: observation → samples and objects → the node's window → answer → view → store, once a tick. */
export class Pipeline {
  readonly cluster = new ClusterState();
  readonly #nodes = new Map<string, NodeMemory>();
  readonly #dirty = new Set<string>();
  readonly #listed = new Set<WatchedKind>();
  readonly #startedMs: number;
  /** Of the last look: an earlier one shows a clock that was set back. */
  #lookedMs = 0;
  readonly #incidents: Incidents;
  #daemons: readonly CniDaemon[] = [];
  #daemonsChanged = true;
  #daemonSets: readonly DaemonSetObject[] = [];
  #nads: { readonly all: ReadonlyMap<string, NadFacts>; readonly pluginTypes: ReadonlySet<string> } | undefined;
  #accepted: readonly AcceptedException[] = [];
  readonly #gaps = new FleetGaps();
  /** What the store remembers of the DaemonSets' generations. */
  #generations: string;

  constructor(private readonly options: PipelineOptions) {
    this.#startedMs = options.clock.now();
    const { incidents, incidentSink, daemonSets = NO_KNOWN_DAEMON_SETS } = options;
    this.#generations = generationsOf(daemonSets.items);
    this.#incidents = new Incidents({ ...options, daemonSets, ...(incidents === undefined ? {} : { kept: incidents }), ...(incidentSink === undefined ? {} : { sink: incidentSink }) });
    for (const view of options.views) this.#nodes.set(view.name, new NodeMemory(view));
  }

  /** The hand-over of every source. Takes time in the order of microseconds: judging is done at the tick. */
  readonly observe = (observation: Observation): void => {
    switch (observation.source) {
      case "api":
        this.#observeApi(observation);
        return;
      case "kubelet": {
        const memory = this.#nodes.get(observation.node);
        if (memory === undefined) return; // the node left while its page was read
        const samples = memory.kubeletPage(observation, this.isDaemonContainer);
        this.#keep(observation.node, memory, samples, "kubelet");
        return;
      }
      case "agent": {
        const memory = this.#nodes.get(observation.node);
        if (memory === undefined) return; // `admits` says so to the sender; this is the same for what a recording holds
        const own = memory.agentReport(observation, this.isDaemonContainer);
        this.#incidents.report(observation.node, observation.report);
        // Beside a list of pods that is old, the sandboxes of newer pods would look as if nobody owned them.
        const pods = this.#listed.has("pods") && partOf([...this.cluster.kinds.values()], "pods", this.options.clock.now()).seen ? this.cluster.podsOf(observation.node) : undefined;
        this.#keep(observation.node, memory, [...agentSamples(observation.report, pods, observation.atMs), ...own], "agent");
        return;
      }
    }
  };

  readonly isDaemonContainer = (namespace: string, pod: string, container: string): boolean =>
    this.#currentDaemons().some((daemon) => daemon.daemonSet.namespace === namespace && daemon.container === container && pod.startsWith(`${daemon.daemonSet.name}-`));

  /** Pods of CNI daemons, and of system DaemonSets, whose own peaks are needed to size limits. */
  readonly isWantedPod = (namespace: string, pod: string): boolean =>
    this.#currentDaemons().some((daemon) => daemon.daemonSet.namespace === namespace && pod.startsWith(`${daemon.daemonSet.name}-`));

  /** True where cAdvisor is worth reading every 15 s: the answer is not a plain yes, and no agent tells the daemon's CPU. */
  readonly wantsFastCadvisor = (node: NodeName): boolean => {
    const memory = this.#nodes.get(node);
    if (memory === undefined || memory.agentTellsDaemonCpu(this.options.clock.now())) return false;
    return memory.view?.answer.state !== "yes" || memory.view.answer.atRisk;
  };

  /** Whether a report of this node is kept. Nodes that the store remembers are, before the first list of a start. */
  readonly admits = (node: NodeName): Admission => {
    if (this.#nodes.has(node)) return { is: "admitted" };
    if (this.#listed.has("nodes")) return { is: "unlisted" };
    const why = this.cluster.kinds.get("nodes")?.reason;
    return { is: "not-yet", reason: why === undefined ? "the first list of nodes is not finished" : `nodes cannot be listed: ${why}` };
  };

  /** What agents are told in answer to their reports, the same for every node; what was not listed yet is not told. */
  readonly tellAgents = (): Omit<PushAnswer, "version"> => ({
    ...(this.#listed.has("nads") ? { nadPluginTypes: [...this.#currentNads().pluginTypes].sort().slice(0, MAX_NAD_PLUGIN_TYPES) } : {}),
    ...(this.#listed.has("daemonsets") ? { cniDaemonSets: this.#currentDaemons().map(({ key }) => key).slice(0, MAX_CNI_DAEMON_SETS) } : {}),
  });

  nodes(): Iterable<NodeObject> {
    return this.cluster.nodes.values();
  }
  views(): Iterable<NodeView> {
    return [...this.#nodes.values()].flatMap((memory) => (memory.view === undefined ? [] : [memory.view]));
  }
  view(node: string): NodeView | undefined {
    return this.#nodes.get(node)?.view;
  }
  get reportingAgents(): number {
    let count = 0;
    for (const memory of this.#nodes.values()) if (freshnessOf(memory.view, "agent") === "fresh") count += 1;
    return count;
  }

  /** What people accepted as it is, whole; every node is judged again where it changed. */
  accept(accepted: readonly AcceptedException[]): void {
    if (JSON.stringify(accepted) === JSON.stringify(this.#accepted)) return;
    this.#accepted = accepted;
    for (const name of this.#nodes.keys()) this.#dirty.add(name);
  }

  /** Judges what changed and what time may have changed; returns how many nodes that were. */
  judgeAll(): number {
    const nowMs = this.options.clock.now();
    if (nowMs < this.#lookedMs) for (const remembered of [this.cluster, ...this.#nodes.values()]) remembered.notAfter(nowMs);
    this.#lookedMs = nowMs;
    if (!this.#canJudge(nowMs)) return 0;
    let judged = 0;
    for (const [name, memory] of this.#nodes) {
      // A due time that is further off than any wait was set before the clock stepped back.
      const waits = nowMs < memory.judgeAfterMs && memory.judgeAfterMs - nowMs <= CALM_REJUDGE_MS;
      if (!this.#dirty.has(name) && waits) continue;
      const before = memory.view;
      this.#judgeOrSay(name, memory, nowMs);
      if (memory.view !== undefined) this.#incidents.looked(before, memory.view, nowMs);
      judged += 1;
    }
    this.#dirty.clear();
    this.#incidents.settle(() => this.views(), this.#nodes.size, this.cluster.pods(), nowMs);
    this.#rememberDaemonSets();
    return judged;
  }

  /** Only a whole list: one that is missing in half of it would come back as one that nobody knew. */
  #rememberDaemonSets(): void {
    if (!this.#listed.has("daemonsets")) return;
    const told = this.#incidents.asTold(this.cluster.daemonSets.values());
    const generations = generationsOf(told);
    if (generations === this.#generations) return;
    this.#generations = generations;
    this.options.writer.daemonSets(told);
  }

  /** Judges, then writes all of it in one batch. */
  tick(status: CollectorStatus): boolean {
    const beganMs = monotonicMs();
    const judged = this.judgeAll();
    const written = this.options.writer.flush(this.options.clock.now(), status);
    this.options.onTick?.((monotonicMs() - beganMs) / 1_000, judged);
    return written;
  }

  /** Nothing more will be observed; what still waits for something goes into the next batch. */
  end(): void {
    this.#incidents.end();
    this.#rememberDaemonSets();
  }

  /** Takes over what a history that was filled in later knows of a node: since when its answer holds, its last fresh sandbox, its kills. */
  adoptPast(past: NodeView): void {
    const memory = this.#nodes.get(past.name);
    if (memory?.view === undefined) return;
    const { answer } = memory.view;
    const same = answer.state === past.answer.state && answer.atRisk === past.answer.atRisk && answer.idle === past.answer.idle;
    if (same && past.answer.sinceMs < answer.sinceMs) memory.view = { ...memory.view, answer: { ...answer, sinceMs: past.answer.sinceMs } };
    if (past.lastFreshMs !== undefined) memory.lastFreshMs = Math.max(memory.lastFreshMs ?? 0, past.lastFreshMs);
    for (const daemon of past.daemons) {
      const key = `${daemon.pod}/${daemon.container}`;
      const all = new Set([...daemon.oomKillsMs, ...(memory.oomKills.get(key) ?? [])]);
      memory.oomKills = new Map(memory.oomKills).set(key, [...all].sort((a, b) => a - b).slice(-MAX_OOM_KILLS_KEPT));
    }
    this.#dirty.add(past.name);
  }

  /** The same for the incidents of such a history. */
  adoptIncidents(past: PastIncidents): void {
    this.#incidents.adoptPast(past, this.options.clock.now());
  }

  /** True once what `view` gives was judged since the start, and is not what the store remembers. */
  get judges(): boolean {
    return this.#canJudge(this.options.clock.now());
  }

  /** An answer made of a half-read cluster would be wrong for a second at every start. */
  #canJudge(nowMs: number): boolean {
    const settled = (kind: WatchedKind): boolean => this.#listed.has(kind) || this.cluster.kinds.get(kind)?.state === "forbidden";
    return (settled("nodes") && settled("pods")) || nowMs - this.#startedMs > START_GRACE_MS * this.options.clock.rate;
  }

  #observeApi(observation: Observation & { readonly source: "api" }): void {
    const nowMs = this.options.clock.now();
    if (observation.type === "pod") this.#beforePod(observation.object, nowMs);
    const changes = kindChanged(observation);
    if (changes === "daemonsets") this.#daemonsChanged = true;
    if (observation.type === "listed") this.#listed.add(observation.kind);
    if (observation.type === "node" && !this.#nodes.has(observation.object.name)) this.#nodes.set(observation.object.name, new NodeMemory());
    if (observation.type === "daemonset") this.#incidents.daemonSet(this.cluster.daemonSets.get(observation.object.uid), observation.object, nowMs);
    if (observation.type === "revisions") this.#incidents.revisions(observation.uid, observation.generation, observation.reading);
    const touched = this.cluster.apply(observation);
    if (observation.type === "event") {
      const node = this.cluster.nodeOf(observation.object);
      this.options.writer.event(node === undefined ? observation.object : { ...observation.object, node });
      this.#afterEvent(observation, node, nowMs);
    }
    if (changes === "nads") this.#nads = undefined;
    if (touched === "all") for (const name of this.#nodes.keys()) this.#dirty.add(name);
    else for (const name of touched) this.#touch(name);
    if (observation.type === "listed" && observation.kind === "nodes") this.#forgetNodes();
  }

  #touch(name: NodeName): void {
    if (this.cluster.nodes.has(name)) this.#dirty.add(name);
    else if (this.#listed.has("nodes")) this.#drop(name);
  }

  #forgetNodes(): void {
    for (const name of [...this.#nodes.keys()]) if (!this.cluster.nodes.has(name as NodeName)) this.#drop(name);
    this.#incidents.listed((name) => this.cluster.nodes.has(name as NodeName), this.options.clock.now());
  }
  #drop(name: string): void {
    if (this.#nodes.delete(name)) {
      this.options.writer.gone(name);
      this.#incidents.gone(name, this.options.clock.now());
    }
    this.#dirty.delete(name);
  }

  #beforePod(pod: PodObject, nowMs: number): void {
    if (pod.node === undefined) return;
    const memory = this.#nodes.get(pod.node);
    if (memory === undefined) return;
    memory.lastFreshMs = trackFresh(memory.lastFreshMs, pod, nowMs, this.cluster.pod(pod.uid));
    if (pod.daemon !== undefined) memory.oomKills = trackOomKills(memory.oomKills, pod);
  }

  #afterEvent(observation: Observation & { readonly type: "event" }, node: NodeName | undefined, nowMs: number): void {
    const memory = node === undefined ? undefined : this.#nodes.get(node);
    if (memory === undefined) return;
    const pod = observation.object.about.uid === undefined ? undefined : this.cluster.pod(observation.object.about.uid);
    const effective = memory.report === undefined ? undefined : effectivePluginTypes(memory.report);
    memory.lastFailureMs = trackFailure(memory.lastFailureMs, observation.object, pod, { nadPluginTypes: this.#currentNads().pluginTypes, ...(effective === undefined ? {} : { effectivePluginTypes: effective }) }, nowMs);
  }

  #keep(node: NodeName, memory: NodeMemory, samples: Parameters<NodeMemory["remember"]>[0], source: "kubelet" | "agent"): void {
    memory.remember(samples, source);
    this.options.writer.samples(node, samples);
    this.#dirty.add(node);
  }

  #currentDaemons(): readonly CniDaemon[] {
    if (this.#daemonsChanged) {
      this.#daemonSets = [...this.cluster.daemonSets.values()];
      this.#daemons = this.#daemonSets.flatMap((daemonSet) => cniDaemonOf(daemonSet, this.options.cniDaemons) ?? []);
      this.#daemonsChanged = false;
    }
    return this.#daemons;
  }

  /** Made when it is asked for: a list of thousands tells of each alone. */
  #currentNads(): { readonly all: ReadonlyMap<string, NadFacts>; readonly pluginTypes: ReadonlySet<string> } {
    this.#nads ??= { all: new Map(this.cluster.nads), pluginTypes: new Set([...this.cluster.nads.values()].flatMap(({ pluginTypes }) => pluginTypes)) };
    return this.#nads;
  }

  /** A node that cannot be judged is unknown by itself; it keeps no other from being judged, nor anything from being written. */
  #judgeOrSay(name: string, memory: NodeMemory, nowMs: number): void {
    try {
      this.#judge(name, memory, nowMs);
    } catch (err) {
      this.options.log.error({ err, node: name }, "a node could not be judged");
      memory.judgeAfterMs = nowMs + CALM_REJUDGE_MS;
      const before = memory.view;
      if (before === undefined) return;
      memory.view = unjudgedView(before, nowMs);
      this.#tellChanges(before, memory.view, nowMs);
      this.options.writer.view(memory.view);
    }
  }

  #judge(name: string, memory: NodeMemory, nowMs: number): void {
    const node = this.cluster.nodes.get(name as NodeName);
    const before = memory.view;
    const fleet = this.#incidents.fleetOf(name);
    const nads = this.#currentNads();
    const view =
      node === undefined
        ? before && unheardView(before, nowMs)
        : buildView(
            {
              node,
              pods: this.cluster.podsOf(node.name),
              eventsAbout: (uid) => this.cluster.eventsAbout(uid),
              kinds: [...this.cluster.kinds.values()],
              daemons: this.#currentDaemons(),
              daemonSets: this.#daemonSets,
              nads: nads.all,
              nadPluginTypes: nads.pluginTypes,
              accepted: this.#accepted,
              gapsOf: (daemon) => this.#gaps.of(daemon, this.#currentDaemons(), this.cluster.nodes.values(), ({ name: other }) => this.cluster.podsOf(other).values(), nowMs),
              ...memory.window(this.options.expects),
              ...(fleet === undefined ? {} : { fleet }),
            },
            nowMs,
            this.options.thresholds,
          );
    if (view === undefined) return;
    const busy = view.answer.state !== "yes" || view.answer.atRisk || view.counts.waiting > 0;
    memory.judgeAfterMs = nowMs + (busy ? BUSY_REJUDGE_MS : CALM_REJUDGE_MS);
    memory.view = view;
    memory.lastFreshMs = view.lastFreshMs; // the view also reads it from pods that were told before their node
    if (node !== undefined && (Math.abs(nowMs - memory.apiSampledMs) >= API_SAMPLE_MS || countsDiffer(before, view))) {
      const samples = apiSamples(view, nowMs);
      memory.remember(samples, "api");
      this.options.writer.samples(node.name, samples);
      memory.apiSampledMs = nowMs;
    }
    this.#tellChanges(before, view, nowMs);
    if (before === undefined || this.#dirty.has(name) || essence(before) !== essence(view)) this.options.writer.view(view);
  }

  #tellChanges(before: NodeView | undefined, view: NodeView, nowMs: number): void {
    const { answer } = view;
    if (before === undefined || before.answer.state !== answer.state || before.answer.atRisk !== answer.atRisk || before.answer.idle !== answer.idle) {
      this.options.writer.answer({ node: view.name, atMs: nowMs, state: answer.state, atRisk: answer.atRisk, idle: answer.idle, summary: answer.summary });
    }
    for (const { source, freshness, reason } of view.sources) {
      const old = freshnessOf(before, source);
      if (old === freshness || (freshness === "absent" && (old === undefined || old === "absent"))) continue;
      this.options.writer.source({ node: view.name, source, atMs: nowMs, fresh: freshness === "fresh", reason: reason ?? "" });
    }
  }
}

const freshnessOf = (view: NodeView | undefined, source: Source): Freshness | undefined => view?.sources.find((one) => one.source === source)?.freshness;

/** The kind of the few objects that concern every node, where the observation changes any; a list may have dropped some. */
function kindChanged(observation: Observation & { readonly source: "api" }): "daemonsets" | "nads" | undefined {
  if (observation.type === "daemonset" || observation.type === "daemonset-gone") return "daemonsets";
  if (observation.type === "nad" || observation.type === "nad-gone") return "nads";
  return observation.type === "listed" && (observation.kind === "daemonsets" || observation.kind === "nads") ? observation.kind : undefined;
}

const countsDiffer = (before: NodeView | undefined, view: NodeView): boolean =>
  before !== undefined && (before.counts.waiting !== view.counts.waiting || before.counts.stuck !== view.counts.stuck || before.counts.ownRequest !== view.counts.ownRequest || before.counts.other !== view.counts.other);

const generationsOf = (daemonSets: readonly DaemonSetObject[]): string => daemonSets.map(({ uid, generation }) => `${uid} ${generation}`).sort().join();

/** What a page shows that time alone can change. */
const essence = (view: NodeView): string => JSON.stringify([view.answer.state, view.answer.atRisk, view.answer.idle, view.answer.summary, view.counts, view.sources.map((one) => one.freshness), causesOf(view)]);
const causesOf = (view: NodeView): unknown => [allFiring(view).map(({ code, detail, certainty, severity }) => [code, detail, certainty, severity]), view.suspendedCauses.map(({ code, detail }) => [code, detail]), view.unknownCauses.flatMap(({ codes }) => codes)]; // reasons hold times
