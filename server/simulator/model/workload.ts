import type { NodeModel } from "./node";
import { extraPod, hostNetworkPod, jobPod, servicePod, type ExtraPods } from "./pods";
import type { Random } from "./random";
import { aboutPod, type EventRecorder } from "./recorder";
import type { PodRecord } from "./records";

/** What the scheduler binds to one node in a second. */
const BINDS_PER_SECOND = 25;
/** A finished job's pod is deleted after this long. */
const JOB_TTL_MS = 300_000;
const DAY_MS = 86_400_000;
/** The wanted number is looked at when a pod changed, and at least this often. */
const LOOK_MS = 10_000;

interface CronJob {
  readonly index: number;
  nextMs: number;
  pod: PodRecord | undefined;
}

/** Controllers and scheduler, as far as one node's pods are concerned: they keep the wanted pods there. */
export class Workload {
  private readonly jobs: CronJob[];
  /** Share of the wanted long-running pods that this node is given; the rest found room elsewhere. */
  share = 1;
  private changed = true;
  private lookMs = 0;
  private readonly extras: readonly ExtraPods[];
  private readonly extraRandom: Random;
  private readonly finished: { pod: PodRecord; atMs: number }[] = [];

  constructor(
    private readonly node: NodeModel,
    private readonly random: Random,
    private readonly cluster: Random,
    private readonly events: EventRecorder,
  ) {
    const { cronJobs, jobPeriodMs } = node.parameters.workload;
    this.extras = node.parameters.extraPods ?? [];
    this.extraRandom = random.fork("extra");
    this.jobs = Array.from({ length: cronJobs }, (_, index) => ({ index, nextMs: node.createdMs + random.between(0, jobPeriodMs), pod: undefined }));
  }

  /** What has been running since long before the model begins. */
  populate(): void {
    const { services, hostNetworkPods } = this.node.parameters.workload;
    for (let i = 0; i < hostNetworkPods; i++) this.node.adoptPod(hostNetworkPod(this.random, this.cluster, this.node.parameters.name, this.ago(), i));
    for (const of of this.extras) for (let i = 0; i < of.count; i++) this.node.adoptPod(this.extra(of, this.ago()));
    for (let i = 0; i < services; i++) this.node.adoptPod(servicePod(this.random, this.cluster, this.node.parameters.name, this.ago()));
  }

  /** A pod of this node changed. */
  touch(): void {
    this.changed = true;
  }

  step(nowMs: number): void {
    if (nowMs <= this.node.createdMs) return;
    if (this.node.ready.status === "True" && !this.node.unschedulable) {
      if (this.changed || nowMs >= this.lookMs) {
        this.changed = false;
        this.lookMs = nowMs + LOOK_MS;
        this.fillServices(nowMs);
        this.fillExtras(nowMs);
      }
      this.runJobs(nowMs);
    }
    this.deleteFinished(nowMs);
  }

  private fillServices(nowMs: number): void {
    const pods = [...this.node.kubelet.pods.values()];
    const wanted = Math.round(this.node.parameters.workload.services * this.share);
    const have = pods.filter((p) => p.kind === "service" && p.deletingMs === undefined).length;
    const room = this.node.parameters.maxPods - pods.length;
    for (let i = 0; i < Math.min(wanted - have, room, BINDS_PER_SECOND); i++) this.bind(servicePod(this.random, this.cluster, this.node.parameters.name, nowMs), nowMs);
  }

  private fillExtras(nowMs: number): void {
    for (const of of this.extras) {
      const have = [...this.node.kubelet.pods.values()].filter((p) => p.labels["app"] === of.app && p.deletingMs === undefined).length;
      for (let i = have; i < of.count; i++) this.bind(this.extra(of, nowMs), nowMs);
    }
  }

  private extra(of: ExtraPods, nowMs: number): PodRecord {
    return extraPod(this.extraRandom, this.cluster, this.node.parameters.name, nowMs, of);
  }

  private runJobs(nowMs: number): void {
    for (const job of this.jobs) {
      if (nowMs < job.nextMs) continue;
      job.nextMs += this.node.parameters.workload.jobPeriodMs;
      const live = job.pod !== undefined && this.node.kubelet.pods.has(job.pod.uid) && job.pod.phase !== "Succeeded";
      if (live || this.node.kubelet.pods.size >= this.node.parameters.maxPods) continue;
      job.pod = jobPod(this.random, this.cluster, this.node.parameters.name, nowMs, job.index);
      this.finished.push({ pod: job.pod, atMs: 0 });
      this.bind(job.pod, nowMs);
    }
  }

  private deleteFinished(nowMs: number): void {
    for (let i = this.finished.length - 1; i >= 0; i--) {
      const entry = this.finished[i];
      if (entry === undefined) continue;
      if (!this.node.kubelet.pods.has(entry.pod.uid)) this.finished.splice(i, 1);
      else if (entry.pod.phase === "Succeeded") {
        const endedMs = entry.pod.container.terminated?.finishedMs ?? nowMs;
        if (nowMs - endedMs >= JOB_TTL_MS) this.node.deletePod(entry.pod, nowMs);
      }
    }
  }

  private bind(pod: PodRecord, nowMs: number): void {
    this.events.record(nowMs, aboutPod(pod), "Normal", "Scheduled", `Successfully assigned ${pod.namespace}/${pod.name} to ${pod.node}`);
    this.node.addPod(pod);
  }

  private ago(): number {
    return Math.round(this.node.createdMs - this.random.between(DAY_MS / 4, 12 * DAY_MS));
  }
}
