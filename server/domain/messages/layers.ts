/** Whose sentence wraps the next, and the pieces by which each is known. Outermost first, as they nest. */
export interface LayerMark {
  readonly who: string;
  readonly op?: "add" | "del";
  readonly marks: readonly string[];
}

/**
 * The frames of a sandbox error: each program adds its own sentence before the error that it got. Marks are pieces of their
 * format strings; `op` where the frame itself tells whether a sandbox was being made or ended.
 */
export const LAYER_MARKS: readonly LayerMark[] = [
  { who: "kubelet", op: "add", marks: ["failed to create pod sandbox", "failed create pod sandbox", "runpodsandbox", "createpodsandbox", "failed to create sandbox for pod", "failed to create a sandbox for pod", 'failed to "setupnetwork"'] },
  {
    who: "kubelet",
    op: "del",
    marks: ["error killing pod", "killpodsandbox", "stoppodsandbox", "removepodsandbox", "failed to stop sandbox", "failed to remove sandbox", "stopping the pod sandbox", "removing the pod sandbox", "killpodwithsyncresult", 'failed to "teardownnetwork"'],
  },
  { who: "kubelet", marks: ["error syncing pod", "network is not ready", "container runtime network not ready", "skipping pod synchronization"] },
  { who: "containerd", op: "add", marks: ["failed to setup network for sandbox", "failed to reserve sandbox name", "failed to start sandbox", "failed to create containerd"] },
  { who: "containerd", op: "del", marks: ["failed to destroy network for sandbox", "failed to stop container", "failed to forcibly stop sandbox"] },
  { who: "dockershim", op: "add", marks: ["failed to set up sandbox container", "failed to set up pod", "failed to setup network for pod"] },
  { who: "dockershim", op: "del", marks: ["failed to clean up sandbox container", "failed to teardown pod", "failed to tear down pod"] },
  { who: "cri-o", op: "add", marks: ["failed to create pod network sandbox", "failed to create pod network for sandbox", "error reserving pod name", "error adding pod", "failed to get network status for pod sandbox"] },
  { who: "cri-o", op: "del", marks: ["network teardown failed for pod sandbox", "error removing pod", "stop pod network", "failed to destroy pod network", "failed to destroy network for pod sandbox", "error stopping network on cleanup"] },
  { who: "libcni", op: "add", marks: ["failed (add)", "cni add", '"addnetworklist"'] },
  { who: "libcni", op: "del", marks: ["failed (delete)", "failed (del)", "cni del", "error deleting network", "error deleting pod", "delnetworklist", "from delnetwork"] },
  { who: "libcni", marks: ["netplugin failed"] },
  { who: "multus-shim", op: "add", marks: ["cmdadd (shim)"] },
  { who: "multus-shim", op: "del", marks: ["cmddel (shim)"] },
  { who: "multus", op: "add", marks: ["error adding container to network", "error configuring pod [", "delegateadd", "confadd", "conflistadd", "delegate add", "error in getting result from addnetwork"] },
  { who: "multus", op: "del", marks: ["delegatedel", "confdel", "conflistdel", "delegate del"] },
  { who: "multus", marks: ["multus: [", "errored:", "multus:"] },
  { who: "shim", marks: ["cni request failed with status", "unexpected cni response status"] },
  { who: "aws-cni", op: "add", marks: ["add cmd:", "addnetwork grpc call"] },
  { who: "aws-cni", op: "del", marks: ["del cmd:", "delnetwork grpc call"] },
  { who: "cilium-cni", marks: ["unable to connect to cilium daemon", "unable to create endpoint", "unable to allocate ip via local cilium agent"] },
  { who: "kube-ovn", op: "add", marks: ["request ip return"] },
  { who: "kube-ovn", op: "del", marks: ["delete ip return"] },
];

export const ALL_LAYER_MARKS: readonly string[] = LAYER_MARKS.flatMap(({ marks }) => marks);
