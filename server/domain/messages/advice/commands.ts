import type { AdviceInput } from "./types";

/** Labels that the projects' own manifests give the daemon's pods. */
const SELECTORS: Readonly<Record<string, string>> = {
  multus: "app=multus",
  cilium: "k8s-app=cilium",
  calico: "k8s-app=calico-node",
  flannel: "app=flannel",
  "kube-ovn": "app=kube-ovn-cni",
  "ovn-k": "app=ovnkube-node",
  antrea: "component=antrea-agent",
  aws: "k8s-app=aws-node",
  azure: "k8s-app=azure-cns",
  whereabouts: "app=whereabouts",
  weave: "name=weave-net",
  kindnet: "k8s-app=kindnet",
  spiderpool: "app.kubernetes.io/component=spiderpool-agent",
};

/** Controllers that give a pod its address or its port. */
const CONTROLLERS: Readonly<Record<string, string>> = {
  "kube-ovn": "kubectl -n kube-system logs deploy/kube-ovn-controller --tail=200",
  "ovn-k": "kubectl get pods -A -l 'app in (ovnkube-control-plane,ovnkube-master)' -o wide",
  cilium: "kubectl -n kube-system logs deploy/cilium-operator --tail=200",
  calico: "kubectl get clusterinformation.crd.projectcalico.org default -o yaml   (datastoreReady)",
  antrea: "kubectl -n kube-system logs deploy/antrea-controller --tail=200",
  azure: "kubectl get nodenetworkconfigs -A",
  aws: "kubectl get cninode NODE -o yaml",
  flannel: "kubectl get node NODE -o jsonpath='{.spec.podCIDR}'",
};

/** "the multus daemon", "the CNI daemon". */
export const daemonName = ({ plugin }: AdviceInput): string => (SELECTORS[plugin] === undefined ? "the CNI daemon" : `the ${plugin} daemon`);

export const daemonPods = ({ plugin }: AdviceInput): string => {
  const selector = SELECTORS[plugin];
  return selector === undefined ? "kubectl get pods -A -o wide --field-selector spec.nodeName=NODE   (the CNI's DaemonSet: ready, restarts, last state)" : `kubectl get pods -A -l ${selector} -o wide --field-selector spec.nodeName=NODE   (ready, restarts)`;
};

export const daemonLastState = ({ plugin }: AdviceInput): string => {
  const selector = SELECTORS[plugin];
  return `kubectl get pods -A ${selector === undefined ? "" : `-l ${selector} `}--field-selector spec.nodeName=NODE -o jsonpath='{range .items[*].status.containerStatuses[*]}{.name}{" "}{.restartCount}{" "}{.lastState.terminated.reason}{"\\n"}{end}'`;
};

export const daemonLogs = ({ plugin }: AdviceInput): string => {
  const selector = SELECTORS[plugin];
  return selector === undefined ? "kubectl -n NAMESPACE logs POD --all-containers --previous   (the CNI daemon's pod on this node)" : `kubectl logs -n NAMESPACE -l ${selector} --all-containers --tail=200   (of the pod on this node; --previous after a restart)`;
};

export const controllerLook = ({ plugin }: AdviceInput): string => CONTROLLERS[plugin] ?? "Logs of the network's controller or operator, and whether its pods are ready";

export const binDir = ({ facts }: AdviceInput): string => facts.binDirs?.[0] ?? "/opt/cni/bin";
