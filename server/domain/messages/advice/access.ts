import { daemonLogs } from "./commands";
import type { Adviser } from "./types";

export const apiUnreachable: Adviser = (input) => ({
  lookAt: [
    "On the node: curl -k https://KUBERNETES-SERVICE-ADDRESS:443/readyz   (the Service address) and the same to the API server's own address: only the first failing means kube-proxy or its replacement",
    "kubectl get --raw='/readyz?verbose'; etcd's latency",
    "Whether other nodes meet the same",
    daemonLogs(input),
  ],
  fix: ["Make the way to the API server work: Service routing on the node (kube-proxy, or the CNI that replaces it), DNS, firewall, or the API server itself.", "A daemon whose caches never filled at its start may need a restart afterwards."],
});

export const auth: Adviser = (input) => ({
  lookAt: [
    "What the API server refused: the text names user, verb and resource, or the certificate's dates",
    "kubectl auth can-i VERB RESOURCE --as=system:serviceaccount:NAMESPACE:NAME",
    ...(input.plugin === "multus" ? ["On the node: /etc/cni/net.d/multus.d/multus.kubeconfig   (age of the token that the plugin uses)"] : []),
    ...(input.plugin === "calico" ? ["On the node: /etc/cni/net.d/calico-kubeconfig   (calico-node renews its token)"] : []),
    "Clock of the node; dates of the certificates (openssl x509 -noout -dates)",
  ],
  fix: [
    "Forbidden: give the account the missing right. Unauthorized: let the daemon write a fresh token (restart its pod on this node). Certificate: renew it, then restart what still holds the old one.",
  ],
});

export const undecided: Adviser = (input) => {
  if (input.detail === "deadline") {
    return {
      lookAt: [
        "Who was slow is not in the text: the kubelet's own deadline (2 × runtimeRequestTimeout for a sandbox) ran out",
        "The runtime's log of the same minute (journalctl -u containerd, -u crio): it names the plugin that was still running",
        "The CNI daemon: throttled, out of memory, or not answering on its socket",
        "Disk and runtime: crictl pods answers at once or not; iostat -x",
      ],
      fix: [],
    };
  }
  if (input.detail === "plugin-died") {
    return { lookAt: ["The plugin ended without an answer: on the node dmesg (out of memory, segfault), and the runtime's log of the same second", "Limits of processes and memory around it (the runtime's cgroup, or the daemon's container when multus called it)"], fix: [] };
  }
  return { lookAt: ["The text does not decide. Events and the runtime's log of the same minute say more; the innermost error is the last one after a colon."], fix: [] };
};

export const notCni: Adviser = () => ({
  lookAt: ["kubectl describe pod POD   (events before this one)", "On the node: journalctl -u containerd (or crio) of the same minute"],
  fix: ["The network has no part in it: mend the image, the volume, the control group or the limit that the text names."],
});

export const bug: Adviser = () => ({
  lookAt: ["The program's version, and its release notes for this symptom", "The whole stack trace in its log"],
  fix: ["Upgrade or go back to a version without it. A restart helps until the same input comes again."],
});
