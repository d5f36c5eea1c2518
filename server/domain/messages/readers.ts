import { type Candidate, RANK } from "./rule";

/** Sentences that decide by a figure or a name in them rather than by their words. */
export function readFigures(body: string, from: number, to: number): readonly Candidate[] {
  return [pollInterval(body, from, to), killedProcess(body, from, to), leftOverConfig(body, from, to)].filter((reading) => reading !== undefined);
}

/** Below this share of its own time the daemon did not work, it waited for the processor. */
const STARVED_SHARE = 0.2;

/** "Unreasonably long 12031ms poll interval (11587ms user, 440ms system)": what was not user or system time was waiting. */
function pollInterval(body: string, from: number, to: number): Candidate | undefined {
  const at = body.indexOf("unreasonably long ", from);
  if (at < 0 || at >= to) return undefined;
  const wall = numberAt(body, at + "unreasonably long ".length);
  const open = body.indexOf("(", at);
  const comma = open < 0 ? -1 : body.indexOf(",", open);
  const end = open < 0 ? -1 : body.indexOf(")", open);
  if (wall === undefined || wall === 0 || open < 0 || comma < 0 || end < 0 || end - at > MAX_SENTENCE_CHARS) return undefined;
  const user = numberAt(body, open + 1);
  const system = numberAt(body, comma + 1);
  if (user === undefined || system === undefined) return undefined;
  const starved = (user + system) / wall < STARVED_SHARE;
  const quoted = { from: at, to: end + 1, rank: RANK.pair } as const;
  return starved
    ? { ...quoted, cause: "node-cpu-contention", confidence: "high", says: "The daemon waited for the processor nearly all of the time: it was not working, others were" }
    : { ...quoted, cause: "daemon-slow", confidence: "medium", says: "The daemon worked all that time on one round and could not take calls" };
}

const MAX_SENTENCE_CHARS = 200;

/** Parts of the names of CNI daemons and plugins, as the kernel shortens them. */
const CNI_PROCESSES: readonly string[] = ["multus", "cilium", "calico", "felix", "bird", "flannel", "aws-k8s", "ipamd", "kube-ovn", "ovn", "ovs", "antrea", "azure", "whereabouts", "weave", "bridge", "macvlan", "ipvlan", "host-local", "portmap", "loopback", "bandwidth", "tuning", "ptp", "sriov", "cni", "kindnet", "spiderpool", "galaxy"];

/** "Killed process 3947048 (multus-daemon)": the name says whose the process was. */
function killedProcess(body: string, from: number, to: number): Candidate | undefined {
  const at = body.indexOf("killed process ", from);
  if (at < 0 || at >= to) return killedTask(body, from, to);
  const open = body.indexOf("(", at);
  const close = open < 0 ? -1 : body.indexOf(")", open);
  if (open < 0 || close < 0 || close - at > MAX_SENTENCE_CHARS) return undefined;
  return victim(body.slice(open + 1, close), at, close + 1);
}

/** "oom-kill:constraint=CONSTRAINT_MEMCG,…,task=bridge,pid=1": the kernel's other line about it. */
function killedTask(body: string, from: number, to: number): Candidate | undefined {
  const at = body.indexOf("oom-kill:", from);
  const mark = ",task=";
  const task = at < 0 || at >= to ? -1 : body.indexOf(mark, at);
  if (task < 0) return undefined;
  const end = body.indexOf(",", task + mark.length);
  const close = end < 0 ? to : end;
  return close - task > MAX_SENTENCE_CHARS ? undefined : victim(body.slice(task + mark.length, close), task + 1, close);
}

function victim(name: string, from: number, to: number): Candidate {
  const quoted = { from, to, rank: RANK.pair } as const;
  return CNI_PROCESSES.some((part) => name.includes(part))
    ? { ...quoted, cause: "daemon-oom", confidence: "high", says: `The kernel killed ${name} for memory` }
    : { ...quoted, cause: "not-cni", confidence: "medium", says: `The kernel killed ${name} for memory, which is no part of the network` };
}

/** Types whose daemon installs program and config together. */
const INSTALLED_TOGETHER: readonly string[] = ["cilium-cni", "calico", "kube-ovn", "antrea", "weave-net", "ovn-k8s-cni-overlay", "aws-cni", "multus-shim"];

/** A config that is refused when it is *loaded* because its own program is gone: the CNI was taken away and its config left. */
function leftOverConfig(body: string, from: number, to: number): Candidate | undefined {
  const at = body.indexOf("error validating cni config", from);
  const mark = "failed to find plugin ";
  const missing = at < 0 ? -1 : body.indexOf(mark, at);
  if (at < 0 || missing < 0 || missing >= to) return undefined;
  const name = body.slice(missing + mark.length + 1, missing + mark.length + 24);
  if (!INSTALLED_TOGETHER.some((type) => name.startsWith(type))) return undefined;
  return { from: at, to: missing + mark.length, rank: RANK.pair, cause: "cni-config-conflict", confidence: "low", says: "A config in the folder names a program that is not installed; program and config come together, so the config may be left over" };
}

/** The whole number that begins at a position, blanks before it skipped; undefined where there is none. */
function numberAt(body: string, at: number): number | undefined {
  let start = at;
  while (body.charAt(start) === " ") start += 1;
  let end = start;
  while (end - start < 12 && body.charCodeAt(end) >= 48 && body.charCodeAt(end) <= 57) end += 1;
  return end === start ? undefined : Number(body.slice(start, end));
}
