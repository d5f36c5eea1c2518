/** Which container a process belongs to, out of the text of `/proc/PID/cgroup`: the runtimes put the ids into the path. */
export interface ContainerOf {
  readonly containerId?: string;
  readonly podUid?: string;
}

/** "cri-containerd-<id>.scope", "crio-<id>.scope", or the id alone; conmon has a scope of its own. */
const CONTAINER = /(?:^|[/-])([0-9a-f]{64})(?:\.scope)?(?:\/|$)/m;
/** systemd's slices have "_" where uids have "-"; static pods have a digest without either. */
const POD = /pod([0-9a-f]{8}[-_][0-9a-f]{4}[-_][0-9a-f]{4}[-_][0-9a-f]{4}[-_][0-9a-f]{12}|[0-9a-f]{32})(?:\.slice)?(?:\/|$)/m;

export function containerOf(text: string): ContainerOf {
  const container = CONTAINER.exec(text)?.[1];
  const pod = POD.exec(text)?.[1]?.replaceAll("_", "-");
  return { ...(container === undefined ? {} : { containerId: container }), ...(pod === undefined ? {} : { podUid: pod }) };
}
