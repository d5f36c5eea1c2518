import type { Evidence } from "../answer";
import type { NodeCondition } from "../model";
import { lineWords, listWords } from "../words";
import { seen } from "./evidence";
import { textEvidence } from "./findings";
import { lastingTexts, nothingSaid, suspectedOf } from "./said-by-pods";
import type { Cause, CauseInput, ErrorGroup, Finding } from "./types";
import { namesOf, waitsForNode } from "./waiting-pods";

const PRESSURES: Readonly<Record<string, string>> = { DiskPressure: "disk space or inodes", PIDPressure: "process ids", MemoryPressure: "memory" };

const MAX_MESSAGE_CHARS = 200;

export const nodeResourceExhausted: Cause = {
  code: "node-resource-exhausted",
  title: "The node has run out of something",
  severity: "blocks",
  meaning:
    "The node has no more of what a sandbox takes: disk space or inodes, process ids or threads, file descriptors, inotify watches, entries of a kernel table (mounts, neighbours, connections), or the xtables lock, behind which many iptables processes queue. The runtime's and the plugins' own errors are then only what comes of it.",
  impact: "Pods fail to start at changing places, with changing errors, and teardown fails as well, so that addresses and names leak.",
  checks: [
    "The node's conditions DiskPressure, PIDPressure and MemoryPressure, by its kubelet. By itself a risk: the kubelet turns pods away before anything is used up.",
    "Texts of waiting pods: no space left, resource temporarily unavailable, too many open files, the xtables lock, once a pod has waited for 30 s. With a condition that fits, named.",
  ],
  lookAlikes: [
    { code: "runtime-stuck-or-slow", tells: "There the runtime hangs and nothing is used up; a full or slow disk brings it about." },
    { code: "daemon-oom", tells: "There a limit of the daemon's own container is hit, while the node has memory left." },
    { code: "ipam-exhausted", tells: "There addresses are used up, nothing of the node itself." },
    { code: "node-cpu-contention", tells: "There the node is out of CPU: everything works, late." },
  ],
  mitigation: [
    "Disk: `df -h / /var/lib/containerd /var/lib/kubelet`, `df -i` for inodes; `crictl rmi --prune` frees images that nothing uses.",
    "Processes: `ps -eLf | wc -l` against `cat /proc/sys/kernel/pid_max` and the runtime's TasksMax (`systemctl show containerd -p TasksCurrent,TasksMax`).",
    "Descriptors and watches: `cat /proc/sys/fs/file-nr`, `sysctl fs.inotify`; raise `fs.inotify.max_user_instances` to 8192 on nodes with many pods.",
    "Mounts: `wc -l /proc/self/mountinfo`; tens of thousands are a leak.",
    "The xtables lock: `ps -ef | grep -c iptables`. After a reboot with many pods it passes in minutes; otherwise something rewrites rules all the time.",
    "Cordon the node while you look, since each new pod makes it worse.",
  ],
  actions: [],
  explains: ["ipam-leak", "not-cni", "runtime-stuck-or-slow", "teardown-failed"],
  check: (input) => {
    const pressures = pressuresOf(input);
    const groups = lastingTexts(input, "node-resource-exhausted");
    if (pressures.length > 0) return [named(input, pressures, groups)];
    return [groups.length > 0 ? suspectedOf(input, groups, { says: "say that the node has run out of something." }) : nothingSaid(input, "node-resource-exhausted")];
  },
};

function pressuresOf({ node, source }: CauseInput): readonly NodeCondition[] {
  if (source("api").freshness !== "fresh") return [];
  return node.conditions.filter(({ type, status }) => status === "True" && Object.hasOwn(PRESSURES, type));
}

function named(input: CauseInput, pressures: readonly NodeCondition[], groups: readonly ErrorGroup[]): Finding {
  const what = pressures.map(({ type }) => PRESSURES[type] ?? type);
  const evidence: Evidence[] = pressures.map(({ type, message, sinceMs }) => seen(`Node condition ${type}`, "api", { value: message === undefined ? "True" : `True: ${lineWords(message, MAX_MESSAGE_CHARS)}`, ...(sinceMs === undefined ? {} : { atMs: sinceMs }) }));
  return {
    state: "firing",
    certainty: "named",
    // The kubelet keeps a reserve and turns new pods away before it is used up: without a word of a pod nothing fails on it yet.
    ...(groups.length > 0 ? {} : { severity: "risks", explains: [] }),
    summary: `The kubelet sees the node run out of ${listWords(what)}.`,
    evidence: [...evidence, ...textEvidence(groups)],
    ...(groups.length > 0 ? { pods: namesOf(waitsForNode(input)) } : {}),
  };
}
