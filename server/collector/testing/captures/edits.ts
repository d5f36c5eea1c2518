import type { Change } from "./changed";

/** As much of a pod's JSON as a told trial changes; the rest goes along. */
export interface EditedPod {
  metadata: { name: string; namespace: string; uid: string; creationTimestamp: string; annotations?: Record<string, string> };
  spec: { nodeName?: string; affinity?: unknown; containers: { name: string; resources?: unknown }[] };
  status: { phase: string; conditions: { type: string; status: string; lastTransitionTime?: string; message?: string }[]; containerStatuses?: EditedStatus[]; initContainerStatuses?: EditedStatus[] };
}
export interface EditedStatus {
  name: string;
  restartCount: number;
  ready: boolean;
  state: Readonly<Record<string, unknown>>;
  lastState: Readonly<Record<string, unknown>>;
}

export const isDaemon = ({ metadata }: EditedPod): boolean => metadata.name.startsWith("kube-multus-ds-");

/** One file with another text. */
export const edited = (name: string, edit: (text: string) => string): Change => (files) => [...files].map(([file, text]) => [file, file === name ? edit(text) : text]);

/** Changes each pod of the moment during the fault. */
export const pods = (edit: (pod: EditedPod) => void): Change =>
  edited("pods.json", (text) => {
    const list = JSON.parse(text) as { readonly items: EditedPod[] }; // our own recording
    for (const pod of list.items) edit(pod);
    return JSON.stringify(list);
  });

export const listing = (edit: (text: string) => string): Change => edited("files.txt", edit);

export const added = (name: string, text: string): Change => (files) => [...files, [name, text]];

/** Events of that one text about every pod but the daemon's, instead of those that were captured. */
export const saying = (message: string | undefined, at: string): Change => (files) => {
  const { items } = JSON.parse(files.get("pods.json") ?? "{}") as { readonly items: readonly EditedPod[] };
  const events = message === undefined ? [] : items.filter((pod) => !isDaemon(pod)).map(({ metadata: { name, namespace, uid } }) => ({
    metadata: { uid: `event of ${uid}`.replaceAll(" ", "-"), namespace, creationTimestamp: at }, involvedObject: { kind: "Pod", namespace, name, uid }, reason: "FailedCreatePodSandBox", message, type: "Warning", count: 1, firstTimestamp: at, lastTimestamp: at, source: { component: "kubelet", host: "node-1" },
  }));
  return new Map([...files, ["events.json", JSON.stringify({ items: events })]]);
};
