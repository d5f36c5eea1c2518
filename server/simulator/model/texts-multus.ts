import type { PodRecord } from "./records";
import { netnsPath } from "./texts-plugins";

/** Texts of multus' daemon, from the inside out; which words are whose stands in its sources and in recorded events. */
export const multusError = ({ namespace, name, uid }: PodRecord, error: string): string => `Multus: [${namespace}/${name}/${uid}]: ${error}`;

export const multusNetworkError = ({ namespace, name, uid }: PodRecord, network: string, error: string): string =>
  `[${namespace}/${name}/${uid}:${network}]: error adding container to network "${network}": ${error}`;

export function attachmentMissing(key: string): string {
  const [namespace = "", name = ""] = key.split("/");
  return `cannot find a network-attachment-definition (${name}) in namespace (${namespace}): networkattachmentdefinition.k8s.cni.cncf.io "${name}" not found`;
}

export const brokenAttachment = (why: string): string =>
  `error loading k8s delegates k8s args: TryLoadPodDelegates: error in getting k8s network for pod: GetNetworkDelegates: failed getting the delegate: ${why}`;

/** The daemon's answer to a call that failed: its arguments, then the error. */
export function erroredPod(pod: PodRecord | undefined, sandboxId: string, error: string): string {
  const { namespace, name, uid } = pod ?? { namespace: "", name: "", uid: "" };
  const args = `IgnoreUnknown=1;K8S_POD_NAMESPACE=${namespace};K8S_POD_NAME=${name};K8S_POD_INFRA_CONTAINER_ID=${sandboxId};K8S_POD_UID=${uid}`;
  return `ContainerID:"${sandboxId}" Netns:"${netnsPath(sandboxId)}" IfName:"eth0" Args:"${args}" Path:"" ERRORED: error configuring pod [${namespace}/${name}] networking: ${error}\n`;
}
