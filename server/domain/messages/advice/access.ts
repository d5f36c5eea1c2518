import { command, daemonLogs, onNode } from "./commands";
import type { Adviser } from "./types";

export const apiUnreachable: Adviser = (input) => ({
  lookAt: [
    onNode("curl -k https://SERVICE-ADDRESS:443/readyz", "the address of the Service kubernetes; then the same with the API server's own address: only the first failing means kube-proxy or its replacement"),
    command("kubectl get --raw='/readyz?verbose'", "and etcd's latency"),
    "Whether other nodes meet the same",
    daemonLogs(input),
  ],
  fix: ["Make the way to the API server work: Service routing on the node (kube-proxy, or the CNI that replaces it), DNS, firewall, or the API server itself.", "A daemon whose caches never filled at its start may need a restart afterwards."],
});

export const auth: Adviser = (input) => ({
  lookAt: [
    "What the API server refused: the text names user, verb and resource, or the certificate's dates",
    command("kubectl auth can-i VERB RESOURCE --as=system:serviceaccount:NAMESPACE:NAME"),
    ...(input.plugin === "multus" ? [onNode("ls -l /etc/cni/net.d/multus.d/multus.kubeconfig", "age of the token that the plugin uses")] : []),
    ...(input.plugin === "calico" ? [onNode("ls -l /etc/cni/net.d/calico-kubeconfig", "calico-node renews its token")] : []),
    "Clock of the node; dates of the certificates (`openssl x509 -noout -dates -in FILE`)",
  ],
  fix: ["Forbidden: give the account the missing right. Unauthorized: let the daemon write a fresh token (restart its pod on this node). Certificate: renew it, then restart what still holds the old one."],
});

export const undecided: Adviser = (input) => {
  if (input.detail === "deadline") {
    return {
      lookAt: [
        "Who was slow is not in the text: a deadline ran out, of the kubelet (2 × runtimeRequestTimeout for a sandbox) or of whoever called",
        onNode("journalctl -u containerd -u crio --since -10min", "the runtime's log of that minute names the plugin that was still running"),
        "The CNI daemon: throttled, out of memory, or not answering on its socket",
        onNode("time crictl pods; iostat -x 1 5", "runtime and disk"),
      ],
      fix: [],
    };
  }
  if (input.detail === "plugin-died") {
    return {
      lookAt: [
        onNode("dmesg | tail -50", "the plugin ended without an answer: out of memory, segfault"),
        onNode("journalctl -u containerd -u crio --since -10min", "the same second"),
        "Limits of processes and memory around it: the runtime's, or the daemon's container when multus called it",
      ],
      fix: [],
    };
  }
  return { lookAt: ["Events and the runtime's log of the same minute say more; the innermost error is the last one after a colon."], fix: [] };
};

export const notCni: Adviser = () => ({
  lookAt: [command("kubectl -n NAMESPACE describe pod POD", "events before this one"), onNode("journalctl -u containerd -u crio --since -10min")],
  fix: ["The network has no part in it: mend the image, the volume, the control group or the limit that the text names."],
});

export const bug: Adviser = () => ({
  lookAt: ["The program's version, and its release notes for this symptom", "The whole stack trace in its log"],
  fix: ["Upgrade or go back to a version without it. A restart helps until the same input comes again."],
});
