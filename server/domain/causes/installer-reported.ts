import type { Evidence } from "../answer";
import type { ContainerTermination } from "../model";
import { listWords } from "../words";
import { daemonPods, daemonsUnseen, NO_DAEMON, type DaemonPod } from "./daemon-pods";
import { notSeen, seen } from "./evidence";
import { cannotTell, clear, lineWords } from "./findings";
import type { Cause } from "./types";

const MAX_MESSAGE_CHARS = 300;
/** A program that ends well writes its message on purpose; one of these tells a complaint from a report. */
const COMPLAINTS = ["fail", "error", "cannot", "can't", "could not", "couldn't", "unable", "denied", "not found", "no such", "no space", "missing", "refus", "skipp", "not installed"] as const;

export const installerReported: Cause = {
  code: "installer-reported",
  title: "An installer of the CNI ended well and reports a failure",
  severity: "risks",
  meaning:
    "An init container of a CNI daemon's pod ended with exit code 0, so that the pod goes on as if all were well, and left a message that tells of something it could not do. Kubernetes shows such a message nowhere but in the container's status.",
  impact: "What was to be installed on this node is missing or old: plugins, a config, a newer shim. It shows once a pod needs it, perhaps weeks later.",
  checks: ["Termination messages of init containers of CNI daemons' pods that ended with exit code 0 and speak of a failure.", "Only the newest end of each: a successor that says nothing clears it."],
  lookAlikes: [
    { code: "plugin-binary-missing", tells: "That is what may come of it, measured in the bin dirs; it is shown under this one where both fire." },
    { code: "install-deadlock", tells: "There the installer ends with an error, and the daemon does not start." },
    { code: "daemon-down", tells: "There the daemon does not run; here it does." },
  ],
  mitigation: [
    "Read the whole of it: `kubectl -n NAMESPACE logs POD -c INIT_CONTAINER`; the message itself is often only the list of what failed.",
    "Mend what it names: room on the disk, a folder that stands in a plugin's place, a file that is in use, SELinux that forbids the write.",
    "Delete the pod on this node, so that the installer runs again.",
    "Compare with other nodes of the pool: the same message everywhere means the image or the manifest.",
  ],
  actions: ["restart-daemon-pod"],
  explains: ["cni-config-missing", "host-permission-or-mount", "plugin-binary-missing"],
  check: (input) => {
    const unseen = daemonsUnseen(input);
    if (unseen !== undefined) return [cannotTell(unseen)];
    const pods = daemonPods(input);
    if (pods.length === 0) return [clear(NO_DAEMON)];
    const ended = pods.flatMap((daemonPod) => installersOf(daemonPod).map((end) => ({ daemonPod, end })));
    const complaining = ended.filter(({ end }) => end.exitCode === 0 && complains(end.message));
    if (complaining.length === 0) return [clear("No installer of a CNI daemon here tells of a failure.", ended.filter(({ end }) => end.message === undefined).map(silentEvidence))];
    return [
      {
        state: "firing",
        certainty: "named",
        summary: `${listWords(complaining.map(({ daemonPod, end }) => `Init container ${end.container} of ${daemonPod.daemon.key} ended with exit code 0 and says "${lineWords(end.message ?? "", MAX_MESSAGE_CHARS)}"`))}.`,
        evidence: complaining.map(messageEvidence),
        pods: [...new Set(complaining.map(({ daemonPod: { pod } }) => `${pod.namespace}/${pod.name}`))],
      },
    ];
  },
};

/** The newest end of each init container. */
function installersOf({ detail }: DaemonPod): readonly ContainerTermination[] {
  const newest = new Map<string, ContainerTermination>();
  for (const end of detail?.terminations ?? []) {
    if (!end.init) continue;
    const known = newest.get(end.container);
    if (known === undefined || (end.finishedMs ?? 0) >= (known.finishedMs ?? 0)) newest.set(end.container, end);
  }
  return [...newest.values()];
}

function complains(message: string | undefined): boolean {
  const lower = message?.toLowerCase() ?? "";
  return COMPLAINTS.some((word) => lower.includes(word));
}

interface Ended {
  readonly daemonPod: DaemonPod;
  readonly end: ContainerTermination;
}
const whatOf = ({ daemonPod: { pod }, end }: Ended): string => `Termination message of init container ${end.container} of pod ${pod.name}`;
const atOf = ({ end: { finishedMs } }: Ended): { atMs?: number } => (finishedMs === undefined ? {} : { atMs: finishedMs });
const messageEvidence = (ended: Ended): Evidence => seen(whatOf(ended), "api", { value: `exit code 0: ${lineWords(ended.end.message ?? "", MAX_MESSAGE_CHARS)}`, ...atOf(ended) });
const silentEvidence = (ended: Ended): Evidence => notSeen(whatOf(ended), "api", { value: `exit code ${ended.end.exitCode ?? "unknown"}`, ...atOf(ended) });
