import { createHash } from "node:crypto";
import { z } from "zod";
import { isSimulatedUid, type ClusterIdentity } from "../../domain/observation";
import type { Connection } from "./connection";
import { ConnectError, KubeError } from "./errors";
import { notKubernetes, request } from "./request";
import { cleanText } from "./text";

const MAX_NAME_CHARS = 253;
const MAX_REASON_CHARS = 500;
/** Start-up waits for these answers; a person waits for start-up. */
const IDENTIFY_TIMEOUT_MS = 10_000;

const versionSchema = z.object({ gitVersion: z.string() });
const namespaceSchema = z.object({ metadata: z.object({ uid: z.string().min(1).max(100) }) });
const reviewSchema = z.object({ status: z.object({ userInfo: z.object({ username: z.string().min(1) }) }) });
const accessSchema = z.object({ status: z.object({ allowed: z.boolean(), denied: z.boolean().optional(), reason: z.string().optional(), evaluationError: z.string().optional() }) });

/** SelfSubjectReview came with 1.26 as alpha; before that nobody says who one is. */
const REVIEW_VERSIONS = ["v1", "v1beta1", "v1alpha1"] as const;

/** Which cluster this is and as whom we ask, each answer within `timeoutMs`. Throws a ConnectError where it cannot be reached or refuses us altogether. */
export async function identify(connection: Connection, timeoutMs: number = IDENTIFY_TIMEOUT_MS): Promise<ClusterIdentity> {
  // A credential plugin has a time-out of its own, and may well need longer than any answer.
  await connection.credentials();
  const version = await versionOf(connection, timeoutMs);
  const uid = await uidOf(connection, timeoutMs);
  const user = await userOf(connection, timeoutMs);
  return {
    uid,
    name: cleanText(connection.name, MAX_NAME_CHARS),
    server: connection.server,
    ...(version === undefined ? {} : { version }),
    user,
    simulated: isSimulatedUid(uid),
  };
}

const get = (connection: Connection, segments: readonly string[], timeoutMs: number) => request(connection, { segments, timeoutMs });

/** 401 and no answer end it; what else went wrong is the caller's to judge. */
function endIfHopeless(error: unknown, connection: Connection): asserts error is KubeError {
  if (!(error instanceof KubeError)) throw error;
  if (error.cause instanceof ConnectError) throw error.cause;
  if (error.status === 401) throw new ConnectError("unauthorized", `${connection.server} does not accept the credentials of ${connection.userHint} (${error.message}): they are wrong or have ended; sign in again or make a new kubeconfig.`, { cause: error });
  if (error.status === 0) throw new ConnectError(error.reason === "not-kubernetes" ? "not-kubernetes" : "connection-lost", error.message, { cause: error });
}

async function versionOf(connection: Connection, timeoutMs: number): Promise<string | undefined> {
  try {
    const parsed = versionSchema.safeParse(await get(connection, ["version"], timeoutMs));
    if (!parsed.success) throw notKubernetes(connection.server);
    return cleanText(parsed.data.gitVersion, MAX_NAME_CHARS);
  } catch (error) {
    if (error instanceof ConnectError) throw error;
    endIfHopeless(error, connection);
    if (error.status === 403) return undefined; // some clusters keep even their version to themselves
    if (error.status === 404) throw notKubernetes(connection.server);
    throw new ConnectError("connection-lost", `${connection.server} answered ${error.status} (${error.message}): it is not well; look at the API server.`, { cause: error });
  }
}

async function uidOf(connection: Connection, timeoutMs: number): Promise<string> {
  try {
    const parsed = namespaceSchema.safeParse(await get(connection, ["api", "v1", "namespaces", "kube-system"], timeoutMs));
    if (parsed.success) return cleanText(parsed.data.metadata.uid, 100);
  } catch (error) {
    endIfHopeless(error, connection);
    if (error.status !== 403 && error.status !== 404) throw new ConnectError("connection-lost", `${connection.server} answered ${error.status} (${error.message}): it is not well; look at the API server.`, { cause: error });
  }
  return fallbackUid(connection.server, await connection.caPem());
}

/**
 * Where the kube-system namespace may not be read, the cluster is its authority and its address: stable across
 * restarts, but a new address makes a new data file. Documented in docs/operate/connect.md.
 */
export function fallbackUid(server: string, caPem: string | undefined): string {
  return `server-${createHash("sha256").update(`${server}\n${caPem ?? ""}`).digest("hex").slice(0, 32)}`;
}

async function userOf(connection: Connection, timeoutMs: number): Promise<string> {
  for (const version of REVIEW_VERSIONS) {
    try {
      const answer = await request(connection, {
        method: "POST",
        segments: ["apis", "authentication.k8s.io", version, "selfsubjectreviews"],
        body: { apiVersion: `authentication.k8s.io/${version}`, kind: "SelfSubjectReview" },
        timeoutMs,
      });
      const parsed = reviewSchema.safeParse(answer);
      if (parsed.success) return cleanText(parsed.data.status.userInfo.username, MAX_NAME_CHARS);
    } catch (error) {
      endIfHopeless(error, connection);
      if (error.status !== 404) break;
    }
  }
  return cleanText(connection.userHint, MAX_NAME_CHARS);
}

export interface AccessQuestion {
  readonly verb: string;
  /** "" is the core group. */
  readonly group: string;
  readonly resource: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
}

/** Whether this connection's user may do it, and why (not). Throws a KubeError where the API server does not say. */
export async function can(connection: Connection, question: AccessQuestion): Promise<{ readonly allowed: boolean; readonly reason: string }> {
  const answer = await request(connection, {
    method: "POST",
    segments: ["apis", "authorization.k8s.io", "v1", "selfsubjectaccessreviews"],
    body: { apiVersion: "authorization.k8s.io/v1", kind: "SelfSubjectAccessReview", spec: { resourceAttributes: question } },
  });
  const parsed = accessSchema.safeParse(answer);
  if (!parsed.success) throw new KubeError(0, "not-kubernetes", notKubernetes(connection.server).message);
  const { allowed, reason, evaluationError } = parsed.data.status;
  const what = `${question.verb} ${question.resource}${question.subresource === undefined ? "" : `/${question.subresource}`}${question.group === "" ? "" : `.${question.group}`}${question.namespace === undefined ? "" : ` in ${question.namespace}`}`;
  const said = [reason, evaluationError].filter((text) => text !== undefined && text !== "").join("; ");
  return { allowed, reason: cleanText(said === "" ? (allowed ? `allowed to ${what}` : `no rule allows ${what}`) : said, MAX_REASON_CHARS) };
}
