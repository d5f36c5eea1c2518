import { cniDaemonOf, type CniDaemon } from "../../cni-daemons";
import { daemonView } from "../../daemon-views";
import { containerInstance } from "../../node-window";
import type { ContainerTermination, DaemonPodDetail, DaemonSetObject, PodObject } from "../../model";
import { daemonSet, namespace, objectName, secondsAgo, startedPod } from "../../testing/builders";
import { DEFAULT_RESOURCES } from "./resources";
import type { InputParts } from "./input";

export const MULTUS_POD = "kube-multus-ds-abc";
export const MULTUS = containerInstance(MULTUS_POD, "kube-multus");

/** The DaemonSet of thick multus as its own manifest has it. */
export const multusDaemonSet = (over: Partial<DaemonSetObject> = {}): DaemonSetObject => daemonSet({ hostPaths: ["/etc/cni/net.d", "/opt/cni/bin", "/", "/run", "/var/lib/cni/multus"], ...over });

/** What the API tells of its pod on the node: ready and running for an hour, with what the test says. */
export const detail = (over: Partial<DaemonPodDetail> = {}): DaemonPodDetail => ({
  containers: DEFAULT_RESOURCES,
  restarts: 0,
  ready: true,
  readySinceMs: secondsAgo(3_600),
  running: [{ container: "kube-multus", init: false, sinceMs: secondsAgo(3_600) }],
  terminations: [{ container: "install-multus-binary", init: true, reason: "Completed", exitCode: 0, finishedMs: secondsAgo(3_601) }],
  waitingReasons: [],
  ...over,
});

/** It is down: nothing of it runs, since so many seconds. */
export const down = (seconds: number, over: Partial<DaemonPodDetail> = {}): DaemonPodDetail => detail({ ready: false, readySinceMs: secondsAgo(seconds), running: [], ...over });

export const ended = (over: Partial<ContainerTermination> = {}): ContainerTermination => ({ container: "kube-multus", init: false, reason: "Error", exitCode: 1, finishedMs: secondsAgo(20), ...over });

export function daemonPod(of: DaemonPodDetail, over: Partial<PodObject> = {}): PodObject {
  return startedPod(secondsAgo(3_600), { uid: "multus-uid", namespace: namespace("kube-system"), name: objectName(MULTUS_POD), owner: "DaemonSet/kube-multus-ds", hostNetwork: true, system: true, createdMs: secondsAgo(3_700), daemon: of, ...over });
}

function known(one: DaemonSetObject): CniDaemon {
  const daemon = cniDaemonOf(one, []);
  if (daemon === undefined) throw new Error(`${one.name} is no CNI daemon`);
  return daemon;
}

/** The part of an input that tells of CNI daemons: their DaemonSets, their pods on this node and the views of those. */
export function daemons(pods: readonly PodObject[], daemonSets: readonly DaemonSetObject[] = [multusDaemonSet()], oomKillsMs: readonly number[] = []): Pick<InputParts, "pods" | "daemons" | "cniDaemons" | "daemonSets"> & { readonly pods: ReadonlyMap<string, PodObject> } {
  const cniDaemons = daemonSets.map(known);
  return {
    pods: new Map(pods.map((pod) => [pod.uid, pod])),
    cniDaemons,
    daemonSets,
    daemons: pods.flatMap((pod) => {
      const daemon = cniDaemons.find((one) => pod.owner === `DaemonSet/${one.daemonSet.name}`);
      return daemon === undefined || pod.deleting ? [] : [daemonView(pod, daemon, oomKillsMs)];
    }),
  };
}

/** One multus pod on the node; other pods of the node beside it. */
export function multus(of: DaemonPodDetail = detail(), rest: { readonly pod?: Partial<PodObject>; readonly others?: Iterable<PodObject>; readonly daemonSet?: Partial<DaemonSetObject>; readonly oomKillsMs?: readonly number[] } = {}): ReturnType<typeof daemons> {
  return daemons([daemonPod(of, rest.pod), ...(rest.others ?? [])], [multusDaemonSet(rest.daemonSet)], rest.oomKillsMs);
}
