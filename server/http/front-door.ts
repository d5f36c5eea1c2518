import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { ServiceError } from "../errors";
import { isLocalHost, OTHER_HOST_REFUSED } from "../local-host";
import { OFFERED } from "./offered";
import { SAFE_HEADERS, toProblem } from "./problem";
import { isRouterState } from "./router-state";

/** These tell whoever keeps the process, by whatever name it asks, and nothing of the cluster. */
const PROBES: ReadonlySet<string> = new Set(["/healthz", "/readyz"]);
/** Pages and files are read; whatever changes something is in the API. */
const READ = ["GET", "HEAD"];
/** What Next shows in the place of a page that it cannot make. It has an address of its own, which answers 500. */
const ERROR_PAGE = "/_global-error";

export interface Refusal {
  readonly error: ServiceError;
  /** What the path does answer, with `method-not-allowed`. */
  readonly allow?: readonly string[];
}

/**
 * Why a request is not Next's to answer; `undefined` where it is. Next answers some of these with a page, an empty body or 500, and writes about
 * them on several lines, so that any page which a browser shows could fill the log.
 */
export function refusalOf(request: Pick<IncomingMessage, "method" | "url" | "headers" | "headersDistinct">): Refusal | undefined {
  const { method = "", url = "", headers } = request;
  const target = readTarget(url);
  // Of several Node keeps the first, and whoever comes after us might read another.
  const [host, ...more] = request.headersDistinct.host ?? [];
  if (!(target !== undefined && PROBES.has(target.raw)) && !(isLocalHost(host) && more.length === 0)) {
    return refused("bad-host", OTHER_HOST_REFUSED);
  }
  if (target === undefined) return refused("invalid", url.startsWith("/") ? "The path's percent-encoding is broken." : "The target of the request must be a path.");
  const allow = isOfApi(target.path) ? allowedByApi(target.segments) : READ;
  if (allow === undefined) return refused("not-found", "The API has nothing at this path; /api/v1/openapi.json says what it has.");
  if (!allow.includes(method)) return { ...refused("method-not-allowed", `This path answers ${allow.join(", ")}.`), allow };
  if (target.path === ERROR_PAGE) return refused("not-found", "There is no page at this path.");
  const state = headers["next-router-state-tree"];
  // Next reads it only where its own client asks (RSC).
  if (state !== undefined && headers.rsc !== undefined && !isRouterState(String(state))) return refused("invalid", "The header Next-Router-State-Tree does not hold what Next's own client sends.");
  if (headers["next-action"] !== undefined) return refused("invalid", "Sandglass has no server actions: the header Next-Action means nothing to it.");
  return undefined;
}

/** The answer to a refused request: a problem document with the headers of the API. */
export function answerRefused({ error, allow }: Refusal, response: ServerResponse): void {
  const problem = toProblem(error, randomUUID());
  const body = JSON.stringify(problem);
  response.writeHead(problem.status, { ...SAFE_HEADERS, "content-type": "application/problem+json", "content-length": Buffer.byteLength(body), ...(allow === undefined ? {} : { allow: allow.join(", ") }) });
  response.end(body);
}

const refused = (code: "bad-host" | "invalid" | "not-found" | "method-not-allowed", detail: string): Refusal => ({ error: new ServiceError(code, detail) });

interface Target {
  /** As it was sent, without the query. */
  readonly raw: string;
  /** With dot segments resolved, as Next does it, in lower case. */
  readonly path: string;
  readonly segments: readonly string[];
}

function readTarget(url: string): Target | undefined {
  if (!url.startsWith("/")) return undefined;
  const raw = url.split("?", 1)[0] ?? "";
  try {
    decodeURIComponent(raw);
    const path = new URL(`http://localhost${raw}`).pathname;
    return { raw, path: path.toLowerCase(), segments: path.split("/").map(decodeURIComponent) };
  } catch {
    return undefined; // what cannot be decoded or is no address is told to the sender by the caller
  }
}

const isOfApi = (path: string): boolean => path === "/api" || path.startsWith("/api/");

const PATTERNS = Object.entries(OFFERED).map(([path, methods]) => ({ segments: path.split("/"), allow: methods.flatMap((method) => (method === "GET" ? READ : [method])) }));

/** `undefined` where the API has nothing at the path. */
function allowedByApi(segments: readonly string[]): readonly string[] | undefined {
  return PATTERNS.find((pattern) => pattern.segments.length === segments.length && pattern.segments.every((part, index) => (part.startsWith("{") ? segments[index] !== "" : part === segments[index])))?.allow;
}
