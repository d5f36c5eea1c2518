import { installerCommand } from "../model/installer";
import { CNI_CONTAINER, CNI_GRACE_MS, CNI_INIT_CONTAINER, type DaemonTemplate } from "../model/pods";
import { record, resourcesJson } from "./resources";

const HOST_FOLDERS = [
  ["cni", "/etc/cni/net.d", "/host/etc/cni/net.d"],
  ["cnibin", "/opt/cni/bin", "/opt/cni/bin"],
  ["host-run", "/run", "/host/run"],
  ["host-var-lib-cni-multus", "/var/lib/cni/multus", "/var/lib/cni/multus"],
  ["host-run-netns", "/run/netns/", "/run/netns"],
  ["hostroot", "/", "/hostroot"],
] as const;

/** The pod of the CNI daemon as its DaemonSet describes it: a thick daemon, its installer, the host's folders. */
export function daemonPodSpec({ image, resources, installer, initLimited }: DaemonTemplate): Record<string, unknown> {
  const terminationMessages = { terminationMessagePath: "/dev/termination-log", terminationMessagePolicy: "FallbackToLogsOnError" };
  return {
    containers: [
      {
        name: CNI_CONTAINER,
        image,
        imagePullPolicy: "IfNotPresent",
        command: ["/usr/src/multus-cni/bin/multus-daemon"],
        env: [{ name: "MULTUS_NODE_NAME", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "spec.nodeName" } } }],
        resources: resourcesJson(resources),
        securityContext: { privileged: true },
        ...terminationMessages,
        volumeMounts: [...HOST_FOLDERS.map(([name, , mountPath]) => ({ name, mountPath })), { name: "multus-daemon-config", mountPath: "/etc/cni/net.d/multus.d", readOnly: true }],
      },
    ],
    initContainers: [
      {
        name: CNI_INIT_CONTAINER,
        image,
        imagePullPolicy: "IfNotPresent",
        command: installerCommand(installer),
        resources: { requests: { cpu: "10m", memory: "15Mi" }, ...(initLimited ? { limits: { cpu: "100m", memory: "50Mi" } } : {}) },
        securityContext: { privileged: true },
        ...terminationMessages,
        volumeMounts: [{ name: "cnibin", mountPath: "/host/opt/cni/bin", mountPropagation: "Bidirectional" }],
      },
    ],
    dnsPolicy: "ClusterFirst",
    hostNetwork: true,
    hostPID: true,
    restartPolicy: "Always",
    schedulerName: "default-scheduler",
    securityContext: {},
    serviceAccount: "multus",
    serviceAccountName: "multus",
    terminationGracePeriodSeconds: CNI_GRACE_MS / 1_000,
    tolerations: [{ effect: "NoSchedule", operator: "Exists" }, { effect: "NoExecute", operator: "Exists" }],
    volumes: [
      ...HOST_FOLDERS.map(([name, path]) => ({ name, hostPath: { path, type: "" } })),
      { name: "multus-daemon-config", configMap: { name: "multus-daemon-config", defaultMode: 420, items: [{ key: "daemon-config.json", path: "daemon-config.json" }] } },
    ],
  };
}

/** Fields of the template that the model knows, of the daemon and of its installer. */
const MODELLED = ["image", "command", "resources"];

/** The pod of a template that clients may have changed, with what the model says of it now. */
export function changedPodSpec(stored: Readonly<Record<string, unknown>>, template: DaemonTemplate): Record<string, unknown> {
  const rendered = daemonPodSpec(template);
  const changed = (list: "containers" | "initContainers"): readonly unknown[] =>
    arrayOf(stored[list]).map((container) => {
      const own = record(arrayOf(rendered[list]).find((one) => record(one)["name"] === record(container)["name"]));
      return { ...record(container), ...Object.fromEntries(Object.entries(own).filter(([key]) => MODELLED.includes(key))) };
    });
  return { ...stored, containers: changed("containers"), initContainers: changed("initContainers") };
}

const arrayOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as readonly unknown[]) : []); // an array, just checked
