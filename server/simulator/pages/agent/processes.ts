import type { LaterParts, PluginProcess, StaleMount } from "../../../domain/agent-readings";
import { MAX_PLUGIN_PROCESSES } from "../../../domain/agent-readings";
import { BIN_DIR, SOCKET_PATH } from "../../model/files";
import { inodeAt, isStale } from "../../model/mounts";
import type { NodeModel } from "../../model/node";
import type { HostMount, PodRecord } from "../../model/records";
import { SHIM } from "../../model/texts";

/** Device of /run, a file system in memory. */
const RUN_DEVICE = "0:25";

/** Live shims, oldest first. Delegates run in the daemon's own cgroup and end within moments; they are not told. */
export function processes(node: NodeModel): NonNullable<LaterParts["processes"]> {
  const standing = node.files.bin.get(SHIM)?.inode;
  const items = [...node.cni.shims.values()].map(
    ({ pid, startedMs, command, namespace, pod, podUid, sandboxId, inode }): PluginProcess => ({ pid, program: SHIM, path: `${BIN_DIR}/${SHIM}`, startedMs: Math.round(startedMs), state: "S", command, namespace, pod, podUid, sandboxId, replaced: inode !== standing }),
  );
  items.sort((a, b) => (a.startedMs ?? 0) - (b.startedMs ?? 0) || a.pid - b.pid);
  return { looked: true, items: items.slice(0, MAX_PLUGIN_PROCESSES), truncated: items.length > MAX_PLUGIN_PROCESSES };
}

/** Connections on the daemon's socket: those of live shims, and those whose shim is gone and which it has not given up. */
export function socketUse(node: NodeModel): NonNullable<LaterParts["socketUse"]> {
  if (node.daemon.state === "down") return { looked: true, items: [] };
  return { looked: true, items: [{ path: SOCKET_PATH, connections: node.daemon.connections, liveShims: node.cni.liveShims }] };
}

export function mounts(node: NodeModel): NonNullable<LaterParts["mounts"]> {
  const all = [...node.kubelet.pods.values()].filter(({ container }) => container.state === "running").flatMap((pod) => pod.mounts.map((mount) => ({ pod, mount })));
  const stale = all.filter(({ mount }) => isStale(mount, node.files)).map(({ pod, mount }) => staleMount(node, pod, mount));
  return { looked: true, stale, mountsSeen: all.filter(({ mount }) => mount.inode !== undefined).length };
}

function staleMount(node: NodeModel, pod: PodRecord, { hostPath, mountPath, kind, inode, pid }: HostMount): StaleMount {
  const host = inodeAt(node.files, hostPath);
  return {
    socketPath: SOCKET_PATH,
    mountPath,
    kind,
    pid: pid ?? 0,
    namespace: pod.namespace,
    pod: pod.name,
    podUid: pod.uid,
    container: pod.container.name,
    mountedInode: `${RUN_DEVICE}/${inode ?? 0}`,
    ...(host === undefined ? {} : { hostInode: `${RUN_DEVICE}/${host}` }),
    because: "deleted",
  };
}

/** Device and inode of the socket that stands at the path. */
export const socketInode = (node: NodeModel): { readonly inode?: string; readonly kind?: "socket" } => (node.files.socket === undefined ? {} : { inode: `${RUN_DEVICE}/${node.files.socket.file.inode}`, kind: "socket" });
