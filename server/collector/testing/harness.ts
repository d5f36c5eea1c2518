import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import type { Clock } from "../../clock";
import type { Namespace, NodeName, ObjectName } from "../../domain/ids";
import type { DaemonSetObject, NodeObject, PodObject } from "../../domain/model";
import type { KindStatus, WatchedKind } from "../../domain/observation";
import { DEFAULT_THRESHOLDS } from "../../domain/thresholds";
import { createLog } from "../../log";
import { prepareFile } from "../../store/file";
import { openIngest } from "../../store/ingest";
import { openReader } from "../../store/reader";
import type { CollectorStatus, Ingest, Reader } from "../../store/types";
import { LOAD_CLOSED_MS } from "../incident-keeper";
import { Pipeline } from "../pipeline";
import { Writer } from "../writer";

/** The pipeline over a real data file, on a clock that a test moves. */
export class PipelineHarness {
  nowMs = Date.UTC(2026, 2, 17, 2, 0, 0);
  readonly dir = mkdtempSync(path.join(os.tmpdir(), "sandglass-pipeline-"));
  readonly file: string;
  ingest: Ingest;
  readonly reader: Reader;
  pipeline: Pipeline;
  writes = 0;
  readonly clock: Clock = { now: () => this.nowMs, after: () => () => {}, rate: 1 };
  readonly log = createLog("silent", "test");

  constructor() {
    this.file = prepareFile({ dataDir: this.dir, clusterUid: "u", simulated: false, nowMs: this.nowMs, migrationsDir: path.resolve(import.meta.dirname, "../../../prisma/migrations") }).file;
    this.ingest = openIngest({ file: this.file, nowMs: this.nowMs });
    this.pipeline = this.makePipeline();
    this.tick();
    this.reader = openReader({ file: this.file });
  }

  makePipeline(): Pipeline {
    const writer = new Writer(this.ingest, this.log, () => (this.writes += 1), () => {});
    return new Pipeline({ clock: this.clock, log: this.log, thresholds: DEFAULT_THRESHOLDS, cniDaemons: [], writer, views: this.ingest.loadViews(), incidents: this.ingest.loadIncidents(this.nowMs - LOAD_CLOSED_MS), daemonSets: this.ingest.loadDaemonSets(), expects: { kubelet: false, agents: false } });
  }

  /** The collector ends and another starts on the same file. */
  restart(afterMs: number): void {
    this.ingest.close();
    this.nowMs += afterMs;
    this.ingest = openIngest({ file: this.file, nowMs: this.nowMs });
    this.pipeline = this.makePipeline();
  }

  status(): CollectorStatus {
    return {
      cluster: { uid: "u", name: "t", server: "https://127.0.0.1:1", user: "me", simulated: false }, startedMs: this.nowMs, atMs: this.nowMs, kinds: [], api: { reachable: true, sinceMs: this.nowMs },
      kubelet: { mode: "direct", tls: "verify", scraped: 0, failing: 0, skipped: 0, lateMs: 0 }, agents: { listening: false, reporting: 0, dropped: {} }, store: { writable: true, pendingBatches: 0, droppedSamples: 0 }, actionsAllowed: false,
    };
  }
  tick(forwardMs = 0): boolean {
    this.nowMs += forwardMs;
    return this.pipeline.tick(this.status());
  }

  kind(kind: WatchedKind, over: Partial<KindStatus> = {}): void {
    this.pipeline.observe({ source: "api", type: "kind-status", atMs: this.nowMs, status: { kind, state: "watching", objects: 1, lastMs: this.nowMs, ...over } });
  }
  listed(kind: WatchedKind, keys: readonly string[]): void {
    this.pipeline.observe({ source: "api", type: "listed", atMs: this.nowMs, kind, keys: new Set(keys) });
    this.kind(kind);
  }
  node(name: string, over: Partial<NodeObject> = {}): void {
    this.pipeline.observe({
      source: "api", type: "node", atMs: this.nowMs,
      object: { name: name as NodeName, uid: name, unschedulable: false, taints: [], conditions: [{ type: "Ready", status: "True", sinceMs: this.nowMs }], addresses: [], versions: {}, allocatable: {}, ...over },
    });
  }
  /** `undefined`: the scheduler has placed it nowhere. */
  pod(uid: string, node: string | undefined, over: Partial<PodObject> = {}): void {
    this.pipeline.observe({
      source: "api", type: "pod", atMs: this.nowMs,
      object: {
        uid, namespace: "default" as Namespace, name: uid as ObjectName, ...(node === undefined ? {} : { node: node as NodeName }), hostNetwork: false, phase: "Pending", deleting: false, hasIp: false, hasAttachableVolumes: false, hasResourceClaims: false, system: false,
        scheduledMs: this.nowMs, readyToStart: { status: false, sinceMs: this.nowMs }, ...over,
      },
    });
  }
  daemonSet(namespace: string, name: string, over: Partial<DaemonSetObject> = {}): void {
    this.pipeline.observe({
      source: "api", type: "daemonset", atMs: this.nowMs,
      object: {
        uid: name, namespace: namespace as Namespace, name: name as ObjectName, resourceVersion: "1", generation: 1, containers: [{ name, init: false }], images: [], matchLabels: {}, tolerations: [], picksNodes: false, hostPaths: [],
        updateStrategy: "RollingUpdate", desired: 1, ready: 1, updated: 1, ...over,
      },
    });
  }
  /** An agent's report that holds these sandboxes and could look at nothing else. */
  report(node: string, sandboxes: readonly { readonly uid: string; readonly ready: boolean }[]): void {
    const blind = { looked: false as const, reason: "not in this test" };
    this.pipeline.observe({
      source: "agent", type: "report", node: node as NodeName, atMs: this.nowMs,
      report: {
        version: 1, node, startId: "s", sequence: 1, atMs: this.nowMs, agentVersion: "0", runtime: blind, config: blind, sockets: blind,
        sandboxes: { looked: true, tookSeconds: 0.01, truncated: false, items: sandboxes.map(({ uid, ready }) => ({ id: `${uid}-1`, uid, namespace: "default", name: uid, attempt: 0, ready, createdMs: this.nowMs })) },
      },
    });
  }
  /** One node, listed, with the kinds that judging needs. */
  ready(nodes: readonly string[], pods: readonly string[] = []): void {
    for (const name of nodes) this.node(name);
    this.listed("nodes", nodes);
    this.listed("pods", pods);
    this.listed("events", []);
    this.listed("daemonsets", []);
  }
  answer(name: string) {
    return this.reader.node(name as NodeName)?.view.answer;
  }
  close(): void {
    this.reader.close();
    this.ingest.close();
    rmSync(this.dir, { recursive: true, force: true });
  }
}
