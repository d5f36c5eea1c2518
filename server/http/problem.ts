import { ServiceError, type ErrorCode } from "../errors";
import type { Problem } from "../contract/schemas";

/** RFC 9457: one adapter for everything that a service throws. */
const ERROR_STATUS: Record<ErrorCode, number> = {
  invalid: 400, "bad-host": 421, unauthenticated: 401, forbidden: 403, "cross-site": 403, "not-found": 404, "method-not-allowed": 405, conflict: 409,
  gone: 410, "too-large": 413, "not-json": 415, refused: 422, "too-many": 429, failed: 500, "cluster-unreachable": 502, unavailable: 503,
};
const TITLES: Record<ErrorCode, string> = {
  invalid: "The request is not valid", "bad-host": "This host name is not served", unauthenticated: "Sign in first", forbidden: "You may not do this",
  "cross-site": "Cross-site requests are refused", "not-found": "There is nothing by this name", "method-not-allowed": "This method is not offered here", conflict: "Something changed in between", gone: "It is no longer there",
  "too-large": "The request is too large", "not-json": "Send JSON", refused: "The plan refuses this", "too-many": "Too many at once", failed: "Sandglass failed",
  "cluster-unreachable": "The cluster does not answer", unavailable: "Not available now",
};

/** The collector tries again by itself, and so may the caller: somebody makes room, another process lets go. */
const STORE_RETRY_SECONDS = 15;

/** What a caller may be told, of a service or of the store, each by its name: Next gives routes their own copies of a class. */
function knownError(error: unknown): ServiceError | undefined {
  if (error instanceof ServiceError) return error;
  if (!(error instanceof Error)) return undefined;
  const extra = { cause: error, retryAfterSeconds: STORE_RETRY_SECONDS };
  if (error.name === "StoreUnwritable") return new ServiceError("unavailable", `This could not be written down. ${error.message}`, extra);
  if (error.name === "StoreError" && "code" in error && error.code === "too-many") return new ServiceError("too-many", error.message, extra);
  return undefined;
}

/** An unknown error becomes a general sentence; its text stays in the log. */
export function toProblem(error: unknown, requestId: string): Problem {
  const known = knownError(error);
  const code = known?.code ?? "failed";
  return {
    type: `urn:sandglass:problem:${code}`,
    title: TITLES[code],
    status: ERROR_STATUS[code],
    detail: known?.message ?? "The reason is in the log under this request's id.",
    code,
    ...(known?.extra.errors === undefined ? {} : { errors: [...known.extra.errors] }),
    requestId,
  };
}

export function problemResponse(error: unknown, requestId: string): Response {
  const problem = toProblem(error, requestId);
  const retry = knownError(error)?.extra.retryAfterSeconds;
  return new Response(JSON.stringify(problem), {
    status: problem.status,
    headers: { ...SAFE_HEADERS, "content-type": "application/problem+json", ...(retry === undefined ? {} : { "retry-after": String(retry) }) },
  });
}

/** On every answer of the API. */
export const SAFE_HEADERS = {
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "referrer-policy": "same-origin",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
} as const;
