import { z } from "zod";
import { systemClock } from "../../clock";
import { headerOf, readText, retryAfterMs } from "./body";
import type { Connection, WireRequest, WireResponse } from "./connection";
import { AnswerError, ConnectError, connectionError, KubeError } from "./errors";
import { pathOf, queryOf, type Query } from "./path";
import { cleanText } from "./text";

export const REQUEST_TIMEOUT_MS = 30_000;
export const MAX_BODY_BYTES = 16 * 1024 * 1024;
const MAX_ERROR_BYTES = 64 * 1024;
const MAX_MESSAGE_CHARS = 1_024;

export interface KubeRequest {
  /** GET where absent. */
  readonly method?: WireRequest["method"];
  /** Each is checked; nothing of a name can leave its place in the path. */
  readonly segments: readonly string[];
  readonly query?: Query;
  readonly body?: unknown;
  /** Of the body; "application/json" where absent. */
  readonly contentType?: "application/json" | "application/merge-patch+json" | "application/strategic-merge-patch+json" | "application/json-patch+json" | "application/apply-patch+yaml";
  readonly timeoutMs?: number;
  readonly maxBodyBytes?: number;
  readonly signal?: AbortSignal;
}

/** One request and its JSON answer. Throws a KubeError (status 0 where no answer came), or a PathError for a path that no name may make. */
export async function request(connection: Connection, options: KubeRequest): Promise<unknown> {
  const text = await requestText(connection, options);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new KubeError(0, "not-kubernetes", notKubernetes(connection.server).message, undefined, { cause: error });
  }
}

/** As `request`, for what is not JSON. */
export async function requestText(connection: Connection, options: KubeRequest): Promise<string> {
  const timeoutMs = options.timeoutMs ?? REQUEST_TIMEOUT_MS;
  const late = AbortSignal.timeout(timeoutMs);
  const path = pathOf(options.segments) + queryOf(options.query);
  try {
    const answer = await connection.send({
      method: options.method ?? "GET",
      path,
      ...(options.body === undefined ? {} : { body: JSON.stringify(options.body), headers: { "content-type": options.contentType ?? "application/json" } }),
      signal: options.signal === undefined ? late : AbortSignal.any([options.signal, late]),
      headersTimeoutMs: timeoutMs,
      bodyTimeoutMs: timeoutMs,
    });
    if (answer.status >= 400) throw await errorOf(answer, connection.server);
    return await readText(answer, options.maxBodyBytes ?? MAX_BODY_BYTES, connection.server);
  } catch (error) {
    if (error instanceof KubeError) throw error;
    if (options.signal?.aborted) throw new KubeError(0, "aborted", "The request was broken off.", undefined, { cause: error });
    if (late.aborted) throw timedOut(error, connection.server, timeoutMs);
    if (error instanceof AnswerError) throw new KubeError(0, error.code, error.message, undefined, { cause: error });
    const cause = connectionError(error, connection.server);
    throw new KubeError(0, cause.code, cause.message, undefined, { cause });
  }
}

/** The time was up, for the API server's answer or, where `error` says so, for what comes before it. */
function timedOut(error: unknown, server: string, timeoutMs: number): KubeError {
  if (error instanceof ConnectError) return new KubeError(0, "timed-out", error.message, undefined, { cause: error });
  const cause = new ConnectError("timed-out", `${server} did not answer within ${timeoutMs / 1000} s: check the network and the API server's load.`, { cause: error });
  return new KubeError(0, "timed-out", `${server} did not answer within ${timeoutMs / 1000} s.`, undefined, { cause });
}

const statusSchema = z.object({ message: z.string().optional(), reason: z.string().optional(), details: z.object({ retryAfterSeconds: z.number().nonnegative().optional() }).nullish() });

/** The KubeError of an answer of 400 and above: Kubernetes' Status where it sent one, else what HTTP says. */
export async function errorOf(answer: WireResponse, server: string): Promise<KubeError> {
  const header = retryAfterMs(headerOf(answer, "retry-after"), systemClock.now());
  let status: z.infer<typeof statusSchema> = {};
  try {
    const parsed = statusSchema.safeParse(JSON.parse(await readText(answer, MAX_ERROR_BYTES, server)));
    if (parsed.success) status = parsed.data;
  } catch (error) {
    // The code alone says enough where the text cannot be read.
    return new KubeError(answer.status, `Http${answer.status}`, `${server} answered ${answer.status} without a Kubernetes status.`, header, { cause: error });
  }
  const waitMs = header ?? (status.details?.retryAfterSeconds === undefined ? undefined : status.details.retryAfterSeconds * 1000);
  return new KubeError(answer.status, cleanText(status.reason ?? `Http${answer.status}`, 100), cleanText(status.message ?? `${server} answered ${answer.status}.`, MAX_MESSAGE_CHARS), waitMs);
}

export const notKubernetes = (server: string): ConnectError => new ConnectError("not-kubernetes", `${server} answers, but not as a Kubernetes API server: check the address in the kubeconfig.`);
