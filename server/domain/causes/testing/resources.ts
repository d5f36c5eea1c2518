import type { ContainerResources } from "../../model";

const MI = 2 ** 20;

/** Of multus' own manifest: 100m and 50Mi for the daemon, no limits for its installer. */
export const DEFAULT_RESOURCES: readonly ContainerResources[] = [
  { name: "install-multus-binary", init: true, cpuRequestCores: 0.01, memoryRequestBytes: 15 * MI },
  { name: "kube-multus", init: false, cpuLimitCores: 0.1, cpuRequestCores: 0.1, memoryLimitBytes: 50 * MI, memoryRequestBytes: 50 * MI },
];

/** The same with other values for the daemon; `undefined` takes a limit away. */
export function resources(over: { readonly cpuLimitCores?: number | undefined; readonly memoryLimitBytes?: number | undefined; readonly cpuRequestCores?: number | undefined }): readonly ContainerResources[] {
  return DEFAULT_RESOURCES.map((one) => {
    if (one.init) return one;
    const { cpuLimitCores, memoryLimitBytes, cpuRequestCores, ...rest } = { ...one, ...over };
    return { ...rest, ...(cpuLimitCores === undefined ? {} : { cpuLimitCores }), ...(memoryLimitBytes === undefined ? {} : { memoryLimitBytes }), ...(cpuRequestCores === undefined ? {} : { cpuRequestCores }) };
  });
}
