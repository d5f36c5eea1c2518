import type { Evidence, WaitingPod } from "../answer";
import type { EventObject } from "../model";
import { listWords } from "../words";
import { textsOr } from "./by-texts";
import { couldNotLook, notSeen, seen } from "./evidence";
import { cannotTell, clear, lineWords, MAX_EVIDENCE_TEXT_CHARS, podsOf, textEvidence, textsFor, textsUnseen } from "./findings";
import { MAX_PODS_NAMED, type Cause, type CauseInput, type Finding } from "./types";
import { askingPods, podKey, type Asking } from "./waiting-pods";

/** A pod and its network attachment may come in one go, and the watch of each kind tells in its own time. */
export const ATTACHMENT_FOLLOWS_MS = 30_000;
const MAX_SHOWN = 6;

export const nadMissing: Cause = {
  code: "nad-missing",
  title: "A pod asks for a network attachment that does not exist",
  severity: "notice",
  meaning:
    "A pod names network attachments in its annotation k8s.v1.cni.cncf.io/networks, and one of them does not exist, in the namespace where multus looks for it. Without a namespace in the annotation that is the pod's own. Or the cluster has no such kind at all, since its CRD was never installed or was removed.",
  impact: "The pods that ask for it wait, and begin within some 10 s once it is there. Other pods of the node are not concerned.",
  checks: [
    "The API: every network attachment that a pod of this node without a sandbox asks for, by namespace and name, once multus says so or the pod has waited for 30 s.",
    "Where attachments cannot be seen: multus' own event NoNetworkFound, by which it looked and found none; else texts that it cannot find one.",
  ],
  lookAlikes: [
    { code: "cni-config-invalid", tells: "There the network attachment exists and its config cannot be used." },
    { code: "auth-or-rbac", tells: "There it exists and multus may not read it; the text says forbidden or Unauthorized." },
    { code: "apiserver-unreachable", tells: "There multus could not ask: the text ends with a time-out or a refused connection." },
    { code: "plugin-binary-missing", tells: "There the attachment exists and names a plugin that is not on this node." },
  ],
  mitigation: [
    "See what the pod asks for and what there is: `kubectl -n NAMESPACE get pod POD -o jsonpath='{.metadata.annotations}'`, `kubectl get network-attachment-definitions -A`.",
    "Make the attachment, or mend the name in the template of whoever makes the pods. An attachment of another namespace is written namespace/name.",
    "If the kind itself is unknown, install the CRD of multus (network-attachment-definitions.k8s.cni.cncf.io); a chart that was removed takes the CRD and every attachment with it.",
    "With namespace isolation on, multus only takes attachments of the pod's own namespace and of those that it was told to share.",
  ],
  actions: [],
  explains: [],
  check: (input) => {
    const { nads } = input;
    const kind = input.kind("nads");
    const absent = !kind.seen && kind.absent === true;
    if (nads === undefined && !absent) return [unseen(input, kind.seen ? "they were not listed yet" : kind.reason)];
    const texts = textsFor(input, "nad-missing");
    const said = new Set(podsOf(texts));
    const asking = askingPods(input);
    const missing = asking
      .filter(({ pod }) => said.has(podKey(pod)) || input.nowMs - pod.hold.sinceMs >= ATTACHMENT_FOLLOWS_MS)
      .flatMap(({ pod, attachments }) => attachments.filter((key) => nads?.has(key) !== true).map((key) => ({ pod: podKey(pod), key })));
    if (missing.length === 0) return [noneMissing(input, asking)];
    const keys = [...new Set(missing.map(({ key }) => key))];
    const pods = [...new Set(missing.map(({ pod }) => pod))];
    const summary = absent ? `This cluster has no network attachments at all; ${listWords(keys)} ${keys.length === 1 ? "is" : "are"} asked for.` : `Network attachment ${listWords(keys)} ${keys.length === 1 ? "does" : "do"} not exist, and ${pods.length === 1 ? "a pod asks" : "pods ask"} for ${keys.length === 1 ? "it" : "them"}.`;
    const evidence: Evidence[] = [seen("Attachments asked for that do not exist", "api", { value: listWords(keys, MAX_SHOWN) }), notSeen("These among the cluster's network attachments", "api", { value: nads?.size ?? 0, unit: "attachments" }), ...textEvidence(texts)];
    return [{ state: "firing", certainty: "named", summary, evidence, pods: pods.slice(0, MAX_PODS_NAMED) }];
  },
};

/** What pods asked for is there now; a text of before says what was. */
function noneMissing(input: CauseInput, asking: readonly Asking[]): Finding {
  const found = clear(asking.length === 0 ? "No pod without a sandbox asks for a network attachment." : "Every network attachment that pods here ask for exists.");
  // multus also looks for the default network and for networks of its own config, which no annotation names.
  const other = textsFor(input, "nad-missing").filter(({ explanation }) => explanation.facts.network === undefined || input.nads?.has(explanation.facts.network) !== true);
  const asked = new Set(asking.map(({ pod }) => podKey(pod)));
  const unasked = other.filter(({ pods }) => !pods.some((pod) => asked.has(pod)));
  if (unasked.length === 0) return found;
  return textsOr({ ...input, errors: unasked }, "nad-missing", "say that a network attachment is missing which no annotation names: multus' default network may be one.", found, "", "api");
}

function unseen(input: CauseInput, because: string): Finding {
  const reason = `Network attachments cannot be seen: ${because}`;
  const what = "Network attachments that pods here ask for";
  const told = lookedUpByMultus(input);
  if (told.length > 0) {
    const pods = told.map(({ pod }) => podKey(pod));
    const evidence = told.slice(0, MAX_SHOWN).map(({ pod, event }) => seen(`multus' look for an attachment of ${podKey(pod)}`, "api", { value: lineWords(event.message, MAX_EVIDENCE_TEXT_CHARS), atMs: event.lastMs }));
    const who = pods.length === 1 ? `${pods[0] ?? ""} asks` : `${listWords(pods)} ask`;
    return { state: "firing", certainty: "named", summary: `multus looked for a network attachment that ${who} for, and there is none.`, evidence: [...evidence, couldNotLook(what, "api", reason)], pods: pods.slice(0, MAX_PODS_NAMED) };
  }
  const blind = askingPods(input).length === 0 && input.kind("pods").seen ? clear("No pod without a sandbox asks for a network attachment.") : cannotTell(reason, [couldNotLook(what, "api", reason)]);
  return textsOr(input, "nad-missing", "say that a network attachment is missing.", blind, what, "api");
}

const LOOKED_FOR = "NoNetworkFound";

/** multus says by an event of its own that it asked the API server and was told that there is no such attachment: a look, and no guess from words. */
function lookedUpByMultus(input: CauseInput): readonly { readonly pod: WaitingPod; readonly event: EventObject }[] {
  if (textsUnseen(input) !== undefined) return [];
  return askingPods(input).flatMap(({ pod }) => {
    const events = [...input.eventsAbout(pod.uid)].filter(({ reason, component, lastMs }) => reason === LOOKED_FOR && component === "multus" && lastMs >= pod.hold.sinceMs);
    const event = events.sort((a, b) => b.lastMs - a.lastMs)[0];
    return event === undefined ? [] : [{ pod, event }];
  });
}
