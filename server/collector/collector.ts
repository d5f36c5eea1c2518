import path from "node:path";
import { monotonicMs, type Clock } from "../clock";
import type { ServeConfig } from "../config";
import { cniDaemonOf } from "../domain/cni-daemons";
import type { DaemonSetObject } from "../domain/model";
import type { ClusterIdentity, Observation, Observe } from "../domain/observation";
import { actionableError } from "../errors";
import type { Log } from "../log";
import { accountTokens } from "../sources/agent/account-tokens";
import { ensureAgentAuthority } from "../sources/agent/authority";
import { startAgentListener, type AgentListener } from "../sources/agent/listener";
import type { WorkDesk } from "../sources/agent/work";
import type { Connection } from "../sources/kube-api/connect";
import { isInterestingDaemonSet } from "../sources/kube-api/project";
import { startKubeApiSource } from "../sources/kube-api/source";
import { StoreUnwritable, type CollectorStatus, type Ingest } from "../store/types";
import { watchClock } from "./clock-watch";
import { LOAD_CLOSED_MS } from "./incident-keeper";
import { InterruptedRuns } from "./interrupted-runs";
import { startKubelets } from "./kubelets";
import { createOwnMetrics } from "./own-metrics";
import { Pipeline } from "./pipeline";
import { podsOfNode } from "./pods-of-node";
import type { Tap } from "./recording/recorder";
import { ApiWatch } from "./status";
import { backfill } from "./backfill";
import { carryOutVerifications } from "./verify";
import { openWorkDesk } from "./work-desk";
import { Writer } from "./writer";

/** How often what changed is judged and written: a change is seen one period and this later. */
const TICK_MS = 1_000;
/** On a clock that runs fast a tick is not closer than this to the one before, in real time. */
const MIN_TICK_REAL_MS = 100;
/** Steps of upkeep after one tick, each a few milliseconds. */
const MAX_UPKEEP_STEPS = 4;
/** Changes that people made are looked for, and their checks carried out, every so many ticks. */
const VERIFY_EVERY_TICKS = 3;
/** What people accepted as it is is read every so many ticks. */
const EXCEPTIONS_EVERY_TICKS = 2;
/** Own metrics are brought up to date every so many ticks. */
const METRICS_EVERY_TICKS = 5;

export interface CollectorOptions {
  readonly config: ServeConfig;
  readonly connection: Connection;
  readonly identity: ClusterIdentity;
  readonly ingest: Ingest;
  readonly clock: Clock;
  readonly log: Log;
  /** Older history will be filled in: nothing is rolled up before it is, or it would be late in every tier. */
  readonly pastComing: boolean;
  /** Something was written that a page may show. */
  readonly onWritten: () => void;
  /** After each tick that could not be written, with the status that is not in the store then; once with nothing when it is written again. */
  readonly onUnwritten?: (status: CollectorStatus | undefined) => void;
  /** Has everything that is taken, and when it is judged, for a recording. */
  readonly tap?: Tap;
}

export interface Collector {
  readonly observe: Observe;
  readonly agentListener: AgentListener | undefined;
  readonly agentCaFile: string | undefined;
  readonly kubeletWhy: string;
  /** Fills older history in while everything else goes on; its progress is in the status. Ends with the collector. */
  fillPast(past: { readonly observations: Iterable<Observation>; readonly fromMs: number; readonly toMs: number }): Promise<void>;
  /** The web process ended: what it had begun for people is interrupted, as soon as that can be written. */
  webEnded(): void;
  stop(): Promise<void>;
}

