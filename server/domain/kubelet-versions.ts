/**
 * What kubelets of each minor version report, of what Sandglass reads. No family that it reads was renamed or taken away between the first
 * and the last of them; what differs is told here. Sources: the kubelet's and cAdvisor's tables of metrics, version by version
 * (`sources/kubelet/testing/metric-names.tsv`), and the features that the kubelet lists.
 */
export interface KubeletMinor {
  readonly minor: number;
  /** Pressure of containers (PSI): not there, behind the feature KubeletPSI, or on by itself where cgroup v2 and the kernel have it. */
  readonly pressure: "none" | "behind-feature" | "on";
  /** Whether the kubelet asks for nodes/configz, or for the whole of nodes/proxy. */
  readonly configzRight: "nodes/proxy" | "nodes/configz";
}

const minor = (number: number, pressure: KubeletMinor["pressure"], configzRight: KubeletMinor["configzRight"]): KubeletMinor => ({ minor: number, pressure, configzRight });

export const KUBELET_MINORS: readonly KubeletMinor[] = [
  minor(28, "none", "nodes/proxy"),
  minor(29, "none", "nodes/proxy"),
  minor(30, "none", "nodes/proxy"),
  minor(31, "none", "nodes/proxy"),
  minor(32, "none", "nodes/proxy"),
  minor(33, "behind-feature", "nodes/configz"),
  minor(34, "on", "nodes/configz"),
  minor(35, "on", "nodes/configz"),
  minor(36, "on", "nodes/configz"),
  minor(37, "on", "nodes/configz"),
];

/** 37 of "v1.37.2"; `undefined` where the text is no such version. */
export function minorOf(version: string | undefined): number | undefined {
  const [major, text] = (version ?? "").replace(/^v/, "").split(".");
  const number = major === "1" ? Number.parseInt(text ?? "", 10) : Number.NaN;
  return Number.isNaN(number) ? undefined : number;
}

/** The row of a kubelet; `undefined` for one that is older or newer than the table, or does not tell. */
export const kubeletMinorOf = (version: string | undefined): KubeletMinor | undefined => KUBELET_MINORS.find((one) => one.minor === minorOf(version));

/** Why a page that was read gives nothing: its family is not on it at all. */
export const OPERATIONS_FAMILY = "kubelet_runtime_operations_duration_seconds";
export const FAMILY_GONE = `its /metrics was read and holds no ${OPERATIONS_FAMILY}: renamed, or left out on the way`;

/** What to do about that. */
export function familyGoneRemedy(version: string | undefined): string {
  const known = kubeletMinorOf(version);
  if (known !== undefined) return `Kubelets of v1.${known.minor} report it, so look what stands between: a proxy, or a kubelet that was started with metrics taken out.`;
  return `Look at the kubelet's own /metrics for another name: v1.${KUBELET_MINORS[0]?.minor ?? ""} to v1.${KUBELET_MINORS.at(-1)?.minor ?? ""} have this one${version === undefined ? "" : `, and ${version} is none of them`}.`;
}
