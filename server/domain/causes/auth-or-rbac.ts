import { saidByPods } from "./said-by-pods";
import type { Cause } from "./types";

export const authOrRbac: Cause = {
  code: "auth-or-rbac",
  title: "The network's credentials are refused",
  severity: "blocks",
  meaning:
    "A plugin or daemon of the network asks the API server with credentials that are expired, revoked or too weak: the token in a kubeconfig beside the CNI config (multus.kubeconfig, calico-kubeconfig) ran out because the daemon that renews it was down, the cluster's authority was renewed, or a role is missing.",
  impact: "Pods wait although everything runs. With a token that runs out it begins without any change, and on the nodes one after the other.",
  checks: [
    "Texts of waiting pods: Unauthorized, forbidden, or a certificate that is expired or signed by an unknown authority, once a pod has waited for 30 s.",
  ],
  lookAlikes: [
    { code: "apiserver-unreachable", tells: "There no answer comes; here it comes and is a refusal." },
    { code: "host-permission-or-mount", tells: "There the node's own kernel refuses (permission denied), not the API server." },
    { code: "nad-missing", tells: "There multus was allowed to look, and the attachment does not exist." },
  ],
  mitigation: [
    "Which kubeconfig: `ls -la /etc/cni/net.d /etc/cni/net.d/multus.d`. When does its token end: `awk '/token:/{print $2}' FILE | cut -d. -f2 | base64 -d 2>/dev/null | grep -o '\"exp\":[0-9]*'`.",
    "An expired token: restart the daemon that writes the file on this node; it makes a new one at its start.",
    "`forbidden` names user, verb and resource: compare with the ClusterRole of the CNI's manifest (`kubectl auth can-i VERB RESOURCE --as=USER`). An upgrade of the CNI without its new role is the usual reason.",
    "`x509` after the authority was renewed: restart the daemons of the CNI on all nodes, so that their kubeconfigs hold the new one. A wrong clock on the node gives the same text.",
  ],
  actions: ["restart-daemon-pod"],
  explains: [],
  check: (input) => saidByPods(input, "auth-or-rbac", { says: "say that the API server refuses the network's credentials." }),
};
