import { NO_DIAGNOSIS } from "../../domain/causes/types";
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { systemClock } from "../../clock";
import type { Answer } from "../../domain/answer";
import type { NodeName } from "../../domain/ids";
import type { NodeView } from "../../domain/node-view";
import { createLog } from "../../log";
import { prepareFile } from "../../store/file";
import { openIngest } from "../../store/ingest";
import { openReader } from "../../store/reader";
import type { CollectorStatus, Ingest, IngestBatch } from "../../store/types";
import { setWebRuntime } from "../runtime";
import { openState } from "../../store/state";
import type { State } from "../../store/state-types";
import type { WebConfig } from "../../config";
import { createClusterPort } from "../cluster";
import { OpenRuns } from "../../services/actions/open-runs";
import { honestReader } from "../../services/honest-reader";
import { unwrittenStatus } from "../unwritten";
import { createStreamHub, type StreamHub } from "../stream";

/** The end of a run that could not be written is tried again after this, so that tests need not wait. */
const RETRY_AFTER_MS = 100;

/** A real data file behind the route handlers, filled through the collector's own half of the store. */
export interface TestWeb {
  readonly ingest: Ingest;
  /** The data file. */
  readonly file: string;
  readonly hub: StreamHub;
  readonly state: State;
  readonly nowMs: number;
  write(batch: Partial<IngestBatch>): void;
  close(): Promise<void>;
}

export function testStatus(nowMs: number): CollectorStatus {
  return {
    cluster: { uid: "uid-1", name: "test", server: "https://127.0.0.1:6443", version: "v1.37.2", user: "admin", simulated: false },
    startedMs: nowMs - 60_000,
    atMs: nowMs,
    kinds: [{ kind: "nodes", state: "watching", objects: 1, lastMs: nowMs }, { kind: "nads", state: "absent", reason: "the CRD is not there", objects: 0 }],
    api: { reachable: true, sinceMs: nowMs - 60_000 },
    kubelet: { mode: "direct", tls: "verify", scraped: 1, failing: 0, skipped: 0, lateMs: 3 },
    agents: { listening: true, reporting: 0, dropped: { replayed: 2 } },
    store: { writable: true, pendingBatches: 0, droppedSamples: 0 },
    actionsAllowed: false,
  };
}

export function testView(name: string, nowMs: number, answer: Partial<Answer> = {}): NodeView {
  return {
    name,
    pool: "default",
    answer: { state: "no", atRisk: false, idle: false, row: 3, summary: "0 fresh sandboxes in 10 min, 1 pod waiting.", proof: [{ what: "Fresh sandbox", look: "not-seen", source: "api" }, { what: "Socket", look: "could-not-look", source: "agent", reason: "no agent" }], sinceMs: nowMs - 60_000, ...answer },
    ready: "True",
    readyMessage: "kubelet is posting ready status",
    schedulable: true,
    taints: ["a=b:NoSchedule"],
    conditions: [{ type: "Ready", status: "True", reason: "KubeletReady", sinceMs: nowMs - 3_600_000 }],
    versions: { kubelet: "v1.37.2" },
    sources: [{ source: "api", freshness: "fresh", lastMs: nowMs }, { source: "agent", freshness: "absent", reason: "no agent reports from this node" }],
    signals: [{ signal: "pods.waiting", instance: "", source: "api", state: "fresh", value: 1, atMs: nowMs }, { signal: "sandbox.backlog", instance: "", source: "agent", state: "unknown", reason: "no agent" }],
    counts: { pods: 3, waiting: 1, waitingSystem: 0, stuck: 1, ownRequest: 1, other: 0, oldestWaitMs: nowMs - 120_000 },
    lastFreshMs: nowMs - 900_000,
    waitingPods: [
      { uid: "p1", namespace: "default", name: "probe-1", system: false, hold: { kind: "waiting", sinceMs: nowMs - 120_000, stuck: true }, lastError: { text: "<img src=x onerror=alert(1)> | `rm`", atMs: nowMs - 5_000 }, attemptsSeen: 4 },
      { uid: "p2", namespace: "default", name: "probe-2", system: false, hold: { kind: "own-request", sinceMs: nowMs - 120_000, because: "the NAD default/x is missing" }, attemptsSeen: 1 },
    ],
    deadline: { seconds: 240, assumed: true },
    daemons: [{ daemonSet: "kube-system/multus", pod: "multus-x", container: "multus", ready: true, restarts: 2, memoryLimitBytes: 1 << 30, lastTermination: { reason: "OOMKilled", exitCode: 137, atMs: nowMs - 30_000 }, oomKillsMs: [nowMs - 30_000] }],
    sockets: [{ name: "multus", path: "/run/multus/multus.sock", state: "refuses", effective: true }],
    config: { dir: "/etc/cni/net.d", effectiveFile: "00-multus.conf", pluginTypes: ["multus-shim"], missingBinaries: [] },
    host: {
      configFiles: [{ name: "00-multus.conf", usable: true, pluginTypes: ["multus-shim"] }, { name: "10-old.conf", usable: false, problem: "not JSON", pluginTypes: [] }],
      configLoaded: true,
      binDirs: ["/opt/cni/bin"],
      binaries: [{ name: "multus-shim", wantedBy: ["00-multus.conf"], running: 3 }, { name: "portmap", problem: "absent", wantedBy: ["NAD"], running: 0 }],
      otherBinaries: ["vlan"],
      staleMounts: [{ socketPath: "/run/multus/multus.sock", mountPath: "/host/run/multus", because: "deleted", namespace: "kube-system", pod: "controller-x", container: "main", mountedInode: "0:25/1", hostInode: "0:25/2" }],
      mountsSeen: 2,
    },
    ...NO_DIAGNOSIS,
    blind: [{ what: "Agent", reason: "no agent reports from this node", fix: "Install the agent." }],
  };
}

