import type { NetworkConf } from "./net-conf";
import { failedAdd, failedDelete } from "./texts-plugins";

/** Texts as containerd, multus-shim and the kubelet write them; recorded from real ones. */
export const SHIM = "multus-shim";
export const SHIM_NETWORK = "multus-cni-network";
export const DEADLINE_EXCEEDED = "rpc error: code = DeadlineExceeded desc = context deadline exceeded";
export const SANDBOX_CHANGED = "Pod sandbox changed, it will be killed and re-created.";
export const CNI_NOT_INITIALIZED = "cni plugin not initialized";

const SHIM_PLUGIN = { type: SHIM, name: SHIM_NETWORK };

export const setupFailed = (sandboxId: string, inner: string): string => `rpc error: code = Unknown desc = failed to setup network for sandbox "${sandboxId}": ${inner}`;
export const destroyFailed = (sandboxId: string, inner: string): string => `rpc error: code = Unknown desc = failed to destroy network for sandbox "${sandboxId}": ${inner}`;

export const reservedName = (name: string, id: string): string => `rpc error: code = Unknown desc = failed to reserve sandbox name "${name}": name "${name}" is reserved for "${id}"`;

/** The shim puts what it was given behind each of its errors. */
const withStdin = (error: string, conf: NetworkConf): string => `${error}: StdinData: ${JSON.stringify(sorted(conf.plugins[0]?.raw ?? {}))}`;
const sorted = (of: Readonly<Record<string, unknown>>): Record<string, unknown> => Object.fromEntries(Object.entries(of).sort(([a], [b]) => (a < b ? -1 : 1)));
const shimFailed = (sandboxId: string, conf: NetworkConf, error: string): string => setupFailed(sandboxId, failedAdd(SHIM_PLUGIN, withStdin(`CmdAdd (shim): ${error}`, conf)));

export const shimEof = (sandboxId: string, conf: NetworkConf): string => shimFailed(sandboxId, conf, 'failed to send CNI request: Post "http://dummy/cni": EOF');
export const shimTimedOut = (sandboxId: string, conf: NetworkConf): string => shimFailed(sandboxId, conf, "timed out waiting for the condition");
/** The daemon answered, and what it answered is an error. */
export const shimRefused = (sandboxId: string, conf: NetworkConf, answer: string): string => shimFailed(sandboxId, conf, `CNI request failed with status 400: '${answer}'`);
export const shimStopRefused = (sandboxId: string, conf: NetworkConf, answer: string): string =>
  destroyFailed(sandboxId, failedDelete(SHIM_PLUGIN, withStdin(`CmdDel (shim): CNI request failed with status 400: '${answer}'`, conf)));

export const shimCannotRun = (sandboxId: string, why: string): string => setupFailed(sandboxId, failedAdd(SHIM_PLUGIN, why));

export const shimCannotStop = (sandboxId: string, why: string): string => destroyFailed(sandboxId, failedDelete(SHIM_PLUGIN, why));

export const notInitialized = (sandboxId: string): string => setupFailed(sandboxId, CNI_NOT_INITIALIZED);

export const failedCreate = (cause: string): string => `Failed to create pod sandbox: ${cause}`;

/** Quoted as Go does it. */
export const failedKill = (uid: string, error: string): string => `error killing pod: failed to "KillPodSandbox" for "${uid}" with KillPodSandboxError: ${JSON.stringify(error)}`;

export const backOff = (container: string, pod: string, namespace: string, uid: string): string => `Back-off restarting failed container ${container} in pod ${pod}_${namespace}(${uid})`;
