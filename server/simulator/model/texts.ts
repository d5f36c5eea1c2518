/** Texts as containerd, multus-shim and the kubelet write them; recorded from real ones. */
const STDIN_DATA =
  '{"clusterNetwork":"/host/etc/cni/net.d/10-bridge.conflist","cniVersion":"0.3.1","logLevel":"verbose","logToStderr":true,"name":"multus-cni-network","type":"multus-shim"}';

export const SHIM = "multus-shim";
export const DEADLINE_EXCEEDED = "rpc error: code = DeadlineExceeded desc = context deadline exceeded";
export const SANDBOX_CHANGED = "Pod sandbox changed, it will be killed and re-created.";
export const CNI_NOT_INITIALIZED = "cni plugin not initialized";

const setupFailed = (sandboxId: string, inner: string): string => `rpc error: code = Unknown desc = failed to setup network for sandbox "${sandboxId}": ${inner}`;

export const reservedName = (name: string, id: string): string => `rpc error: code = Unknown desc = failed to reserve sandbox name "${name}": name "${name}" is reserved for "${id}"`;

export const shimEof = (sandboxId: string): string =>
  setupFailed(sandboxId, `plugin type="multus-shim" name="multus-cni-network" failed (add): CmdAdd (shim): failed to send CNI request: Post "http://dummy/cni": EOF: StdinData: ${STDIN_DATA}`);

export const shimTimedOut = (sandboxId: string): string =>
  setupFailed(sandboxId, `plugin type="multus-shim" name="multus-cni-network" failed (add): CmdAdd (shim): timed out waiting for the condition: StdinData: ${STDIN_DATA}`);

export const pluginMissing = (sandboxId: string, plugin: string, network: string): string =>
  setupFailed(sandboxId, `plugin type="${plugin}" name="${network}" failed (add): failed to find plugin "${plugin}" in path [/opt/cni/bin]`);

export const stopFailed = (sandboxId: string, plugin: string): string =>
  `rpc error: code = Unknown desc = failed to destroy network for sandbox "${sandboxId}": plugin type="${plugin}" failed (delete): failed to find plugin "${plugin}" in path [/opt/cni/bin]`;

export const notInitialized = (sandboxId: string): string => setupFailed(sandboxId, CNI_NOT_INITIALIZED);

export const failedCreate = (cause: string): string => `Failed to create pod sandbox: ${cause}`;

export const backOff = (container: string, pod: string, namespace: string, uid: string): string => `Back-off restarting failed container ${container} in pod ${pod}_${namespace}(${uid})`;
