import type { Problem } from "@/server/contract/schemas";

/** Longest wait for one answer of Sandglass's own API. */
const FETCH_TIMEOUT_MS = 10_000;

/** The server answered, but not with what was asked for. `unreachable`: it did not answer at all. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  constructor(
    readonly code: string,
    message: string,
    readonly status?: number,
    options?: ErrorOptions & { readonly errors?: Problem["errors"] },
  ) {
    super(message, options);
    this.errors = options?.errors ?? [];
  }
  /** Which field, which value, which limit: where the server named them. */
  readonly errors: NonNullable<Problem["errors"]>;
}

/**
 * GET on the API of the server that this page came from. Page and API are one build, and a test holds every answer
 * against its schema, so the shape is taken as declared here instead of carrying the schemas into the browser.
 */
export function fetchJson<T>(path: string, signal?: AbortSignal): Promise<T> {
  return ask<T>(path, { headers: { accept: "application/json" } }, FETCH_TIMEOUT_MS, signal);
}

/** POST on the same API. A time-out tells nothing of what the server did: whoever sends a write looks afterwards. */
export function postJson<T>(path: string, body: unknown, options: { readonly timeoutMs?: number; readonly signal?: AbortSignal } = {}): Promise<T> {
  return ask<T>(path, { method: "POST", headers: { accept: "application/json", "content-type": "application/json" }, body: JSON.stringify(body) }, options.timeoutMs ?? FETCH_TIMEOUT_MS, options.signal);
}

async function ask<T>(path: string, init: RequestInit, timeoutMs: number, signal: AbortSignal | undefined): Promise<T> {
  const timeout = AbortSignal.timeout(timeoutMs);
  let response: Response;
  try {
    response = await fetch(path, { ...init, cache: "no-store", signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]) });
  } catch (cause) {
    if (signal?.aborted === true) throw cause;
    const why = timeout.aborted ? `did not answer within ${timeoutMs / 1_000} s` : "does not answer";
    throw new ApiError("unreachable", `Sandglass ${why}.`, undefined, { cause });
  }
  if (response.ok) return (await response.json()) as T;
  throw await problemOf(response);
}

async function problemOf(response: Response): Promise<ApiError> {
  const fallback = `Sandglass answered ${response.status}.`;
  if (response.headers.get("content-type")?.startsWith("application/problem+json") !== true) return new ApiError("failed", fallback, response.status);
  const problem = (await response.json()) as Partial<Problem>;
  return new ApiError(problem.code ?? "failed", problem.detail ?? problem.title ?? fallback, response.status, { errors: problem.errors ?? [] });
}
