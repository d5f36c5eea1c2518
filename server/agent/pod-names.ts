import type { SandboxReading } from "../domain/agent-report";
import { reasonOf, type HostFs } from "./host-fs";
import type { RunningContainer, RuntimeLook } from "./runtime";

/** A pod on this node, as far as it has a name here. */
export interface NamedPod {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** Names of this node's pods and containers, for what is only known by ids. */
export interface PodNames {
  readonly pods: readonly NamedPod[];
  container(id: string): { readonly name: string; readonly podUid?: string; readonly createdMs?: number } | undefined;
  pod(uid: string): NamedPod | undefined;
}

export type PodNamesLook = ({ readonly looked: true } & PodNames) | { readonly looked: false; readonly reason: string };

const POD_LOGS = "/var/log/pods";
const CONTAINER_LOGS = "/var/log/containers";
/** "kube-system_kube-multus-ds-abcde_<uid>": neither part may hold the character between them. */
const POD_FOLDER = /^([^_]{1,63})_([^_]{1,253})_([0-9a-zA-Z-]{1,64})$/;
/** "<pod>_<namespace>_<container>-<id>.log", as the kubelet has named its links since long. */
const CONTAINER_LINK = /^([^_]{1,253})_([^_]{1,63})_(.{1,253})-([0-9a-f]{64})\.log$/;
const MAX_NAMES = 8_192;

/**
 * By the runtime's lists; where they could not be had (no right to its socket, a runtime that hangs), by the names of the folders and
 * links that the kubelet keeps for logs.
 */
export async function podNames(fs: HostFs, { sandboxes, containers }: Pick<RuntimeLook, "sandboxes" | "containers">): Promise<PodNamesLook> {
  if (sandboxes.looked && containers.looked) return { looked: true, ...fromRuntime(sandboxes.items, containers.items) };
  try {
    const logs = await fromLogs(fs);
    if (logs !== undefined) return { looked: true, ...logs };
  } catch (error) {
    return { looked: false, reason: `${POD_LOGS}: ${reasonOf(error)}` };
  }
  const reason = sandboxes.looked ? (containers.looked ? "" : containers.reason) : sandboxes.reason;
  return { looked: false, reason: `pods have no names here: ${reason}, and there is no ${POD_LOGS}` };
}

function fromRuntime(sandboxes: readonly SandboxReading[], containers: readonly RunningContainer[]): PodNames {
  const pods = new Map<string, NamedPod>();
  const bySandbox = new Map<string, SandboxReading>();
  for (const sandbox of sandboxes) {
    bySandbox.set(sandbox.id, sandbox);
    if (sandbox.ready) pods.set(sandbox.uid, sandbox);
  }
  const byId = new Map(containers.map((container) => [container.id, container]));
  return {
    pods: [...pods.values()].map(({ namespace, name, uid }) => ({ namespace, name, uid })),
    pod: (uid) => pods.get(uid),
    container: (id) => {
      const found = byId.get(id);
      if (found === undefined) return undefined;
      const podUid = bySandbox.get(found.sandboxId)?.uid;
      return { name: found.name, ...(podUid === undefined ? {} : { podUid }), ...(found.createdMs === undefined ? {} : { createdMs: found.createdMs }) };
    },
  };
}

async function fromLogs(fs: HostFs): Promise<PodNames | undefined> {
  const folders = await fs.list(POD_LOGS);
  if (folders === undefined) return undefined;
  const pods = new Map<string, NamedPod>();
  for (const { name: folder } of folders.slice(0, MAX_NAMES)) {
    const [, namespace, name, uid] = POD_FOLDER.exec(folder) ?? [];
    if (namespace !== undefined && name !== undefined && uid !== undefined) pods.set(uid, { namespace, name, uid });
  }
  const containers = new Map<string, string>();
  for (const { name: link } of ((await fs.list(CONTAINER_LOGS)) ?? []).slice(0, MAX_NAMES)) {
    const [, , , name, id] = CONTAINER_LINK.exec(link) ?? [];
    if (name !== undefined && id !== undefined) containers.set(id, name);
  }
  return {
    pods: [...pods.values()],
    pod: (uid) => pods.get(uid),
    container: (id) => {
      const name = containers.get(id);
      return name === undefined ? undefined : { name };
    },
  };
}
