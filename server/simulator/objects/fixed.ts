import type { ClusterModel } from "../model/cluster";
import { NAMESPACES, SECOND_NETWORK } from "../model/pods";
import { iso, type KubeObject } from "./json";

const AGE_MS = 60 * 86_400_000;
const APP_NAMESPACES = ["shop", "billing", "data", "platform"];
const HOST_NETWORK_SETS = [["kube-system", "kube-proxy"], ["monitoring", "node-exporter"], ["kube-system", "csi-node"], ["monitoring", "log-shipper"], ["kube-system", "node-local-dns"]] as const;

export interface FixedObject {
  readonly resource: string;
  readonly object: KubeObject;
}

/** What the model does not move: namespaces, the daemon's settings, second networks, budgets, other DaemonSets. */
export function fixedObjects(model: ClusterModel): readonly FixedObject[] {
  const createdMs = model.parameters.startMs - AGE_MS;
  const meta = (name: string, namespace?: string): KubeObject["metadata"] => ({
    name,
    ...(namespace === undefined ? {} : { namespace }),
    uid: model.random.fork(`fixed/${namespace ?? ""}/${name}`).uuid(),
    creationTimestamp: iso(createdMs),
  });
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
    {
      resource: "/configmaps",
      object: {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: meta("multus-daemon-config", "kube-system"),
        data: { "daemon-config.json": JSON.stringify({ chrootDir: "/hostroot", cniVersion: "0.3.1", logLevel: "verbose", logToStderr: true, cniConfigDir: "/host/etc/cni/net.d", multusConfigFile: "auto", multusAutoconfigDir: "/host/etc/cni/net.d", socketDir: "/host/run/multus/" }, null, 2) },
      },
    },
    ...APP_NAMESPACES.map((namespace) => ({
      resource: "k8s.cni.cncf.io/network-attachment-definitions",
      object: {
        apiVersion: "k8s.cni.cncf.io/v1",
        kind: "NetworkAttachmentDefinition",
        metadata: meta(SECOND_NETWORK, namespace),
        spec: { config: JSON.stringify({ cniVersion: "1.0.0", name: SECOND_NETWORK, type: "macvlan", master: "eth1", mode: "bridge", ipam: { type: "host-local", subnet: "10.250.0.0/24" } }) },
      },
    })),
    ...budgets(meta),
    ...HOST_NETWORK_SETS.map(([namespace, name]) => ({ resource: "apps/daemonsets", object: hostNetworkSet(model, namespace, name, meta(name, namespace)) })),
  ];
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
        spec: { hostNetwork: true, containers: [{ name, image: `registry.example/system/${name}:1.9`, resources: { requests: { cpu: "25m", memory: "48Mi" } } }], tolerations: [{ operator: "Exists" }] },
      },
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
    },
    status: { currentNumberScheduled: nodes, desiredNumberScheduled: nodes, numberAvailable: nodes, numberMisscheduled: 0, numberReady: nodes, observedGeneration: 1, updatedNumberScheduled: nodes },
  };
}
