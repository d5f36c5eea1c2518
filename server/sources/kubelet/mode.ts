export const KUBELET_SETTINGS = ["auto", "direct", "proxy"] as const;
/** `--kubelet`. */
export type KubeletSetting = (typeof KUBELET_SETTINGS)[number];

export interface KubeletMode {
  readonly mode: "direct" | "proxy";
  /** In words, for the status and the log. */
  readonly why: string;
}

/**
 * How kubelets are reached. Through the API server needs `nodes/proxy`, a right that also opens every container, so it is
 * only used where this user has it already and the kubelets' own ports may be out of reach.
 *
 * @param canProxy what an access review said of `get nodes/proxy`; `undefined` where it could not be asked
 */
export function chooseMode(input: { readonly setting: KubeletSetting; readonly inCluster: boolean; readonly canProxy: boolean | undefined }): KubeletMode {
  if (input.setting !== "auto") return { mode: input.setting, why: `--kubelet=${input.setting}` };
  if (input.inCluster) return { mode: "direct", why: "running inside the cluster" };
  if (input.canProxy === true) return { mode: "proxy", why: "running outside the cluster, and this user may get nodes/proxy" };
  return { mode: "direct", why: input.canProxy === false ? "this user may not get nodes/proxy" : "whether this user may get nodes/proxy could not be asked" };
}
