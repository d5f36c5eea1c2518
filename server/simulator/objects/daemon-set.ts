import type { CniDaemonSet } from "../model/daemon-set";
import { CNI_DAEMON_SET, CNI_NAMESPACE } from "../model/pods";
import { changedPodSpec, daemonPodSpec } from "./daemon-template";
import { iso, type KubeObject } from "./json";
import { record } from "./resources";

const LABELS = { app: "multus", name: "multus", tier: "node" };
const AGE_MS = 40 * 86_400_000;

/** The CNI's DaemonSet as it was applied; later changes are patches of this object. */
export function cniDaemonSetObject(daemonSet: CniDaemonSet, startMs: number): KubeObject {
  return {
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: {
      name: CNI_DAEMON_SET,
      namespace: CNI_NAMESPACE,
      uid: daemonSet.owner.uid,
      creationTimestamp: iso(startMs - AGE_MS),
      generation: daemonSet.generation,
      labels: LABELS,
      annotations: { "deprecated.daemonset.template.generation": String(daemonSet.generation) },
    },
    spec: {
      revisionHistoryLimit: 10,
      selector: { matchLabels: { name: "multus" } },
      template: { metadata: { labels: LABELS }, spec: daemonPodSpec(daemonSet.template) },
      updateStrategy: { type: daemonSet.strategy, rollingUpdate: { maxSurge: 0, maxUnavailable: daemonSet.maxUnavailable } },
    },
    status: daemonSetStatus(daemonSet),
  };
}

/** The same template that clients may have changed, with what the cluster changed in it by itself. */
export function withTemplate(daemonSet: KubeObject, { template, strategy }: Pick<CniDaemonSet, "template" | "strategy">): KubeObject {
  const spec = record(daemonSet["spec"]);
  const pod = record(spec["template"]);
  return { ...daemonSet, spec: { ...spec, template: { ...pod, spec: changedPodSpec(record(pod["spec"]), template) }, updateStrategy: { ...record(spec["updateStrategy"]), type: strategy } } };
}

export function daemonSetStatus(daemonSet: CniDaemonSet): Record<string, number> {
  const { desired, current, ready, updated } = daemonSet.status();
  return {
    currentNumberScheduled: current,
    desiredNumberScheduled: desired,
    numberAvailable: ready,
    ...(desired > ready ? { numberUnavailable: desired - ready } : {}),
    numberMisscheduled: 0,
    numberReady: ready,
    observedGeneration: daemonSet.generation,
    updatedNumberScheduled: updated,
  };
}
