/** The kubelet's own default of `runtimeRequestTimeout`, 2 min. */
export const DEFAULT_RUNTIME_REQUEST_TIMEOUT_SECONDS = 120;
/** RunPodSandbox gets this many times `runtimeRequestTimeout`; every other call to the runtime gets it once. */
const RUN_SANDBOX_FACTOR = 2;

export interface Deadline {
  readonly seconds: number;
  /** True where the kubelet's setting could not be read, so that its default is taken. */
  readonly assumed: boolean;
}

/**
 * What the kubelet gives RunPodSandbox on a node.
 *
 * @param runtimeRequestTimeoutSeconds from the kubelet's `/configz`; `undefined` where it could not be read
 */
export function deadline(runtimeRequestTimeoutSeconds: number | undefined): Deadline {
  const read = runtimeRequestTimeoutSeconds !== undefined && Number.isFinite(runtimeRequestTimeoutSeconds) && runtimeRequestTimeoutSeconds > 0;
  const seconds = read ? runtimeRequestTimeoutSeconds : DEFAULT_RUNTIME_REQUEST_TIMEOUT_SECONDS;
  return { seconds: RUN_SANDBOX_FACTOR * seconds, assumed: !read };
}
