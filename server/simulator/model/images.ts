/** What an image of the CNI daemon holds, by its tag: the model's registry. */
export const DAEMON_IMAGE = "registry.example/cni/multus-thick:4.3.1";

/** "4.3.1" of "registry.example/cni/multus-thick:4.3.1"; an image without such a tag counts as the newest. */
export const versionOf = (image: string): string => /:v?(\d+\.\d+\.\d+)$/.exec(image)?.[1] ?? NEWEST;
const NEWEST = "4.3.1";

const partsOf = (version: string): readonly number[] => version.split(".").map(Number);
function isAtLeast(version: string, wanted: string): boolean {
  const [own, other] = [partsOf(version), partsOf(wanted)];
  for (let i = 0; i < other.length; i++) if ((own[i] ?? 0) !== (other[i] ?? 0)) return (own[i] ?? 0) > (other[i] ?? 0);
  return true;
}

/** From this version on the shim asks for readiness where older ones asked for health, and the daemon answers on that path. */
const READINESS_PATH_SINCE = "4.3.1";
export const knowsReadinessPath = (version: string): boolean => isAtLeast(version, READINESS_PATH_SINCE);
