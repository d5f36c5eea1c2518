import type { NodeFiles } from "./files";
import { CONF_DIR_IN_DAEMON, MULTUS_CONF } from "./files";
import { parseNetworkConf } from "./net-conf";

/** As the upstream manifest has it. */
export const DAEMON_CONFIG: Readonly<Record<string, unknown>> = {
  chrootDir: "/hostroot",
  cniVersion: "0.3.1",
  logLevel: "verbose",
  logToStderr: true,
  cniConfigDir: CONF_DIR_IN_DAEMON,
  multusConfigFile: "auto",
  multusAutoconfigDir: CONF_DIR_IN_DAEMON,
  socketDir: "/host/run/multus/",
};

/** The kubelet brings its copies of ConfigMaps up to date about once a minute. */
const COPIED_AFTER_MS = 60_000;

/** The ConfigMap with the daemon's config, and the copies that kubelets make of it for the daemons' pods. */
export class DaemonConfigMap {
  private before: { readonly text: string; readonly changedMs: number } | undefined;
  text = JSON.stringify(DAEMON_CONFIG, null, 2);
  changedMs: number;

  constructor(
    startMs: number,
    private readonly changed: () => void,
  ) {
    this.changedMs = startMs;
  }

  set(text: string, nowMs: number): void {
    this.before = { text: this.text, changedMs: this.changedMs };
    this.text = text;
    this.changedMs = nowMs;
    this.changed();
  }

  /** What a pod that began at `startedMs` has of it at `nowMs`. */
  copy(startedMs: number, nowMs: number): { readonly text: string; readonly modifiedMs: number } {
    const isOld = this.before !== undefined && startedMs < this.changedMs && nowMs - this.changedMs < COPIED_AFTER_MS;
    const source = isOld && this.before !== undefined ? this.before : { text: this.text, changedMs: this.changedMs };
    return { text: source.text, modifiedMs: Math.max(startedMs, source.changedMs) };
  }
}

/** How a daemon that starts decides which conflist it hands pods to. */
export type MasterChoice = { readonly master: string } | { readonly fails: { readonly exitCode: number; readonly message: string } } | { readonly waits: true };

/**
 * `multusMasterCNI` at the top level of the config, where nothing else is looked at; without one the first usable file by name, as it
 * lies there at this moment. With neither it waits for a file to come.
 */
export function chooseMaster(text: string, files: NodeFiles): MasterChoice {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { fails: { exitCode: 1, message: "[panic] startMultusDaemon failed to load the CNI server configuration: failed to unmarshall the daemon configuration: invalid character '\"' after object key:value pair" } };
  }
  const named = typeof json === "object" && json !== null && "multusMasterCNI" in json ? json.multusMasterCNI : undefined;
  if (typeof named === "string" && named !== "") {
    const path = `${CONF_DIR_IN_DAEMON}/${named}`;
    if (files.conf.has(named)) return { master: named };
    const primary = `failed to read the cluster primary CNI config ${path}: open ${path}: no such file or directory`;
    return { fails: { exitCode: 2, message: `[error] failed to access the primary CNI configuration from ${path}: ${primary}\n[error] failed to create the configuration manager for the primary CNI plugin: failed to load the primary CNI configuration as a multus delegate with error '${primary}'` } };
  }
  const first = [...files.conf].sort(([a], [b]) => (a < b ? -1 : 1)).find(([name, { text: content }]) => name !== MULTUS_CONF && parseNetworkConf(content) !== undefined);
  return first === undefined ? { waits: true } : { master: first[0] };
}
