import type { ConfigChanges } from "../../../agent/conf/changes";
import type { ConfigFilesReader } from "../../../agent/conf/config-files";
import { parseDaemonConfig } from "../../../agent/conf/multus";
import type { ConfFileRead } from "../../../agent/conf/read-dir";
import type { ConfDir } from "../../../agent/config";
import { parseNetworkConfig } from "../../../agent/conflist";
import type { LaterParts, MultusConfig } from "../../../domain/agent-readings";
import type { AgentReport, ConfigReading } from "../../../domain/agent-report";
import { BIN_DIR, CONF_DIR, MULTUS_CONF, type ConfRecord } from "../../model/files";
import type { NodeModel } from "../../model/node";

const DEVICE = "8:1";
const FILE_MODE = 0o600;

/** What is read of a file stays the same until it is written again. */
const read = new WeakMap<ConfRecord, ConfFileRead>();

function readConf(name: string, record: ConfRecord): ConfFileRead {
  const known = read.get(record);
  if (known?.name === name) return known;
  const { inode, modifiedMs, text } = record;
  const stamp = { inode: `${DEVICE}/${inode}`, kind: "file", links: 1, sizeBytes: Buffer.byteLength(text), mode: FILE_MODE, owner: "0:0", modifiedMs, changedMs: modifiedMs, key: String(inode) } as const;
  const file: ConfFileRead = { name, unread: false, stamp, config: parseNetworkConfig(name, text), ...jsonOf(text) };
  read.set(record, file);
  return file;
}

function jsonOf(text: string): { readonly json?: unknown } {
  try {
    return { json: JSON.parse(text) as unknown };
  } catch {
    return {}; // `config` says where it is broken
  }
}

/** The conf dir as the agent's own reader would give it. */
export function confDir(node: NodeModel): ConfDir {
  const files = [...node.files.conf].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, record]) => readConf(name, record));
  const [first] = files;
  return { path: CONF_DIR, files, binDirs: [BIN_DIR], ...(first?.config.usable === true ? { effectiveFile: first.name } : {}) };
}

export function configReading(node: NodeModel, dir: ConfDir): ConfigReading {
  const first = dir.files.find(({ name }) => name === dir.effectiveFile)?.config;
  const problems = dir.files.flatMap(({ name, config }) => (config.usable ? [] : [`${name}: ${config.problem}`]));
  const base = { dir: dir.path, binDirs: dir.binDirs, ...(problems.length === 0 ? {} : { fileProblems: problems }) };
  if (first?.usable !== true || dir.effectiveFile === undefined) return { ...base, pluginTypes: [], sockets: [], missingBinaries: [] };
  const { pluginTypes, delegateTypes, sockets } = first;
  const broken = [...pluginTypes, ...delegateTypes].flatMap((type) => {
    const problem = programProblem(node, type);
    return problem === undefined ? [] : [{ type, problem }];
  });
  return {
    ...base,
    effectiveFile: dir.effectiveFile,
    pluginTypes,
    ...(delegateTypes.length === 0 ? {} : { delegateTypes }),
    sockets,
    missingBinaries: pluginTypes.filter((type) => broken.some((one) => one.type === type)),
    ...(broken.length === 0 ? {} : { binaryProblems: broken.map(({ type, problem }) => `${type}: ${problem}`) }),
  };
}

function programProblem(node: NodeModel, type: string): string | undefined {
  const program = node.files.bin.get(type);
  if (program === undefined) return `not in ${BIN_DIR}`;
  if (program.sizeBytes === 0) return `0 bytes in ${BIN_DIR}`;
  return program.executable ? undefined : `not executable in ${BIN_DIR}`;
}

/** What the agent remembers of the conf dir between two reports. */
export interface ConfMemory {
  readonly files: ConfigFilesReader;
  readonly changes: ConfigChanges;
}

export function configFiles(node: NodeModel, dir: ConfDir, runtime: AgentReport["runtime"], memory: ConfMemory): Pick<LaterParts, "configFiles" | "configChanges"> {
  const nowMs = Math.round(node.engine.nowMs);
  const changes = memory.changes.since(dir.path, dir.files, nowMs);
  return { configFiles: memory.files.look(dir, { runtime }, multusConfig(node, dir), nowMs), ...(changes.length === 0 ? {} : { configChanges: changes }) };
}

function multusConfig(node: NodeModel, dir: ConfDir): MultusConfig {
  const pod = node.daemonPod?.pod;
  const generated = dir.files.find(({ name }) => name === MULTUS_CONF);
  const named = generated?.json;
  const network = typeof named === "object" && named !== null && "clusterNetwork" in named && typeof named.clusterNetwork === "string" ? named.clusterNetwork.split("/").at(-1) : undefined;
  return {
    generated: generated !== undefined,
    ...(pod === undefined ? {} : daemonConfig(node, pod.uid, pod.createdMs)),
    ...(network === undefined ? {} : { clusterNetwork: network, clusterNetworkExists: node.files.conf.has(network) }),
  };
}

/** The copy that the kubelet keeps for the daemon's pod. */
function daemonConfig(node: NodeModel, podUid: string, podCreatedMs: number): Partial<MultusConfig> {
  const { text, modifiedMs } = node.cluster.daemonConfig.copy(podCreatedMs, node.engine.nowMs);
  const { master, nested, problem } = parseDaemonConfig(text);
  return {
    daemonConfigPath: `/var/lib/kubelet/pods/${podUid}/volumes/kubernetes.io~configmap/multus-daemon-config/daemon-config.json`,
    daemonConfigModifiedMs: Math.round(modifiedMs),
    ...(master === undefined ? {} : { masterCni: master }),
    ...(nested === undefined ? {} : { nestedMasterCni: nested }),
    ...(problem === undefined ? {} : { daemonConfigProblem: problem }),
  };
}
