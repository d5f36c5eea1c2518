/** A version in three numbers. */
export type Version = readonly [major: number, minor: number, patch: number];

/** A defect that is known by its version and its symptom, and mended by an upgrade. */
export interface KnownBug {
  /** The CNI as `cni-daemons` names it, or "containerd". */
  readonly program: string;
  readonly from: Version;
  /** The first version without it. */
  readonly mendedIn: Version;
  /** Pieces of a pod's text, in lower case; one of them is enough. */
  readonly symptoms: readonly string[];
  readonly words: string;
  /** Where it is told: issues of the programs themselves. */
  readonly source: string;
}

/** Kept short: only what its makers or several users tied to versions, with the text that pods show. */
export const KNOWN_BUGS: readonly KnownBug[] = [
  {
    program: "cilium",
    from: [1, 17, 0],
    mendedIn: [1, 18, 0],
    symptoms: ["putendpointidtoomanyrequests", "cilium api client timeout exceeded"],
    words: "the agent can lock itself up while endpoints are regenerated, and does not come back by itself",
    source: "cilium/cilium#38210, deckhouse/deckhouse#21647",
  },
  {
    program: "multus",
    from: [3, 7, 0],
    mendedIn: [3, 7, 2],
    symptoms: ["requested interface name"],
    words: "DEL fails since it takes the pod's own interface for one that is assigned twice",
    source: "k8snetworkplumbingwg/multus-cni#669, #677",
  },
  {
    program: "multus",
    from: [4, 0, 0],
    mendedIn: [4, 0, 2],
    symptoms: ["cmddel (shim): failed to send cni request"],
    words: "DEL fails while the daemon is away, so pods cannot be deleted",
    source: "multus-cni v4.0.0 to v4.0.2, pkg/server/api/shim.go",
  },
  {
    program: "containerd",
    from: [1, 6, 0],
    mendedIn: [1, 6, 4],
    symptoms: ['config is "1.0.0"', 'config is \\"1.0.0\\"', "version is empty"],
    words: "it asks the loopback plugin for CNI version 1.0.0, which older plugins do not know, and refuses a config without a version",
    source: "containerd/containerd#6876",
  },
];

/** Longest tag of an image that is read. */
const MAX_TAG_CHARS = 128;

/** The version in an image's tag ("ghcr.io/x/multus-cni:v4.0.1-thick", a digest behind it or not); `undefined` where the tag is none. */
export function versionOfImage(image: string): Version | undefined {
  const at = image.indexOf("@");
  const name = at < 0 ? image : image.slice(0, at);
  const colon = name.lastIndexOf(":");
  return colon < 0 || name.indexOf("/", colon) >= 0 ? undefined : versionIn(name.slice(colon + 1));
}

/** Three numbers at the beginning of a text, a "v" before them or not: "v1.17.1-rc.0", "1.6.20~ds1". */
export function versionIn(text: string): Version | undefined {
  const [major, minor, patch] = text.slice(text.startsWith("v") ? 1 : 0, MAX_TAG_CHARS).split(".");
  const numbers = [wholeNumber(major), wholeNumber(minor), wholeNumber(leadingDigits(patch))];
  return numbers.every((number) => number !== undefined) ? [numbers[0] ?? 0, numbers[1] ?? 0, numbers[2] ?? 0] : undefined;
}

function leadingDigits(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  let end = 0;
  while (end < text.length && text.charAt(end) >= "0" && text.charAt(end) <= "9") end += 1;
  return text.slice(0, end);
}

const wholeNumber = (text: string | undefined): number | undefined => (text !== undefined && text !== "" && leadingDigits(text) === text ? Number(text) : undefined);

export const hasBug = ({ from, mendedIn }: KnownBug, version: Version): boolean => compare(version, from) >= 0 && compare(version, mendedIn) < 0;

const compare = (a: Version, b: Version): number => a[0] - b[0] || a[1] - b[1] || a[2] - b[2];

export const versionWords = (version: Version): string => version.join(".");