/** Everything that watches one cluster and writes what it sees. */
export async function startCollector(options: CollectorOptions): Promise<Collector> {
  const { config, connection, identity, ingest, clock, log } = options;
  const startedMs = clock.now();
  const metrics = createOwnMetrics(log);
  const writer = new Writer(ingest, log, options.onWritten, (kind, count) => metrics.rows(kind, count));
  const thresholds = { stuckAfterSeconds: config.stuckAfterSeconds, windowSeconds: config.windowSeconds };
  const stopping = new AbortController();
  const daemonSets = ingest.loadDaemonSets();
  const pipeline = new Pipeline({
    clock,
    log,
    thresholds,
    cniDaemons: config.cniDaemon,
    writer,
    views: ingest.loadViews(),
    incidents: ingest.loadIncidents(startedMs - LOAD_CLOSED_MS),
    daemonSets,
    expects: { kubelet: true, agents: config.agentPort !== undefined },
    onTick: (seconds) => metrics.tick(seconds),
  });
  const { tap } = options;
  const observe: Observe =
    tap === undefined
      ? pipeline.observe
      : (observation) => {
          tap.observe(observation, clock.now());
          pipeline.observe(observation);
        };
  const isCniDaemon = (daemonSet: DaemonSetObject): boolean => cniDaemonOf(daemonSet, config.cniDaemon) !== undefined;
  const ending: (() => Promise<void>)[] = [];
  const stopAll = async (): Promise<void> => {
    stopping.abort();
    for (const end of ending.splice(0).reverse()) await end();
  };

  try {
    const desk = config.agentPort === undefined ? undefined : openWorkDesk({ work: ingest.work, pods: podsOfNode(connection, clock, log), clock, log });
    if (desk !== undefined) ending.push(async () => desk.stop());
    const agents = config.agentPort === undefined ? undefined : await listenForAgents(config, connection, { observe, tellAgents: pipeline.tellAgents, admits: pipeline.admits, ...(desk === undefined ? {} : { desk }) }, clock, log);
    if (agents !== undefined) ending.push(() => agents.listener.stop());
    if (config.metricsPort !== undefined) {
      const server = await metrics.serve(config.metricsPort, "127.0.0.1");
      ending.push(() => server.close());
    }
    const api = startKubeApiSource({
      connection: watchClock(connection, clock, log),
      observe,
      clock,
      log,
      knownDaemonSets: daemonSets,
      isDaemonPod: (_pod, daemonSet) => daemonSet !== undefined,
      isInterestingDaemonSet: (daemonSet) => isCniDaemon(daemonSet) || isInterestingDaemonSet(daemonSet),
    });
    ending.push(() => api.stop());
    const kubelets = await startKubelets({
      config,
      connection,
      observe,
      clock,
      log,
      nodes: () => pipeline.nodes(),
      wanted: pipeline.isWantedPod,
      cadvisorFast: pipeline.wantsFastCadvisor,
      storedKeys: () => ingest.kubeletKeys(),
      onKey: (key) => writer.kubeletKey(key),
    });
    ending.push(() => kubelets.source.stop());

    const interrupted = new InterruptedRuns(ingest.verifications, log);
    interrupted.leftBehind(clock.now());
    let { pastComing } = options;
    let doneShare = pastComing ? 0 : undefined;
    const answers = new ApiWatch(startedMs);
    const status = (): CollectorStatus => {
      const kinds = [...pipeline.cluster.kinds.values()];
      const kubelet = kubelets.source.status();
      const listener = agents?.listener.status();
      return {
        cluster: identity,
        startedMs,
        atMs: clock.now(),
        kinds,
        api: answers.look(kinds, clock.now()),
        kubelet: { mode: kubelet.mode, tls: kubelet.tls, scraped: kubelet.scraped, failing: kubelet.failing, skipped: kubelet.skipped, lateMs: Math.round(kubelet.lateMs) },
        agents: { listening: listener !== undefined, reporting: pipeline.reportingAgents, dropped: listener?.dropped ?? {}, ...(listener === undefined ? {} : { accepted: listener.accepted, turnedAway: listener.turnedAway, connections: listener.connections }), ...(listener?.identityTrouble === undefined ? {} : { identityTrouble: listener.identityTrouble }) },
        store: { ...writer.state, ...withSize(ingest.sizeBytes()) },
        ...(doneShare === undefined ? {} : { backfill: { doneShare } }),
        actionsAllowed: config.allowActions,
      };
    };
    let unwritten = false;
    const tellStore = (written: boolean): void => {
      if (!written) options.onUnwritten?.(status());
      else if (unwritten) options.onUnwritten?.(undefined);
      unwritten = !written;
    };
    let ticks = 0;
    const tick = (): void => {
      try {
        tap?.judged(clock.now());
        const now = status();
        if (ticks % EXCEPTIONS_EVERY_TICKS === 0 && now.store.writable) acceptExceptions(pipeline, ingest, log);
        const written = pipeline.tick(now);
        tellStore(written);
        if (written) interrupted.end(clock.now());
        if (written && !pastComing) upkeep(ingest, clock.now(), log);
        if (written && pipeline.judges && ticks % VERIFY_EVERY_TICKS === 0) carryOutVerifications(ingest.verifications, (node) => pipeline.view(node), clock.now(), log);
        if (ticks % METRICS_EVERY_TICKS === 0) metrics.update(pipeline.views(), now);
      } catch (err) {
        log.error({ err }, "a tick failed; the next one tries again");
      }
      ticks += 1;
    };
    const timer = setInterval(tick, Math.max(MIN_TICK_REAL_MS, TICK_MS / clock.rate));
    ending.push(async () => {
      clearInterval(timer);
      pipeline.end();
      tick();
    });
    return {
      observe,
      agentListener: agents?.listener,
      agentCaFile: agents?.caFile,
      kubeletWhy: kubelets.why,
      fillPast: async (past) => {
        let found: Awaited<ReturnType<typeof backfill>>;
        try {
          found = await backfill({ ...past, ingest, thresholds, cniDaemons: config.cniDaemon, status, log, signal: stopping.signal, onProgress: (share) => (doneShare = share) });
        } finally {
          doneShare = undefined;
          pastComing = false;
        }
        if (found !== undefined) {
          for (const view of found.views) pipeline.adoptPast(view);
          pipeline.adoptIncidents(found.incidents);
        }
        options.onWritten();
      },
      webEnded: () => interrupted.leftBehind(clock.now()),
      stop: stopAll,
    };
  } catch (error) {
    await stopAll();
    throw error;
  }
}