/** `cluster`: the configuration with which actions reach a cluster; without one every word of the cluster is an error. `under`: the folder in which the data file gets one of its own; `closed` is called while the file is there and nobody has it open. */
export function startTestWeb(options: { readonly cluster?: WebConfig["cluster"]; readonly actionsAllowed?: boolean; readonly under?: string; readonly closed?: () => void } = {}): TestWeb {
  const actionsAllowed = options.actionsAllowed ?? false;
  const cluster = options.cluster ?? {};
  const dataDir = mkdtempSync(path.join(options.under ?? os.tmpdir(), "sandglass-web-"));
  const nowMs = systemClock.now();
  const { file } = prepareFile({ dataDir, clusterUid: "uid-1", simulated: false, nowMs, migrationsDir: path.resolve(import.meta.dirname, "../../../prisma/migrations") });
  let ingest = openIngest({ file, nowMs });
  const write = (batch: Partial<IngestBatch>): void =>
    void ingest.write({ atMs: systemClock.now(), samples: [], events: [], views: [], gone: [], answers: [], sources: [], kubeletKeys: [], ...batch });
  write({ status: testStatus(nowMs) });
  if (options.closed !== undefined) {
    ingest.close();
    options.closed();
    ingest = openIngest({ file, nowMs });
  }
  const log = createLog("silent", "test");
  const reader = honestReader(openReader({ file }), systemClock, unwrittenStatus);
  const hub = createStreamHub({ reader, clock: systemClock, log, version: "0.0.0", actionsAllowed });
  const state = openState({ file });
  const openRuns = new OpenRuns(state, log, RETRY_AFTER_MS);
  setWebRuntime({
    config: { file, port: 7400, clock: { epochMs: 0, realMs: 0, rate: 1 }, logLevel: "silent", version: "0.0.0", actionsAllowed, cluster },
    clock: systemClock,
    log,
    reader,
    hub,
    state,
    openRuns,
    cluster: createClusterPort(cluster, { HOME: dataDir }),
    actor: { kind: "local", systemUser: "tester" },
  });
  return {
    ingest,
    file,
    hub,
    state,
    nowMs,
    write,
    close: async () => {
      hub.close();
      openRuns.close();
      await state.close();
      reader.close();
      ingest.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** A request as a browser on this machine sends it. */
export const localRequest = (url: string, init: RequestInit = {}): Request => new Request(`http://localhost:7400${url}`, { ...init, headers: { host: "localhost:7400", ...init.headers } });

export const nodeName = (name: string): NodeName => name as NodeName;
