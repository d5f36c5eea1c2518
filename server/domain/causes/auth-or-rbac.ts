import type { CredentialReading } from "../agent-readings";
import type { Evidence } from "../answer";
import { durationWords, listWords } from "../words";
import { agentPart } from "./agent-part";
import { couldNotLook, notSeen, seen } from "./evidence";
import { textEvidence, textsFor } from "./findings";
import { saidByPods } from "./said-by-pods";
import type { Cause, CauseInput, Finding } from "./types";
import { namesOf, waitsForNode } from "./waiting-pods";

/** Clocks differ a little, and an API server forgives as much. */
export const EXPIRED_SECONDS = 60;
const WHAT = "Credentials that the CNI config in force names";

export const authOrRbac: Cause = {
  code: "auth-or-rbac",
  title: "The network's credentials are refused",
  severity: "blocks",
  meaning:
    "A plugin or daemon of the network asks the API server with credentials that are expired, revoked or too weak: the token in a kubeconfig beside the CNI config (multus.kubeconfig, calico-kubeconfig) ran out because the daemon that renews it was down, the cluster's authority was renewed, or a role is missing.",
  impact: "Pods wait although everything runs. With a token that runs out it begins without any change, and on the nodes one after the other.",
  checks: [
    "The agent: when the token or certificate ends in a kubeconfig that the config in force names. Ended for 60 s or more: named.",
    "Texts of waiting pods: Unauthorized, forbidden, or a certificate that is expired or signed by an unknown authority, once a pod has waited for 30 s.",
  ],
  lookAlikes: [
    { code: "apiserver-unreachable", tells: "There no answer comes; here it comes and is a refusal." },
    { code: "host-permission-or-mount", tells: "There the node's own kernel refuses (permission denied), not the API server." },
    { code: "nad-missing", tells: "There multus was allowed to look, and the attachment does not exist." },
  ],
  mitigation: [
    "Which kubeconfig: `ls -la /etc/cni/net.d /etc/cni/net.d/multus.d`. When does its token end: `awk '/token:/{print $2}' FILE | cut -d. -f2 | base64 -d 2>/dev/null | grep -o '\"exp\":[0-9]*'`.",
    "An expired token: restart the daemon that writes the file on this node; it makes a new one at its start.",
    "`forbidden` names user, verb and resource: compare with the ClusterRole of the CNI's manifest (`kubectl auth can-i VERB RESOURCE --as=USER`). An upgrade of the CNI without its new role is the usual reason.",
    "`x509` after the authority was renewed: restart the daemons of the CNI on all nodes, so that their kubeconfigs hold the new one. A wrong clock on the node gives the same text.",
  ],
  actions: ["restart-daemon-pod"],
  explains: [],
  check: (input) => {
    const used = credentialsInForce(input);
    const ended = used.looked ? used.items.filter((item) => isEnded(input, item)) : [];
    if (ended.length > 0) return [named(input, ended)];
    const beside = used.looked ? used.items.map(credentialEvidence) : [couldNotLook(WHAT, "agent", used.reason)];
    return saidByPods(input, "auth-or-rbac", { says: "say that the API server refuses the network's credentials.", beside: beside.length > 0 ? beside : [notSeen(WHAT, "agent")] });
  },
};

type Used = { readonly looked: false; readonly reason: string } | { readonly looked: true; readonly items: readonly CredentialReading[] };

/** Of a file that nobody loads it does not matter when its credentials end. */
function credentialsInForce(input: CauseInput): Used {
  const credentials = agentPart(input, "credentials");
  const config = agentPart(input, "config");
  if (!credentials.looked) return credentials;
  if (!config.looked) return config;
  const { effectiveFile } = config.reading;
  const files = agentPart(input, "configFiles");
  const behind = files.looked ? files.reading.multus?.clusterNetwork : undefined;
  return { looked: true, items: credentials.items.filter(({ wantedBy }) => wantedBy.some((file) => file === effectiveFile || file === behind)) };
}

const isEnded = ({ nowMs }: CauseInput, { expiresUnixSeconds }: CredentialReading): boolean => expiresUnixSeconds !== undefined && nowMs / 1_000 - expiresUnixSeconds >= EXPIRED_SECONDS;

function named(input: CauseInput, ended: readonly CredentialReading[]): Finding {
  const each = ended.map(({ path, kind = "token", wantedBy, expiresUnixSeconds = 0 }) => `The ${kind} in ${path}, which ${listWords(wantedBy)} uses, ended ${durationWords(input.nowMs / 1_000 - expiresUnixSeconds)} ago`);
  return { state: "firing", certainty: "named", summary: `${each.join("; ")}.`, evidence: [...ended.map(credentialEvidence), ...textEvidence(textsFor(input, "auth-or-rbac"))], pods: namesOf(waitsForNode(input)) };
}

function credentialEvidence({ path, kind, expiresUnixSeconds, problem }: CredentialReading): Evidence {
  const what = `End of the ${kind ?? "credentials"} in ${path}`;
  if (problem !== undefined) return couldNotLook(what, "agent", problem);
  return seen(what, "agent", expiresUnixSeconds === undefined ? { value: "none told" } : { value: new Date(expiresUnixSeconds * 1_000).toISOString() });
}
