import { breakNode, shaped } from "./causes/apply";
import { CAUSE_SCENARIOS, CAUSE_SCENARIO_NAMES, type CauseScenarioName } from "./causes";
import type { CauseScenario } from "./causes/types";
import type { ClusterModel, ClusterParameters } from "./model/cluster";
import { rollout } from "./model/faults/rollout";
import { shimRemoved } from "./model/faults/shim-removed";
import { DEFAULT_DAEMON_RESOURCES, DEFAULT_RUNTIME_REQUEST_TIMEOUT_MS, HEAVY_CHAIN, PLAIN_CHAIN, type DaemonResources, type NodeParameters, type WorkloadParameters } from "./model/parameters";

export const SCENARIOS = ["demo", "healthy", "retry-storm", "oom-loop", "missing-binary", "idle", "silent-node", "flapping-api"] as const;
type PlainName = (typeof SCENARIOS)[number];
/** Those that tell a story of their own, and one for each cause. */
export type ScenarioName = PlainName | CauseScenarioName;
export const SCENARIO_NAMES: readonly ScenarioName[] = [...SCENARIOS, ...CAUSE_SCENARIO_NAMES];
const isCauseScenario = (name: ScenarioName): name is CauseScenarioName => Object.hasOwn(CAUSE_SCENARIOS, name);

/** The model begins this long before now, so that the first look already has a past. */
export const HISTORY_MS = 2 * 3_600_000;
const MINUTE_MS = 60_000;
/** In a cluster larger than this only the nodes that the scenario is about live through the whole past; the others begin later. */
export const LARGE_CLUSTER = 100;
const LATE_BEGIN = 15;

/** What a right answer is for a node; nodes that are not named must be *yes*. */
export interface ExpectedAnswer {
  readonly state: "yes" | "no" | "unknown";
  readonly idle?: boolean;
}

export interface ScenarioPlan {
  readonly name: ScenarioName;
  readonly cluster: ClusterParameters;
  /** What happens to the cluster, and when; applied to a model that has just begun. */
  readonly script: (model: ClusterModel) => void;
  /** The nodes that the scenario is about. */
  readonly expected: ReadonlyMap<string, ExpectedAnswer>;
  readonly others: ExpectedAnswer;
  /** The API server cuts its watches and fails now and then. */
  readonly flappingApi: boolean;
}

export interface ScenarioOptions {
  readonly nodes: number;
  readonly seed: string;
  readonly nowMs: number;
}

const POOLS = [
  { name: "general", share: 0.5, cores: 8, memoryGib: 32 },
  { name: "compute", share: 1 / 3, cores: 4, memoryGib: 32 },
  { name: "edge", share: 1, cores: 4, memoryGib: 16 },
] as const;
const ZONES = ["a", "b", "c"] as const;
const MAX_PODS = 110;
/** The crowded node: it allows 250 pods and has about 230. */
const CROWDED_MAX_PODS = 250;
const BUSY: WorkloadParameters = { services: 34, hostNetworkPods: 5, cronJobs: 3, jobPeriodMs: 300_000, jobMinMs: 90_000, jobMaxMs: 260_000 };
const CROWDED: WorkloadParameters = { ...BUSY, services: 221, hostNetworkPods: 8 };
const IDLE: WorkloadParameters = { ...BUSY, cronJobs: 0 };

/** No CPU limit, and memory that is enough on every day but the one after an outage. */
const SHORT_OF_MEMORY: DaemonResources = { cpuRequestCores: 0.1, memoryLimitBytes: 512 * 2 ** 20, memoryRequestBytes: 50 * 2 ** 20 };

/** Enough for every burst, so that what a scenario shows is its own. */
const AMPLE: DaemonResources = { cpuLimitCores: 2, cpuRequestCores: 0.1, memoryLimitBytes: 2 ** 30, memoryRequestBytes: 50 * 2 ** 20 };

/** The outage, in minutes before now: the machine is lost, comes back, is rebooted by the repair, comes back again. */
const FIRST_CUT = 64;
const FIRST_RETURN = 56;
const SECOND_CUT = 40;
const SECOND_RETURN = 33;
/** After the first cut some of its pods found room on other nodes; after the second one those are back. */
const FIRST_RETURN_SHARE = 0.7;
const OOM_CUT = 48;
const OOM_RETURN = 40;
const SHIM_LOST = 26;
const SILENT_SINCE = 10;
/** A scenario of a cause begins so many minutes before now. */
const BROKEN_SINCE = 20;

