import { z } from "zod";
import { AGENT_AUDIENCE } from "@/server/domain/agent-report";
import { parseNodeName, type NodeName } from "@/server/domain/ids";
import type { Connection } from "../kube-api/connect";
import { KubeError } from "../kube-api/errors";
import { request } from "../kube-api/request";
import { Dropped } from "./drops";

/** The account under which agents run, as deploy/agent.yaml names it. */
export interface AgentAccount {
  readonly namespace: string;
  readonly name: string;
}

export const userNameOf = ({ namespace, name }: AgentAccount): string => `system:serviceaccount:${namespace}:${name}`;

const REVIEW_TIMEOUT_MS = 5_000;
const NODE_NAME = "authentication.kubernetes.io/node-name";
const POD_NAME = "authentication.kubernetes.io/pod-name";
const POD_UID = "authentication.kubernetes.io/pod-uid";

const Review = z.object({
  status: z.object({
    authenticated: z.boolean().default(false),
    audiences: z.array(z.string()).default([]),
    user: z.object({ username: z.string().default(""), extra: z.record(z.string(), z.array(z.string())).default({}) }).default({ username: "", extra: {} }),
  }),
});
const Pod = z.object({ metadata: z.object({ uid: z.string() }), spec: z.object({ nodeName: z.string().optional(), serviceAccountName: z.string().optional() }) });

export interface Reviewed {
  /** The node that the token is bound to; absent where it is bound to a pod only. */
  readonly node?: NodeName;
  readonly pod?: { readonly name: string; readonly uid: string };
}

/**
 * Asks the API server whose token this is, for the agents' audience alone. Throws Dropped where it is not one of this
 * account, KubeError where nobody answers or we may not ask.
 */
export async function reviewToken(connection: Connection, token: string, account: AgentAccount): Promise<Reviewed> {
  const answer = await request(connection, {
    method: "POST",
    segments: ["apis", "authentication.k8s.io", "v1", "tokenreviews"],
    body: { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", spec: { token, audiences: [AGENT_AUDIENCE] } },
    timeoutMs: REVIEW_TIMEOUT_MS,
  });
  const parsed = Review.safeParse(answer);
  if (!parsed.success) throw new KubeError(0, "not-kubernetes", `${connection.server} answered a TokenReview with something else.`, undefined);
  const { authenticated, audiences, user } = parsed.data.status;
  if (!authenticated) throw new Dropped("unknown-token", "the API server does not know this token, or not for this audience");
  // An authenticator that knows no audiences lets every token pass and names none.
  if (!audiences.includes(AGENT_AUDIENCE)) throw new Dropped("unknown-token", `the API server does not say that the token is for the audience ${AGENT_AUDIENCE}`);
  if (user.username !== userNameOf(account)) throw new Dropped("other-account", `only ${userNameOf(account)} may report (see --agent-account)`);
  const node = parseNodeName(user.extra[NODE_NAME]?.[0] ?? "");
  const name = user.extra[POD_NAME]?.[0];
  const uid = user.extra[POD_UID]?.[0];
  return { ...(node === undefined ? {} : { node }), ...(name === undefined || uid === undefined ? {} : { pod: { name, uid } }) };
}

/** The node of a pod of the account's namespace; undefined where there is no such pod any more, or it is another of its name. */
export async function nodeOfPod(connection: Connection, account: AgentAccount, pod: { readonly name: string; readonly uid: string }): Promise<NodeName | undefined> {
  try {
    const parsed = Pod.safeParse(await request(connection, { segments: ["api", "v1", "namespaces", account.namespace, "pods", pod.name], timeoutMs: REVIEW_TIMEOUT_MS }));
    return parsed.success && parsed.data.metadata.uid === pod.uid ? parseNodeName(parsed.data.spec.nodeName ?? "") : undefined;
  } catch (error) {
    if (error instanceof KubeError && error.status === 404) return undefined;
    throw error;
  }
}
