import type { AdviceInput } from "./types";

/** Labels that the projects' own manifests give the daemon's pods. A map, since a DaemonSet of any name may be the CNI. */
const SELECTORS: ReadonlyMap<string, string> = new Map(
  Object.entries({
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
  }),
);

/** A command in backticks, with what to see in what it prints. */
export const command = (text: string, note?: string): string => (note === undefined ? `\`${text}\`` : `\`${text}\` (${note})`);
/** The same for a command that runs on the node, not where kubectl runs. */
export const onNode = (text: string, note?: string): string => `On the node: ${command(text, note)}`;

/** What a name of a foreign text may hold to stand in a command that people paste into a shell. */
const SAFE = /^[\w./@:+-]{1,256}$/u;

/** The name itself, or the placeholder where it holds anything that a shell could read as more than a name. */
export const safe = (name: string | undefined, placeholder: string): string => (name !== undefined && SAFE.test(name) && !name.startsWith("-") ? name : placeholder);

/** Controllers that give a pod its address or its port. */
const CONTROLLERS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    "kube-ovn": command("kubectl -n kube-system logs deploy/kube-ovn-controller --tail=200"),
    "ovn-k": command("kubectl get pods -A -l 'app in (ovnkube-control-plane,ovnkube-master)' -o wide"),
    cilium: command("kubectl -n kube-system logs deploy/cilium-operator --tail=200"),
    calico: command("kubectl get clusterinformation.crd.projectcalico.org default -o yaml", "datastoreReady"),
    antrea: command("kubectl -n kube-system logs deploy/antrea-controller --tail=200"),
    azure: command("kubectl get nodenetworkconfigs -A"),
    aws: command("kubectl get cninode NODE -o yaml"),
    flannel: command("kubectl get node NODE -o jsonpath='{.spec.podCIDR}'"),
  }),
);

/** "the multus daemon", "the CNI daemon". */
export const daemonName = ({ plugin }: AdviceInput): string => (SELECTORS.get(plugin) === undefined ? "the CNI daemon" : `the ${plugin} daemon`);

export const daemonPods = ({ plugin }: AdviceInput): string => {
  const selector = SELECTORS.get(plugin);
  return selector === undefined
    ? command("kubectl get pods -A -o wide --field-selector spec.nodeName=NODE", "the CNI's DaemonSet: ready, restarts, last state")
    : command(`kubectl get pods -A -l ${selector} -o wide --field-selector spec.nodeName=NODE`, "ready, restarts");
};

export const daemonLastState = ({ plugin }: AdviceInput): string => {
  const selector = SELECTORS.get(plugin);
  return command(
    `kubectl get pods -A ${selector === undefined ? "" : `-l ${selector} `}--field-selector spec.nodeName=NODE -o jsonpath='{range .items[*].status.containerStatuses[*]}{.name}{" "}{.restartCount}{" "}{.lastState.terminated.reason}{"\\n"}{end}'`,
    "OOMKilled, exit codes",
  );
};

export const daemonLogs = ({ plugin }: AdviceInput): string => {
  const selector = SELECTORS.get(plugin);
  return selector === undefined
    ? command("kubectl -n NAMESPACE logs POD --all-containers --previous", "the CNI daemon's pod on this node")
    : command(`kubectl logs -n NAMESPACE -l ${selector} --all-containers --tail=200`, "of the pod on this node; --previous after a restart");
};

export const controllerLook = ({ plugin }: AdviceInput): string => CONTROLLERS.get(plugin) ?? "Logs of the network's controller or operator, and whether its pods are ready";
