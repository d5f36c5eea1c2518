import { describe, expect, it } from "vitest";
import type { CauseView } from "../../domain/causes/types";
import type { NodeView } from "../../domain/node-view";
import type { Observation } from "../../domain/observation";
import type { Fault } from "../model/faults/fault";
import { attachmentRemoved } from "../model/faults/attachment-removed";
import { apiUnreachable } from "../model/faults/api-unreachable";
import { confDirEmptied } from "../model/faults/conf-dir-emptied";
import { confMovedIntoPlace } from "../model/faults/conf-moved-into-place";
import { consumerKeepsSocket } from "../model/faults/consumer-keeps-socket";
import { daemonLimits } from "../model/faults/daemon-limits";
import { daemonPanics } from "../model/faults/daemon-panics";
import { daemonRestarted } from "../model/faults/daemon-restarted";
import { daemonStopped } from "../model/faults/daemon-stopped";
import { endpointsLimited } from "../model/faults/endpoints-limited";
import { generatedConfRemoved } from "../model/faults/generated-conf-removed";
import { installerCopiesOver } from "../model/faults/installer-copies-over";
import { nodeFull } from "../model/faults/node-full";
import { powerLost } from "../model/faults/power-lost";
import { rollout } from "../model/faults/rollout";
import { rolloutOf } from "../model/faults/rollout-of";
import { runtimeFrozen } from "../model/faults/runtime-frozen";
import { scaledUp } from "../model/faults/scaled-up";
import { shimRemoved } from "../model/faults/shim-removed";
import { tokenExpired } from "../model/faults/token-expired";
import { DEFAULT_DAEMON_RESOURCES, HEAVY_CHAIN } from "../model/parameters";
import { planScenario } from "../scenarios";
import { PERIOD_MS, runCourse } from "../testing/course";
import { breakNode, shaped } from "./apply";
import { CILIUM_NODE } from "./other-cni";
import { atOnce, both, inTurn, mended, type CauseScenario, type Step } from "./types";

/** What looks like one thing and is another, or two things at once: each with the right answer and the right roots at its end. */
interface Row extends Pick<CauseScenario, "node" | "daemon" | "cluster"> {
  readonly steps: readonly Step[];
  /** A source that is not there. */
  readonly without?: readonly ("agent" | "kubelet")[];
  readonly through?: (observation: Observation) => Iterable<Observation>;
  /** Periods from the first step until it is looked at. */
  readonly after: number;
  readonly answer: "yes" | "no" | "unknown";
  readonly idle?: true;
  /** Roots as "code certainty", in any order. */
  readonly roots: readonly string[];
  readonly why: string;
}

const NOW_MS = Date.UTC(2026, 4, 1, 12);
const CALM_PERIODS = 24;
const ROW_TIMEOUT_MS = 60_000;
const SKEW_MS = 420_000;
const MIB = 2 ** 20;
const CONSUMER = { namespace: "kube-system", app: "dynamic-networks-controller", count: 1, of: "DaemonSet", memoryLimitBytes: 128 * MIB, mounts: [{ hostPath: "/run/multus/multus.sock", mountPath: "/host/run/multus/multus.sock", kind: "file" }] } as const;
const CAMERA_NET = JSON.stringify({ cniVersion: "1.0.0", name: "camera-net", type: "macvlan", master: "eth1", ipam: { type: "host-local", subnet: "10.251.0.0/24" } });
const CAMERAS = { cluster: { attachments: new Map([["data/camera-net", CAMERA_NET]]) }, node: { extraPods: [{ namespace: "data", app: "video-edge", count: 3, of: "ReplicaSet", networks: "camera-net" }] } } as const;

const cordoned: Fault = {
  what: "The node is cordoned.",
  break: ({ node }) => {
    node.unschedulable = true;
    node.sink.node(node.parameters.name);
  },
  mend: () => {},
};
const daemonRolled: Fault = { what: "The daemon's template changes.", break: ({ model }) => model.daemonSet.setTemplate({ resources: { ...model.daemonSet.resources, memoryLimitBytes: 2 ** 31 } }), mend: () => {} };
const silenced: Fault = {
  what: "The node is cut off.",
  break: ({ node }) => {
    node.silent = true;
  },
  mend: () => {},
};
/** The node's clock runs ahead: its agent's reports and its readings of cAdvisor are of later. */
function* skewed(observation: Observation): Iterable<Observation> {
  yield observation.source === "agent" ? { ...observation, report: { ...observation.report, atMs: observation.report.atMs + SKEW_MS } } : observation;
}

