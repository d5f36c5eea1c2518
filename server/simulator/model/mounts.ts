import { RUN_DIR, SOCKET_PATH, type NodeFiles } from "./files";
import type { NodeHost } from "./host";
import type { HostMount, PodRecord } from "./records";

/** Inode of what stands at a path of the node, as far as the model follows it. */
export function inodeAt({ socket }: NodeFiles, hostPath: string): number | undefined {
  if (hostPath === SOCKET_PATH) return socket?.file.inode;
  return hostPath === RUN_DIR ? socket?.folder.inode : undefined;
}

/** Whether a mount still shows what stands at its path; one that never met anything shows nothing. */
export const isStale = (mount: HostMount, files: NodeFiles): boolean => mount.inode !== undefined && mount.inode !== inodeAt(files, mount.hostPath);

/** A container is made: its mounts take what stands at their paths now. */
export function mountNow(pod: PodRecord, files: NodeFiles, host: NodeHost): void {
  for (const mount of pod.mounts) {
    mount.inode = inodeAt(files, mount.hostPath);
    mount.pid = host.newPid();
  }
}
