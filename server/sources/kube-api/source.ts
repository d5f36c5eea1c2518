import type { Clock } from "../../clock";
import { NO_KNOWN_DAEMON_SETS, type KnownDaemonSets } from "../../domain/cluster-changes";
import type { DaemonSetObject } from "../../domain/model";
import type { KindStatus, Observe, WatchedKind } from "../../domain/observation";
import type { Log } from "../../log";
import type { Connection } from "./connection";
import { kindPlans } from "./kinds";
import type { WatchCounts } from "./kind-plan";
import { WATCH_LIMITS, type WatchLimits } from "./limits";
import { makeProjector, type IsDaemonPod } from "./project";
import { RevisionReader } from "./revisions";
import { KindWatch } from "./watch";

export const WATCHED_KINDS: readonly WatchedKind[] = ["nodes", "daemonsets", "nads", "pods", "events"];
/** Pods are told with their containers only where their DaemonSet is known; so long they wait for it at start. */
export const DAEMONSETS_FIRST_MS = 5_000;

export interface KubeApiSourceOptions {
  readonly connection: Connection;
  readonly observe: Observe;
  readonly clock: Clock;
  readonly log: Log;
  readonly kinds?: readonly WatchedKind[];
  /** What is known from before the start: what began since is a rollout, and its revisions are read. */
  readonly knownDaemonSets?: KnownDaemonSets;
  readonly isDaemonPod: IsDaemonPod;
  /** Which DaemonSets are kept; those of kube-system and those that mount a CNI folder where absent. */
  readonly isInterestingDaemonSet?: (daemonSet: DaemonSetObject) => boolean;
  readonly random?: () => number;
  readonly limits?: Partial<WatchLimits>;
}

export interface KubeApiStatus {
  readonly kinds: readonly KindStatus[];
  readonly counts: Readonly<Partial<Record<WatchedKind, Readonly<WatchCounts>>>>;
  /** Optional fields with a wrong type that were left out. */
  readonly droppedFields: number;
}

export interface KubeApiSource {
  /** Ends every watch and waits until it has; the connection is the caller's to close. */
  stop(): Promise<void>;
  status(): KubeApiStatus;
}

/** Begins to watch the cluster; everything that is seen, and how each watch fares, goes to `observe`. */
export function startKubeApiSource(options: KubeApiSourceOptions): KubeApiSource {
  const ending = new AbortController();
  const daemonSets = new Map<string, DaemonSetObject>();
  const projector = makeProjector({ isDaemonPod: options.isDaemonPod, daemonSet: (key) => daemonSets.get(key) });
  const plans = kindPlans({ projector, daemonSets, isInteresting: options.isInterestingDaemonSet });
  const tell: Observe = (observation) => {
    try {
      options.observe(observation);
    } catch (error) {
      options.log.error({ err: error, type: observation.type }, "an observation was not taken");
    }
  };
  const revisions = new RevisionReader({ connection: options.connection, observe: tell, clock: options.clock, signal: ending.signal, known: options.knownDaemonSets ?? NO_KNOWN_DAEMON_SETS });
  const observe: Observe = (observation) => {
    tell(observation);
    if (observation.type === "daemonset") revisions.saw(observation.object);
    if (observation.type === "daemonset-gone") revisions.gone(observation.uid);
  };
  const kinds = options.kinds ?? WATCHED_KINDS;
  let settle = (): void => undefined;
  const daemonSetsSettled = new Promise<void>((resolve) => {
    settle = resolve;
  });
  const cancel = options.clock.after(kinds.includes("daemonsets") ? DAEMONSETS_FIRST_MS : 0, settle);
  ending.signal.addEventListener("abort", settle);

  const watches = kinds.map(
    (kind) =>
      new KindWatch({
        connection: options.connection,
        plan: plans[kind],
        limits: { ...WATCH_LIMITS, ...options.limits },
        clock: options.clock,
        log: options.log,
        random: options.random ?? Math.random,
        observe,
        signal: ending.signal,
        ...(kind === "daemonsets" ? { onSettled: settle } : {}),
      }),
  );
  const running = watches.map(async (watch) => {
    if (watch.status().kind === "pods") await daemonSetsSettled;
    await watch.run();
  });
  return {
    stop: async () => {
      ending.abort();
      cancel();
      await Promise.all(running);
      await revisions.ended();
    },
    status: () => ({
      kinds: watches.map((watch) => watch.status()),
      counts: Object.fromEntries(watches.map((watch) => [watch.status().kind, { ...watch.counts }])),
      droppedFields: projector.droppedFields(),
    }),
  };
}