const ROWS: Readonly<Record<string, Row>> = {
  "throttled but healthy": { cluster: { daemonResources: DEFAULT_DAEMON_RESOURCES }, steps: atOnce(rollout(4)), after: 8, answer: "yes", roots: [], why: "at 100m every burst is throttled, and each pod starts in seconds" },
  "a 429 burst that passes": { node: CILIUM_NODE, steps: inTurn(50, both(endpointsLimited, rollout(8)), mended(endpointsLimited)), after: 20, answer: "yes", roots: [], why: "the pods were turned away for a moment and run" },
  "a stale consumer and a daemon that hangs": { node: { extraPods: [CONSUMER] }, steps: inTurn(20, consumerKeepsSocket, daemonRestarted, daemonStopped, rollout(5)), after: 20, answer: "no", roots: ["daemon-slow named", "stale-socket named"], why: "two things, neither of which comes of the other" },
  "a cordoned idle node": { node: { workload: { services: 34, hostNetworkPods: 5, cronJobs: 0, jobPeriodMs: 300_000, jobMinMs: 90_000, jobMaxMs: 260_000 } }, steps: atOnce(cordoned), after: 44, answer: "yes", idle: true, roots: [], why: "nothing starts there, and everything is in order" },
  "a clock that runs ahead": { steps: atOnce(rollout(5)), through: skewed, after: 12, answer: "yes", roots: [], why: "a wrong clock is no failure of starting pods" },
  "a clock that runs ahead beside a real fault": { steps: atOnce(shimRemoved, rollout(5)), through: skewed, after: 12, answer: "no", roots: ["plugin-binary-missing named"], why: "the fault is the same by any clock" },
  "a rollout of the daemon": { steps: atOnce(daemonRolled), after: 12, answer: "yes", roots: [], why: "each daemon is away for seconds" },
  "an ordinary restart of the daemon": { steps: atOnce(daemonRestarted, rollout(5)), after: 10, answer: "yes", roots: [], why: "it is back within a second or two" },
  "an ordinary reboot": { steps: atOnce(powerLost), after: 20, answer: "yes", roots: [], why: "all pods are back" },
  "events of pods already gone": { steps: inTurn(120, both(tokenExpired, rollout(5)), mended(tokenExpired)), after: 20, answer: "yes", roots: [], why: "what pods said before they started counts no more" },
  "a shim that is gone, and no agent": { steps: atOnce(shimRemoved, rollout(5)), without: ["agent"], after: 12, answer: "no", roots: ["plugin-binary-missing suspected"], why: "texts alone say so" },
  "an empty conf dir, and no agent": { steps: atOnce(confDirEmptied, rollout(5)), without: ["agent"], after: 12, answer: "no", roots: ["cni-config-missing suspected"], why: "the runtime has no config; why cannot be told without a look" },
  "a config that was not noticed, and no agent": { steps: atOnce(confMovedIntoPlace, rollout(5)), without: ["agent"], after: 12, answer: "no", roots: ["cni-config-missing suspected"], why: "the same from outside" },
  "a throttled daemon, and no kubelet": { node: { chain: HEAVY_CHAIN }, steps: inTurn(5, daemonLimits("The daemon's CPU limit is lowered to 10m.", { cpuLimitCores: 0.01, cpuRequestCores: 0.01 }), rollout(20)), without: ["kubelet"], after: 30, answer: "no", roots: ["daemon-cpu-throttled named"], why: "the agent reads the same counters" },
  "a daemon that panics, and neither agent nor kubelet": { steps: atOnce(daemonPanics, rollout(5)), without: ["agent", "kubelet"], after: 24, answer: "no", roots: ["daemon-down named"], why: "the API tells of its end" },
  "a full node whose daemon has enough": { steps: atOnce(nodeFull, rollout(3)), daemon: { cpuRequestCores: 2, cpuLimitCores: 2, memoryLimitBytes: 2 ** 30, memoryRequestBytes: 50 * MIB }, after: 16, answer: "yes", roots: [], why: "a request that fits keeps its share" },
  "a missing attachment on a node without a shim": { ...CAMERAS, steps: atOnce(attachmentRemoved("data/camera-net", CAMERA_NET), shimRemoved, rolloutOf("video-edge"), rollout(5)), after: 16, answer: "no", roots: ["nad-missing named", "plugin-binary-missing named"], why: "both are there, and each has its own mending" },
  "a deadlock that dissolves": { cluster: { daemonTemplate: { installer: "cp" } }, steps: inTurn(120, powerLost, mended(installerCopiesOver)), after: 30, answer: "yes", roots: [], why: "the installer was mended, and everything came up" },
  "a burst on a node that is well": { steps: atOnce(scaledUp(2)), after: 12, answer: "yes", roots: [], why: "many pods at once are no storm" },
  "a runtime that pauses": { steps: inTurn(20, runtimeFrozen, mended(runtimeFrozen), rollout(3)), after: 14, answer: "yes", roots: [], why: "it stood still for less than anybody waits" },
  "a silent node with a broken config": { steps: inTurn(2, generatedConfRemoved, silenced), after: 20, answer: "unknown", roots: [], why: "what it was last heard to be is no word of now" },
  "an API server that is away for a moment": { steps: inTurn(40, both(apiUnreachable, rollout(4)), mended(apiUnreachable)), after: 16, answer: "yes", roots: [], why: "the next tries went through" },
};

const rootWords = ({ code, certainty }: CauseView): string => `${code} ${certainty}`;

describe("what misleads", () => {
  it.each(Object.entries(ROWS))("%s", (_name, row) => {
    const base = planScenario("daemon-down", { nodes: 2, seed: "1", nowMs: NOW_MS });
    const healthy = planScenario("healthy", { nodes: 2, seed: "mixed", nowMs: NOW_MS });
    const [node = ""] = base.expected.keys();
    const brokenMs = healthy.cluster.startMs + CALM_PERIODS * PERIOD_MS;
    const cluster = shaped({ ...healthy.cluster, daemonResources: base.cluster.daemonResources }, node, row);
    let last: NodeView | undefined;
    runCourse({
      plan: { ...healthy, cluster, script: (model) => breakNode(model, node, row.steps, brokenMs) },
      toMs: brokenMs + row.after * PERIOD_MS,
      kubelet: row.without?.includes("kubelet") !== true,
      agent: row.without?.includes("agent") !== true,
      ...(row.through === undefined ? {} : { through: row.through }),
      look: (views) => {
        last = views.get(node);
      },
    });
    const summary = `${last?.answer.summary ?? ""} ${last?.causes.map((one) => one.summary).join(" ") ?? ""} (${row.why})`;
    expect({ answer: last?.answer.state, roots: last?.causes.map(rootWords).sort() }, summary).toEqual({ answer: row.answer, roots: [...row.roots].sort() });
    if (row.idle === true) expect(last?.answer.idle).toBe(true);
  }, ROW_TIMEOUT_MS);
});
