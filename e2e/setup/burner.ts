/**
 * A throttled share that only a container which always wants more than its limit comes to. It is not near 1: the kernel
 * lets a loop overrun its quota by up to a tick and takes it back from the next periods, which then count as not
 * throttled (seen between 0.75 and 0.95 on an idle machine of two cores).
 */
export const BURNING_SHARE = 0.5;

/** A DaemonSet that Sandglass takes for a CNI daemon by its mount of the conf dir, and whose `burn` always wants more CPU than its limit of 100m. */
export const burner = (name: string, over: { readonly hostNetwork?: boolean } = {}): string =>
  JSON.stringify({
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: { name, namespace: "kube-system" },
    spec: {
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: {
          ...over,
          terminationGracePeriodSeconds: 0,
          tolerations: [{ operator: "Exists" }],
          containers: [{
            name: "burn", image: "localhost/busybox:1", imagePullPolicy: "Never", command: ["sh", "-c", "while :; do :; done"],
            resources: { limits: { cpu: "100m", memory: "64Mi" }, requests: { cpu: "10m", memory: "16Mi" } },
            volumeMounts: [{ name: "conf", mountPath: "/host/etc/cni/net.d" }],
          }],
          volumes: [{ name: "conf", hostPath: { path: "/etc/cni/net.d" } }],
        },
      },
    },
  });
