import type { ClusterModel } from "../model/cluster";
import { CNI_NAMESPACE, NAMESPACES } from "../model/pods";
import { iso, type KubeObject } from "./json";

const AGE_MS = 60 * 86_400_000;
const HOST_NETWORK_SETS = [["kube-system", "kube-proxy"], ["monitoring", "node-exporter"], ["kube-system", "csi-node"], ["monitoring", "log-shipper"], ["kube-system", "node-local-dns"]] as const;

export interface FixedObject {
  readonly resource: string;
  readonly object: KubeObject;
}

const metaIn =
  (model: ClusterModel) =>
  (name: string, namespace?: string): KubeObject["metadata"] => ({
    name,
    ...(namespace === undefined ? {} : { namespace }),
    uid: model.random.fork(`fixed/${namespace ?? ""}/${name}`).uuid(),
    creationTimestamp: iso(model.parameters.startMs - AGE_MS),
  });

export const ATTACHMENTS = "k8s.cni.cncf.io/network-attachment-definitions";
export const CONFIG_MAPS = "/configmaps";
export const DAEMON_CONFIG_MAP = "multus-daemon-config";

/** A network attachment as it stands now; `undefined` where there is none of this key. */
export function attachmentObject(model: ClusterModel, key: string): KubeObject | undefined {
  const config = model.attachments.all.get(key);
  const [namespace = "", name = ""] = key.split("/");
  return config === undefined ? undefined : { apiVersion: "k8s.cni.cncf.io/v1", kind: "NetworkAttachmentDefinition", metadata: metaIn(model)(name, namespace), spec: { config } };
}

export const daemonConfigObject = (model: ClusterModel): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: metaIn(model)(DAEMON_CONFIG_MAP, CNI_NAMESPACE),
  data: { "daemon-config.json": model.daemonConfig.text },
});

/** What the model does not move, or moves rarely: namespaces, the daemon's settings, network attachments, budgets, other DaemonSets. */
export function fixedObjects(model: ClusterModel): readonly FixedObject[] {
  const meta = metaIn(model);
  return [
    ...NAMESPACES.map((name) => ({
      resource: "/namespaces",
      object: {
        apiVersion: "v1",
        kind: "Namespace",
        metadata: { ...meta(name), ...(name === "kube-system" ? { uid: model.systemUid } : {}), labels: { "kubernetes.io/metadata.name": name } },
        spec: { finalizers: ["kubernetes"] },
        status: { phase: "Active" },
      },
    })),
    { resource: CONFIG_MAPS, object: daemonConfigObject(model) },
    ...[...model.attachments.all.keys()].flatMap((key) => {
      const object = attachmentObject(model, key);
      return object === undefined ? [] : [{ resource: ATTACHMENTS, object }];
    }),
    ...budgets(meta),
    ...[...HOST_NETWORK_SETS, ...extraSets(model)].map(([namespace, name]) => ({ resource: "apps/daemonsets", object: hostNetworkSet(model, namespace, name, meta(name, namespace)) })),
  ];
}

/** DaemonSets of pods that some nodes have beside the usual ones. */
function extraSets(model: ClusterModel): readonly (readonly [namespace: string, name: string])[] {
  const extra = model.parameters.nodes.flatMap(({ extraPods = [] }) => extraPods.filter((pods) => pods.of === "DaemonSet" && pods.hostNetwork === true));
  return [...new Map(extra.map(({ namespace, app }) => [`${namespace}/${app}`, [namespace, app] as const])).values()];
}

/** One budget with room for a pod, one without. */
function budgets(meta: (name: string, namespace: string) => KubeObject["metadata"]): readonly FixedObject[] {
  const budget = (namespace: string, app: string, allowed: number): FixedObject => ({
    resource: "policy/poddisruptionbudgets",
    object: {
      apiVersion: "policy/v1",
      kind: "PodDisruptionBudget",
      metadata: meta(app, namespace),
      spec: { maxUnavailable: allowed, selector: { matchLabels: { app } } },
      status: { disruptionsAllowed: allowed, currentHealthy: 10, desiredHealthy: 10 - allowed, expectedPods: 10, observedGeneration: 1 },
    },
  });
  return [budget("shop", "checkout", 1), budget("billing", "ledger", 0)];
}

function hostNetworkSet(model: ClusterModel, namespace: string, name: string, metadata: KubeObject["metadata"]): KubeObject {
  const nodes = model.nodes.size;
  const labels = { "app.kubernetes.io/name": name };
  return {
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: { ...metadata, namespace, uid: model.random.fork(`owner/${name}`).uuid(), generation: 1, labels },
    spec: {
      revisionHistoryLimit: 10,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { hostNetwork: true, containers: [{ name, image: `registry.example/system/${name}:1.9`, resources: { requests: { cpu: "10m", memory: "48Mi" }, limits: { memory: "256Mi" } } }], tolerations: [{ operator: "Exists" }] },
      },
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
    },
    status: { currentNumberScheduled: nodes, desiredNumberScheduled: nodes, numberAvailable: nodes, numberMisscheduled: 0, numberReady: nodes, observedGeneration: 1, updatedNumberScheduled: nodes },
  };
}