/** What people accepted may be unreadable where nothing can be written: that must not keep the tick from saying so. */
function acceptExceptions(pipeline: Pipeline, ingest: Ingest, log: Log): void {
  try {
    pipeline.accept(ingest.exceptions());
  } catch (err) {
    log.error({ err }, "what people accepted as it is could not be read; what was known of it goes on");
  }
}

const withSize = (fileBytes: number | undefined): { fileBytes?: number } => (fileBytes === undefined ? {} : { fileBytes });

function upkeep(ingest: Ingest, nowMs: number, log: Log): void {
  const beganMs = monotonicMs();
  try {
    for (let step = 0; step < MAX_UPKEEP_STEPS && monotonicMs() - beganMs < 50; step++) if (!ingest.maintain(nowMs)) return;
  } catch (error) {
    if (!(error instanceof StoreUnwritable)) throw error;
    log.warn({ err: error }, "upkeep of the store waits until it can be written");
  }
}

async function listenForAgents(config: ServeConfig, connection: Connection, { observe, tellAgents, admits, desk }: Pick<Pipeline, "observe" | "tellAgents" | "admits"> & { readonly desk?: WorkDesk }, clock: Clock, log: Log): Promise<{ readonly listener: AgentListener; readonly caFile: string }> {
  const { authority, caFile } = await ensureAgentAuthority(config.data);
  try {
    const listener = await startAgentListener({ host: config.agentHost, port: config.agentPort ?? 0, authority, names: config.agentName, tokens: path.join(config.data, "agents"), observe, admits, tell: () => ({ ...tellAgents(), periodSeconds: config.agentPeriodSeconds }), ...(desk === undefined ? {} : { work: desk }), ...(config.agentAccount === undefined ? {} : { accounts: accountTokens({ connection, account: config.agentAccount, log }) }), clock, log });
    return { listener, caFile };
  } catch (cause) {
    throw actionableError(`Port ${config.agentPort ?? 0} for --agent-port cannot be opened on ${config.agentHost} (${(cause as NodeJS.ErrnoException).code ?? "unknown reason"}). Choose another.`, cause);
  }
}
