import { foldersIn } from "./hierarchy";

/** Which of a pod's classes it lies under: a guaranteed pod lies beside the folders of the other two. */
const CLASS = /^(?:[a-z0-9-]*kubepods-)?(?:burstable|besteffort)(?:\.slice)?$/;
const POD = /pod([0-9a-f]{8}[-_][0-9a-f]{4}[-_][0-9a-f]{4}[-_][0-9a-f]{4}[-_][0-9a-f]{12}|[0-9a-f]{32})(?:\.slice)?$/;
/** The id, after what the runtime puts before it: "cri-containerd-<id>.scope". CRI-O's monitor has a scope of its own. */
const CONTAINER = /^(?!crio-conmon-)(?:[a-z-]+-)?([0-9a-f]{64})(?:\.scope)?$/;
const MAX_PODS = 2_048;

/** The cgroups of all pods by uid, relative to the folder of all pods. */
export async function listPods(top: string): Promise<ReadonlyMap<string, string>> {
  const pods = new Map<string, string>();
  const take = (folder: string, name: string): void => {
    const uid = POD.exec(name)?.[1]?.replaceAll("_", "-");
    if (uid !== undefined && pods.size < MAX_PODS) pods.set(uid, `${folder}/${name}`);
  };
  for (const name of await foldersIn(top)) {
    if (CLASS.test(name)) for (const inner of await foldersIn(`${top}/${name}`)) take(`/${name}`, inner);
    else take("", name);
  }
  return pods;
}

/** The cgroups of one pod's containers by id. */
export async function listContainers(top: string, pod: string): Promise<ReadonlyMap<string, string>> {
  const containers = new Map<string, string>();
  for (const name of await foldersIn(top + pod)) {
    const id = CONTAINER.exec(name)?.[1];
    if (id !== undefined) containers.set(id, `${pod}/${name}`);
  }
  return containers;
}
