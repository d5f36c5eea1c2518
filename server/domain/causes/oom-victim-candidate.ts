import type { Evidence } from "../answer";
import type { ContainerResources, PodObject } from "../model";
import { countWords, listWords } from "../words";
import { sortAccepted } from "./accepted";
import { agentPart } from "./agent-part";
import { daemonsUnseen } from "./daemon-pods";
import { couldNotLook, notSeen, seen } from "./evidence";
import { cannotTell, clear } from "./findings";
import { MAX_PODS_NAMED, type Cause, type CauseInput, type Finding } from "./types";

/** The first minor version of Talos 1 whose own handler kills for memory. */
export const FIRST_TALOS_MINOR = 12;
const MAX_SHOWN = 6;

export const oomVictimCandidate: Cause = {
  code: "oom-victim-candidate",
  title: "A system daemon is what Talos would kill first for memory",
  severity: "notice",
  meaning:
    "Talos 1.12 and newer kill by themselves when memory is short, and rank only pods whose control group has no limit of its own. Kubernetes sets that limit on the pod only where every container has one, init containers and sidecars included. So one forgotten init container puts a whole daemon on the list.",
  impact: "Under pressure of memory the node may take its own CNI or storage daemon first, small as it is. Nothing is wrong as long as memory suffices.",
  checks: [
    "The node runs Talos 1.12 or newer.",
    "Pods of CNI daemons and of DaemonSets in kube-system on this node: which containers have no memory limit, from the pod itself, so that what a LimitRange filled in counts; whether one filled anything in.",
    "Whether the pod's own control group is limited (agent); that wins where it is told.",
  ],
  lookAlikes: [
    { code: "daemon-oom", tells: "There the daemon was killed, by the kernel, at the limit that it has." },
    { code: "node-resource-exhausted", tells: "There memory is short now." },
  ],
  mitigation: [
    "Give every container of the pod a memory limit, the init containers too: 128Mi is plenty for one that copies files.",
    "Generously: a limit costs nothing until it is hit, and one that is too small is worse than none. For multus 1Gi and more, 4Gi on full nodes.",
    "Set a request with it (15 to 256Mi): without one it defaults to the limit, and a node may be left without the daemon.",
    "A LimitRange with a default in the namespace does it for all pods that are made from then on; it needs both, default and defaultRequest.",
    "A daemon that must not be killed at its limit either can be accepted as it is, with the reason.",
  ],
  actions: ["set-daemon-resources"],
  explains: [],
  accepts: "a system daemon",
  check: (input) => {
    const unseen = daemonsUnseen(input);
    if (unseen !== undefined) return [cannotTell(unseen)];
    const { os } = input.node.versions;
    if (os === undefined) return [cannotTell("The node does not tell its operating system")];
    const system = seen("Operating system", "api", { value: os });
    if (!killsByItself(os)) return [clear(`${os} has no handler of its own that ranks pods by their limits.`, [system])];
    const found = candidates(input);
    const { open, evidence, named } = sortAccepted(input, "oom-victim-candidate", found);
    if (open.length > 0) return [{ ...firing(input, open, [system, ...evidence]), ...named }];
    return [{ ...clear(named.accepted === undefined ? "Every system daemon here has a memory limit on its pod." : "Every system daemon here has a memory limit on its pod, or is accepted without.", [system, ...evidence, ...rangeEvidence(input)]), ...named }];
  },
};

/** Limits that are in no manifest: a LimitRange filled them in when the pod was made. */
function rangeEvidence(input: CauseInput): readonly Evidence[] {
  return [...input.pods.values()].flatMap(({ name, deleting, daemon }) => {
    const containers = deleting ? [] : (daemon?.filledIn ?? []).filter(({ limits }) => limits.includes("memory")).map(({ container, init }) => ({ name: container, init }));
    return containers.length === 0 ? [] : [seen(`Memory limits of pod ${name} that a LimitRange filled in`, "api", { value: namesOf(containers) })];
  }).slice(0, MAX_SHOWN);
}

interface Candidate {
  readonly pod: PodObject;
  /** "kube-system/kube-proxy", its DaemonSet. */
  readonly subject: string;
  readonly unlimited: readonly ContainerResources[];
  /** Whether the pod's control group was seen without a limit. */
  readonly measured: boolean;
}

/** "Talos (v1.12.1)" and newer. */
function killsByItself(os: string): boolean {
  const version = /^Talos \(v?(\d{1,4})\.(\d{1,4})/.exec(os);
  if (version === null) return false;
  const [major, minor] = [Number(version[1]), Number(version[2])];
  return major > 1 || (major === 1 && minor >= FIRST_TALOS_MINOR);
}

function candidates(input: CauseInput): readonly Candidate[] {
  const cgroups = agentPart(input, "cgroups");
  const limitedByUid = new Map<string, boolean>();
  if (cgroups.looked) for (const { podUid, podMemoryLimited } of cgroups.items) if (podMemoryLimited !== undefined) limitedByUid.set(podUid, podMemoryLimited);
  const found: Candidate[] = [];
  for (const pod of input.pods.values()) {
    if (pod.daemon === undefined || pod.deleting || pod.node === undefined || pod.owner === undefined) continue;
    const limited = limitedByUid.get(pod.uid);
    const unlimited = pod.daemon.containers.filter(({ memoryLimitBytes }) => memoryLimitBytes === undefined);
    if (limited === true || unlimited.length === 0) continue;
    found.push({ pod, subject: `${pod.namespace}/${pod.owner.slice(pod.owner.indexOf("/") + 1)}`, unlimited, measured: limited === false });
  }
  return found.sort((a, b) => (a.subject < b.subject ? -1 : 1));
}

const namesOf = (containers: readonly { readonly name: string; readonly init: boolean }[]): string => listWords(containers.map(({ name, init }) => `${init ? "init container " : ""}${name}`));
const containerWords = ({ unlimited }: Candidate): string => namesOf(unlimited);

function firing(input: CauseInput, open: readonly Candidate[], evidence: readonly Evidence[]): Finding {
  const each = open.map((candidate) => `${candidate.subject} (${containerWords(candidate)})`);
  return {
    state: "firing",
    certainty: "named",
    summary: `${countWords(open.length, "system daemon")} here ${open.length === 1 ? "has" : "have"} no memory limit on the pod, which Talos takes first, since a container lacks one: ${listWords(each)}.`,
    evidence: [...evidence, ...open.slice(0, MAX_SHOWN).flatMap((candidate) => candidateEvidence(input, candidate))],
    pods: open.slice(0, MAX_PODS_NAMED).map(({ pod }) => `${pod.namespace}/${pod.name}`),
  };
}

function candidateEvidence(input: CauseInput, candidate: Candidate): readonly Evidence[] {
  const { pod, unlimited, measured } = candidate;
  const what = `A memory limit on the control group of pod ${pod.name}`;
  const cgroups = agentPart(input, "cgroups");
  const at = input.report === undefined ? {} : { atMs: input.report.atMs };
  return [
    seen(`Containers of pod ${pod.name} without a memory limit`, "api", { value: containerWords({ ...candidate, unlimited }) }),
    notSeen(`A LimitRange that filled in a memory limit for ${containerWords(candidate)} when pod ${pod.name} was made`, "api"),
    measured ? notSeen(what, "agent", at) : couldNotLook(what, "agent", cgroups.looked ? "the agent does not tell it of this pod" : cgroups.reason),
  ];
}
