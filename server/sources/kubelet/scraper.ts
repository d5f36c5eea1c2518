import type { Clock } from "../../clock";
import type { NodeName } from "../../domain/ids";
import type { KubeletPage, Observe } from "../../domain/observation";
import { CADVISOR_FAST_PERIOD_MS, CADVISOR_PERIOD_MS, KUBELET_METRICS_PERIOD_MS } from "../../domain/sources";
import type { Log } from "../../log";
import type { NodeTarget } from "./address";
import type { WantedPod } from "./cadvisor-page";
import { createFailureRecords } from "./failure-records";
import { createPageTask, type PageTask, type TaskDeps } from "./page-task";
import type { KubeletFetch } from "./fetch";
import { MAX_PAGE_BYTES } from "./prometheus-text";
import { createSlots } from "./slots";

export interface KubeletSourceOptions {
  /** The nodes that there are now; asked at the start and every `NODES_EVERY_MS`. */
  readonly nodes: () => Iterable<NodeTarget>;
  readonly fetch: KubeletFetch;
  readonly observe: Observe;
  readonly clock: Clock;
  readonly log: Log;
  /** Pods whose containers are kept of a cAdvisor page. */
  readonly wanted: WantedPod;
  /** True where the node has no agent and is not *yes*: its cAdvisor page is read every 15 s. */
  readonly cadvisorFast: (node: NodeName) => boolean;
  /** 0 to 1; only spreads the hourly `/configz`. */
  readonly random: () => number;
  readonly maxPageBytes?: number;
  readonly maxInFlight?: number;
}

export interface KubeletSourceStatus {
  readonly mode: "direct" | "proxy";
  readonly tls: string;
  readonly nodes: number;
  /** Nodes whose last `/metrics` was read. */
  readonly scraped: number;
  /** Nodes of which the last `/metrics` or cAdvisor page failed. */
  readonly failing: number;
  /** Readings left out since the start because the one before was still under way. */
  readonly skipped: number;
  readonly inFlight: number;
  /** The latest start of any page's last reading, against its schedule. */
  readonly lateMs: number;
}

export interface KubeletSource {
  stop(): Promise<void>;
  status(): KubeletSourceStatus;
  /** Looks at the nodes again now, for whoever knows that they changed. */
  refresh(): void;
}

/** How often the list of nodes is looked at. */
const NODES_EVERY_MS = 5_000;
/**
 * Readings under way at once; one holds little memory, since pages are read as they come in. As many again for pages that
 * timed out last time: however many hang, those that answer have their own room.
 */
const MAX_IN_FLIGHT = 512;
const CONFIGZ_PERIOD_MS = 3_600_000;
/** After a failed `/configz` that may heal by itself. */
const CONFIGZ_RETRY_MS = 300_000;

interface NodeTasks {
  target: NodeTarget;
  readonly metrics: PageTask;
  readonly cadvisor: PageTask;
  readonly configz: PageTask;
}

/**
 * Reads `/metrics`, cAdvisor's page and `/configz` of every node on its own schedule and hands each as an observation, a
 * failure too. One page never waits for another of the same node, and no page is asked for twice at once.
 */
export function startKubeletSource(options: KubeletSourceOptions): KubeletSource {
  const { clock } = options;
  const nodes = new Map<string, NodeTasks>();
  const failures = createFailureRecords(options.log);
  const deps: TaskDeps = {
    fetch: options.fetch,
    observe: options.observe,
    clock,
    log: options.log,
    failures,
    wanted: options.wanted,
    maxPageBytes: options.maxPageBytes ?? MAX_PAGE_BYTES,
    slots: createSlots(options.maxInFlight ?? MAX_IN_FLIGHT),
    suspects: createSlots(options.maxInFlight ?? MAX_IN_FLIGHT),
  };
  let stopped = false;
  let cancelLook = (): void => {};

  const add = (target: NodeTarget): void => {
    const current = (): NodeTarget => nodes.get(target.name)?.target ?? target;
    const task = (page: KubeletPage, schedule: Parameters<typeof createPageTask>[3]): PageTask => createPageTask(deps, current, page, schedule);
    const configz = task("configz", { everyMs: () => (configz.lastFailed === "may-heal" ? CONFIGZ_RETRY_MS : CONFIGZ_PERIOD_MS * (0.5 + options.random() / 2)) });
    const tasks: NodeTasks = {
      target,
      metrics: task("metrics", { gridMs: KUBELET_METRICS_PERIOD_MS, onRestart: () => configz.soon() }),
      cadvisor: task("cadvisor", {
        gridMs: CADVISOR_FAST_PERIOD_MS,
        everyNth: () => (options.cadvisorFast(target.name) ? 1 : CADVISOR_PERIOD_MS / CADVISOR_FAST_PERIOD_MS),
      }),
      configz,
    };
    nodes.set(target.name, tasks);
    for (const started of pagesOf(tasks)) started.start();
  };

  const look = (): void => {
    const gone = new Set(nodes.keys());
    for (const target of options.nodes()) {
      gone.delete(target.name);
      const known = nodes.get(target.name);
      if (known === undefined) add(target);
      else known.target = target;
    }
    for (const name of gone) {
      const tasks = nodes.get(name);
      nodes.delete(name);
      if (tasks !== undefined) for (const task of pagesOf(tasks)) task.stop();
    }
  };

  const lookAgain = (): void => {
    look();
    cancelLook = clock.after(NODES_EVERY_MS, lookAgain);
  };
  lookAgain();

  return {
    refresh: () => {
      if (!stopped) look();
    },
    stop: async () => {
      stopped = true;
      cancelLook();
      failures.stop();
      for (const tasks of nodes.values()) for (const task of pagesOf(tasks)) task.stop();
      nodes.clear();
      await options.fetch.close();
    },
    status: () => {
      const all = [...nodes.values()];
      const pages = all.flatMap(pagesOf);
      return {
        mode: options.fetch.mode,
        tls: options.fetch.tls,
        nodes: all.length,
        scraped: all.filter(({ metrics }) => metrics.lastFailed === "no").length,
        failing: all.filter(({ metrics, cadvisor }) => isFailure(metrics) || isFailure(cadvisor)).length,
        skipped: pages.reduce((sum, page) => sum + page.skipped, 0),
        inFlight: deps.slots.taken + deps.suspects.taken,
        lateMs: pages.reduce((most, page) => Math.max(most, page.lateMs), 0),
      };
    },
  };
}

const pagesOf = (tasks: NodeTasks): readonly PageTask[] => [tasks.metrics, tasks.cadvisor, tasks.configz];
const isFailure = (task: PageTask): boolean => task.lastFailed === "may-heal" || task.lastFailed === "lasting";