/** A plan is a pure function of its options: the same seed and time give the same cluster to the byte. */
export function planScenario(name: ScenarioName, options: ScenarioOptions): ScenarioPlan {
  const startMs = Math.floor((options.nowMs - HISTORY_MS) / 1_000) * 1_000;
  const ago = (minutes: number): number => startMs + HISTORY_MS - minutes * MINUTE_MS;
  const names = nodeNames(options.nodes);
  const storm = pickNode(names, "compute", 2);
  const other = pickNode(names, "edge", 1);
  const crowded = name === "demo" || name === "retry-storm" || name === "oom-loop" ? storm : undefined;
  const resources = name === "oom-loop" ? SHORT_OF_MEMORY : DEFAULT_DAEMON_RESOURCES;
  const cluster: ClusterParameters = {
    seed: `${name}:${options.seed}`,
    startMs,
    nodes: names.map((node, index) => ({
      ...nodeParameters(node, index, name === "idle", node.name === crowded),
      ...(names.length > LARGE_CLUSTER && node.name !== storm && node.name !== other ? { beginsMs: ago(LATE_BEGIN) } : {}),
    })),
    daemonResources: resources,
  };
  if (isCauseScenario(name)) return planCause(name, CAUSE_SCENARIOS[name], { ...cluster, daemonResources: AMPLE }, storm, ago(BROKEN_SINCE));
  const plan: Omit<ScenarioPlan, "expected" | "script"> = { name, cluster, flappingApi: name === "flapping-api", others: name === "idle" ? { state: "yes", idle: true } : { state: "yes" } };
  const storming = (model: ClusterModel): void => retryStorm(model, storm, ago);
  const losing = (model: ClusterModel): void => loseShim(model, name === "demo" ? other : storm, ago);
  switch (name) {
    case "demo": {
      const expected = new Map<string, ExpectedAnswer>([[storm, { state: "no" }], [other, { state: "no" }]]);
      return {
        ...plan,
        expected,
        script: (model) => {
          storming(model);
          if (other !== storm) losing(model);
        },
      };
    }
    case "retry-storm":
      return { ...plan, script: storming, expected: new Map([[storm, { state: "no" }]]) };
    case "oom-loop":
      return { ...plan, script: (model) => cut(model, storm, ago(OOM_CUT), ago(OOM_RETURN), 1), expected: new Map([[storm, { state: "no" }]]) };
    case "missing-binary":
      return { ...plan, script: losing, expected: new Map([[storm, { state: "no" }]]) };
    case "silent-node":
      return { ...plan, script: (model) => model.at(ago(SILENT_SINCE), () => silence(model, storm, true)), expected: new Map([[storm, { state: "unknown" }]]) };
    case "healthy":
    case "idle":
    case "flapping-api":
      return { ...plan, script: () => {}, expected: new Map() };
  }
}

/** One node, or its whole pool, befallen by what the scenario says, since `brokenMs`. */
function planCause(name: CauseScenarioName, scenario: CauseScenario, cluster: ClusterParameters, node: string, brokenMs: number): ScenarioPlan {
  const pool = cluster.nodes.find((one) => one.name === node)?.pool;
  const befallen = scenario.wholePool === true ? cluster.nodes.filter((one) => one.pool === pool).map((one) => one.name) : [node];
  return {
    name,
    cluster: befallen.reduce((shape, one) => shaped(shape, one, scenario), cluster),
    flappingApi: false,
    others: { state: "yes" },
    expected: new Map(befallen.map((one) => [one, { state: scenario.answer }])),
    script: (model) => {
      for (const one of befallen) breakNode(model, one, scenario.steps, brokenMs);
    },
  };
}

/** Cuts the node off, or lets it be heard again; it works on meanwhile. */
export function silence(model: ClusterModel, node: string, silent: boolean): void {
  const found = model.nodes.get(node);
  if (found !== undefined) found.silent = silent;
}

/** The power goes; when it returns, the pods that are gone have successors, of which this node is given `share`. */
export function cut(model: ClusterModel, node: string, offMs: number, onMs: number, share: number): void {
  model.at(offMs, () => model.nodes.get(node)?.powerOff());
  model.at(onMs, () => {
    const workload = model.workload(node);
    if (workload !== undefined) workload.share = share;
    model.nodes.get(node)?.powerOn();
  });
}

export function retryStorm(model: ClusterModel, node: string, ago: (minutes: number) => number): void {
  cut(model, node, ago(FIRST_CUT), ago(FIRST_RETURN), FIRST_RETURN_SHARE);
  cut(model, node, ago(SECOND_CUT), ago(SECOND_RETURN), 1);
}

/** A distribution's upgrade removes the shim; then a rollout comes. */
function loseShim(model: ClusterModel, node: string, ago: (minutes: number) => number): void {
  breakNode(model, node, [{ afterSeconds: 0, fault: shimRemoved }, { afterSeconds: 60, fault: rollout(5) }], ago(SHIM_LOST));
}

interface NodeName {
  readonly name: string;
  readonly pool: (typeof POOLS)[number];
}

function nodeNames(count: number): NodeName[] {
  const names: NodeName[] = [];
  for (const pool of POOLS) {
    const last = pool === POOLS[POOLS.length - 1];
    const size = last ? count - names.length : Math.min(count - names.length, Math.max(1, Math.round(count * pool.share)));
    for (let i = 1; i <= size; i++) names.push({ name: `${pool.name}-${String(i).padStart(2, "0")}`, pool });
  }
  return names;
}

/** The nth node of a pool, or the last one of a cluster that has no such pool. */
function pickNode(names: readonly NodeName[], pool: string, index: number): string {
  const inPool = names.filter((n) => n.pool.name === pool);
  return (inPool[index] ?? inPool.at(-1) ?? names.at(-1))?.name ?? "";
}

function nodeParameters(node: NodeName, index: number, idle: boolean, crowded: boolean): NodeParameters {
  return {
    name: node.name,
    pool: node.pool.name,
    zone: `sim-${ZONES[index % ZONES.length] ?? "a"}`,
    cores: node.pool.cores,
    memoryBytes: node.pool.memoryGib * 2 ** 30,
    maxPods: crowded ? CROWDED_MAX_PODS : MAX_PODS,
    cgroup: node.pool.name === "edge" ? "v1" : "v2",
    runtimeRequestTimeoutMs: DEFAULT_RUNTIME_REQUEST_TIMEOUT_MS,
    chain: crowded ? HEAVY_CHAIN : PLAIN_CHAIN,
    workload: crowded ? CROWDED : idle ? IDLE : BUSY,
    address: "127.0.0.1",
    podCidr: `10.${64 + Math.floor(index / 64)}.${(index % 64) * 4}.0/22`,
  };
}
