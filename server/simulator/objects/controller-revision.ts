import { iso, type KubeObject } from "./json";
import { record } from "./resources";

/** What the DaemonSet's controller keeps of one template: `hash` is the label that its pods bear. */
export function controllerRevisionObject(daemonSet: KubeObject, hash: string, revision: number, atMs: number): KubeObject {
  const { name, namespace, uid } = daemonSet.metadata;
  const { template, selector } = record(daemonSet["spec"]);
  return {
    apiVersion: "apps/v1",
    kind: "ControllerRevision",
    metadata: {
      name: `${name}-${hash}`,
      ...(namespace === undefined ? {} : { namespace }),
      uid: `${uid.slice(0, 24)}${revision.toString(16).padStart(12, "0")}`,
      creationTimestamp: iso(atMs),
      labels: { ...(record(record(selector)["matchLabels"]) as Record<string, string>), "controller-revision-hash": hash }, // of our own DaemonSet
      ownerReferences: [{ apiVersion: "apps/v1", kind: "DaemonSet", name, uid, blockOwnerDeletion: true, controller: true }],
    },
    data: { spec: { template: { ...record(template), $patch: "replace" } } },
    revision,
  };
}
