import { listWords } from "../words";
import { textsOr } from "./by-texts";
import { couldNotLook } from "./evidence";
import { clear, textEvidence, textsFor, textsUnseen, cannotTell } from "./findings";
import { isLeak, poolEvidence, poolsOf, type Pool } from "./pools";
import { saidSinceReport, startedLatelyMs } from "./proof";
import type { Cause, CauseInput, Finding } from "./types";
import { milderForOwnRequests, namesOf, waitsForNode } from "./waiting-pods";

const WHAT = "Address ranges of this node and their leases";
/** With a text that says that there are none left, one address more or less is the gateway's, or one of a pod that just ended. */
const SHORT_BY_WITH_TEXT = 1;

export const ipamExhausted: Cause = {
  code: "ipam-exhausted",
  title: "No address is left for another pod",
  severity: "blocks",
  meaning:
    "The range, subnet or interface from which this node's pods get their addresses is used up by pods that live. More pods were placed here than the range has addresses, or the range was cut too small.",
  impact: "Pods beyond the range wait; each pod that ends makes room for one. Running pods are not concerned.",
  checks: [
    "The agent: leases of each host-local range against its size; full, and at most a tenth of the leases without a sandbox.",
    "Texts of waiting pods that no address is left. For address managers that keep no files on the node (clouds, cilium, whereabouts, calico) only these tell.",
  ],
  lookAlikes: [
    { code: "ipam-leak", tells: "There the range is full of leases whose sandbox is gone: few pods, no address." },
    { code: "control-plane-not-ready", tells: "There the controller that hands out addresses has not answered; others are left." },
    { code: "retry-storm", tells: "A storm makes many sandboxes at once and may use up a small range for a while." },
  ],
  mitigation: [
    "Count: `kubectl get pods -A --field-selector spec.nodeName=NODE | wc -l` against the range (a /24 has 253 addresses for pods, a /25 125).",
    "Make room now: move pods to other nodes (`kubectl cordon NODE`, then evict some); cordoning also stops more from coming, but hides whether the node is well again.",
    "For good: a lower maxPods of the kubelet than the range holds, a larger range per node (most CNIs give it only to new nodes), or more subnets, interfaces or prefixes in a cloud.",
    "A network attachment has a range of its own, often small and shared by all nodes: look at the one that the pods ask for.",
  ],
  actions: [],
  explains: [],
  check: (input) => {
    const texts = textsFor(input, "ipam-exhausted");
    const look = poolsOf(input, texts.length > 0 ? SHORT_BY_WITH_TEXT : 0);
    if (!look.looked) return [withoutPools(input, look.reason)];
    const full = look.pools.filter((pool) => pool.full === true);
    const used = full.filter((pool) => !isLeak(pool));
    if (used.length > 0) return [named(input, used)];
    const evidence = look.pools.flatMap((pool) => poolEvidence(input, pool));
    if (full.length > 0) return [clear(`${full[0]?.words ?? "A range"} is full of leases that belong to no sandbox, not of pods.`, evidence)];
    const roomy = look.pools.length > 0 && look.pools.every(({ full: isFull }) => isFull === false);
    if (roomy && !texts.some((group) => saidSinceReport(input, group))) return [clear("Every address range of this node has room.", evidence)];
    return [byTexts(input, look.pools.length === 0 ? clear("No host-local range is on this node, and no pod says that addresses are used up.") : clear("No pod says that addresses are used up.", evidence))];
  },
};

function named(input: CauseInput, pools: readonly Pool[]): Finding {
  const each = pools.map(({ reading, words }) => `${words} is used up: ${reading.leases} of ${reading.size ?? reading.leases} addresses are leased`);
  const unsure = pools.filter(({ leaked }) => leaked === undefined);
  const blind = unsure.length === 0 ? [] : [couldNotLook("Whom the leases belong to", "agent", "the runtime's list could not be had, nor the node's pods")];
  return {
    state: "firing",
    // Full for certain; but of whose leases decides between this and a leak.
    certainty: unsure.length === 0 ? "named" : "suspected",
    summary: `${listWords(each)}.`,
    evidence: [...pools.flatMap((pool) => poolEvidence(input, pool)), ...blind, ...textEvidence(textsFor(input, "ipam-exhausted"))],
    pods: namesOf(waitsForNode(input)),
  };
}

function withoutPools(input: CauseInput, reason: string): Finding {
  const unseen = textsUnseen(input);
  const startedMs = startedLatelyMs(input);
  if (startedMs !== undefined) return byTexts(input, clear("A sandbox became ready lately, so there was an address, and no pod says that they are used up."));
  return byTexts(input, cannotTell(unseen ?? reason, [couldNotLook(WHAT, "agent", reason)]));
}

function byTexts(input: CauseInput, otherwise: Finding): Finding {
  const finding = textsOr(input, "ipam-exhausted", "say that no address is left.", otherwise, WHAT, "agent");
  return finding.state === "firing" ? { ...finding, ...milderForOwnRequests(input, textsFor(input, "ipam-exhausted")) } : finding;
}
