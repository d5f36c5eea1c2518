import { MAX_CGROUPS, type ContainerCgroup, type LaterParts } from "../../domain/agent-readings";
import { capText } from "../../domain/agent-report";
import { idText, nameText, timeMs, told } from "../bounds";
import { reasonOf } from "../host-fs";
import type { NamedPod, PodNames, PodNamesLook } from "../pod-names";
import { cniOf, isSystemDaemon } from "../whose-pod";
import { findHierarchy, rootedAtPods, type Hierarchy } from "./hierarchy";
import { listContainers, listPods } from "./pod-cgroups";
import { hasMemoryLimit, readContainer } from "./read-container";

export interface CgroupReader {
  /** `cniDaemonSets`: those that the server named beside the known ones. */
  look(names: PodNamesLook, cniDaemonSets: readonly string[]): Promise<NonNullable<LaterParts["cgroups"]>>;
}

interface WantedPod extends NamedPod {
  readonly cni?: string;
}

/** `root`: where cgroups are mounted. `clockMs`: the node's clock, by which rates are told. */
export function cgroupReader(root: string, clockMs: () => number): CgroupReader {
  let hierarchy: Hierarchy | undefined;
  let paths: ReadonlyMap<string, string> = new Map();

  return {
    look: async (names, cniDaemonSets) => {
      if (!names.looked) return { looked: false, reason: capText(names.reason) };
      hierarchy ??= await hierarchyAt(root);
      if (hierarchy === undefined) return { looked: false, reason: `no cgroups of pods below ${root}` };
      const wanted = wantedPods(names.pods, cniDaemonSets);
      if (wanted.some(({ uid }) => !paths.has(uid))) paths = await listPods(topOf(hierarchy));
      const readMs = timeMs(clockMs());
      const items: ContainerCgroup[] = [];
      let failure: string | undefined;
      for (const pod of wanted) {
        const path = paths.get(pod.uid);
        if (path === undefined) continue; // a pod that has no container yet, or ends
        if (items.length > MAX_CGROUPS) break;
        try {
          items.push(...(await readPod(hierarchy, path, pod, names)));
        } catch (error) {
          failure = `${pod.namespace}/${pod.name}: ${reasonOf(error)}`; // the others can still be read
        }
      }
      if (items.length === 0 && failure !== undefined) return { looked: false, reason: capText(failure) };
      // A node's cgroups can be mounted anew, as after a change of the kubelet's root: found again where nothing was.
      if (items.length === 0 && wanted.length > 0) hierarchy = undefined;
      return { looked: true, items: items.slice(0, MAX_CGROUPS), ...told({ readMs }), ...(items.length > MAX_CGROUPS ? { truncated: true } : {}) };
    },
  };
}

const topOf = (hierarchy: Hierarchy): string => (hierarchy.version === 2 ? hierarchy.unified : hierarchy.cpu);

async function readPod(hierarchy: Hierarchy, path: string, pod: WantedPod, names: PodNames): Promise<readonly ContainerCgroup[]> {
  const podMemoryLimited = await hasMemoryLimit(hierarchy, path);
  const items: ContainerCgroup[] = [];
  for (const [id, at] of await listContainers(topOf(hierarchy), path)) {
    const container = names.container(id);
    if (container === undefined) continue; // the sandbox's own, or one that has just begun
    const figures = await readContainer(hierarchy, at);
    if (figures === undefined) continue; // ended meanwhile
    items.push({
      namespace: nameText(pod.namespace),
      pod: nameText(pod.name),
      podUid: idText(pod.uid),
      container: nameText(container.name),
      containerId: id,
      cgroupVersion: hierarchy.version,
      ...figures,
      ...told({ startedMs: container.createdMs === undefined ? undefined : timeMs(container.createdMs), cni: pod.cni, podMemoryLimited }),
    });
  }
  return items;
}

async function hierarchyAt(root: string): Promise<Hierarchy | undefined> {
  const mounted = await findHierarchy(root);
  return mounted === undefined ? undefined : rootedAtPods(mounted);
}

/** CNI daemons first: they may not be cut. */
function wantedPods(pods: readonly NamedPod[], cniDaemonSets: readonly string[]): readonly WantedPod[] {
  const daemons: WantedPod[] = [];
  const others: WantedPod[] = [];
  for (const pod of pods) {
    const cni = cniOf(pod.namespace, pod.name, cniDaemonSets);
    if (cni !== undefined) daemons.push({ ...pod, cni });
    else if (isSystemDaemon(pod.namespace, pod.name)) others.push(pod);
  }
  return [...daemons, ...others];
}
