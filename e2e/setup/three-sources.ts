import type { AgentReport } from "@/server/domain/agent-report";
import type { Cluster } from "./cluster";
import { BUNDLE, NODE } from "./product";

/** What the API server, the kubelet's own metrics and the node's agent say of some pods on node-1, each asked by itself and none through Sandglass. */
export interface ThreeSources {
  readonly api: ApiSide;
  /** Undefined: its page of metrics gave no answer in time. */
  readonly kubelet: KubeletSide | undefined;
  readonly agent: AgentReport;
}

export interface ApiSide {
  /** Uids of those of the pods whose sandbox is ready, by their own condition. */
  readonly ready: readonly string[];
  /** Warnings about the pods' sandboxes, as the kubelet reported them. */
  readonly warnings: readonly string[];
  /** Why the node is not Ready; undefined where it is. */
  readonly notReady: string | undefined;
}

/** Calls of RunPodSandbox that have ended since the kubelet began. */
export interface KubeletSide {
  readonly ended: number;
  readonly failed: number;
}

export interface NamedPods {
  readonly names: readonly string[];
  readonly uids: readonly string[];
}

const METRICS_TIMEOUT = "5s";
const OF_SANDBOXES: readonly string[] = ["FailedCreatePodSandBox", "NetworkNotReady"];

export async function kubeletSide(cluster: Cluster): Promise<KubeletSide | undefined> {
  const text = await cluster.kubectl(["get", "--raw", "/api/v1/nodes/node-1/proxy/metrics", `--request-timeout=${METRICS_TIMEOUT}`]).catch((error: unknown) => {
    if (/timeout|deadline/i.test(String(error))) return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const of = (metric: string): number => Number(new RegExp(`^${metric}\\{operation_type="run_podsandbox"\\} (\\S+)$`, "m").exec(text)?.[1] ?? 0); // a counter that never counted is not told
  return { ended: of("kubelet_runtime_operations_total"), failed: of("kubelet_runtime_operations_errors_total") };
}

interface Objects<T> {
  readonly items: readonly T[];
}
interface Condition {
  readonly type: string;
  readonly status: string;
  readonly message?: string;
}
interface WithConditions {
  readonly metadata: { readonly uid: string };
  readonly status: { readonly conditions?: readonly Condition[] };
}
interface PodEvent {
  readonly reason: string;
  readonly message: string;
  readonly involvedObject: { readonly uid?: string };
}

async function apiSide(cluster: Cluster, { names, uids }: NamedPods): Promise<ApiSide> {
  const objects = async <T>(...args: readonly string[]): Promise<readonly T[]> => (JSON.parse(await cluster.kubectl(["get", "-o", "json", ...args])) as Objects<T>).items; // the API's own types, as far as they are used
  const [pods, events, nodes] = await Promise.all([objects<WithConditions>("pod", ...names), objects<PodEvent>("events"), objects<WithConditions>("nodes")]);
  const condition = (of: WithConditions | undefined, type: string): Condition | undefined => of?.status.conditions?.find((one) => one.type === type);
  const ready = condition(nodes[0], "Ready");
  return {
    ready: pods.filter((pod) => condition(pod, "PodReadyToStartContainers")?.status === "True").map(({ metadata }) => metadata.uid),
    warnings: events.filter(({ reason, involvedObject }) => OF_SANDBOXES.includes(reason) && uids.includes(involvedObject.uid ?? "")).map(({ message }) => message),
    notReady: ready?.status === "True" ? undefined : (ready?.message ?? "no such condition"),
  };
}

/** All three at once, of pods that are there; at least two, so that the API gives a list. */
export async function threeSources(cluster: Cluster, pods: NamedPods): Promise<ThreeSources> {
  const [api, kubelet, agent] = await Promise.all([apiSide(cluster, pods), kubeletSide(cluster), cluster.enter([NODE, BUNDLE, "agent", "--once", "--node", "node-1"])]);
  return { api, kubelet, agent: JSON.parse(agent) as AgentReport }; // its schema is the listener's, which other tests hold it to
}

export async function podsNamed(cluster: Cluster, names: readonly string[]): Promise<NamedPods> {
  return { names, uids: (await cluster.kubectl(["get", "pod", ...names, "-o", "jsonpath={.items[*].metadata.uid}"])).trim().split(" ") };
}
