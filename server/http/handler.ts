import { randomUUID } from "node:crypto";
import type { z } from "zod";
import { monotonicMs } from "../clock";
import type { Ctx } from "../services/ctx";
import { contextOf } from "./context";
import { readJsonBody, requireLocalHost, requireSameOriginJson } from "./guard";
import { ServiceError } from "../errors";
import { problemResponse, SAFE_HEADERS } from "./problem";
import type { Route } from "./routes";

export type RouteHandler = (request: Request, context: { params: Promise<Record<string, string | string[] | undefined>> }) => Promise<Response>;

interface Call<P, Q, B> {
  readonly ctx: Ctx;
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  readonly request: Request;
}

/** Longest query string that is looked at. */
const MAX_URL_CHARS = 4_096;

/**
 * The one wrapper of every route: host, origin, media type, size, schema, then the service; errors become problem
 * documents and are logged once. Rights are asked for inside the service as well.
 */
export function handler<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, R>(
  route: Route<P, Q, B>,
  run: (call: Call<z.infer<P>, z.infer<Q>, z.infer<B>>) => Promise<R | Response> | R | Response,
): RouteHandler {
  return async (request, context) => {
    const requestId = randomUUID();
    const startedMs = monotonicMs();
    let status = 500;
    let failure: unknown;
    try {
      requireLocalHost(request.headers);
      if (route.method !== "GET") requireSameOriginJson(request.headers, route.readsOnly === true);
      if (request.url.length > MAX_URL_CHARS) throw new ServiceError("invalid", `The address is over ${MAX_URL_CHARS} characters.`);
      const url = new URL(request.url);
      const call = {
        ctx: contextOf(requestId),
        params: parse(route.params, await context.params, "path"),
        query: parse(route.query, Object.fromEntries(url.searchParams), "query"),
        body: route.method === "GET" ? undefined : parse(route.body, await readJsonBody(request, route.maxBodyBytes), "body"),
        request,
      } as Call<z.infer<P>, z.infer<Q>, z.infer<B>>;
      const result = await run(call);
      const response = result instanceof Response ? result : new Response(JSON.stringify(result), { headers: { ...SAFE_HEADERS, "content-type": "application/json" } });
      status = response.status;
      return response;
    } catch (error) {
      failure = error;
      const response = problemResponse(error, requestId);
      status = response.status;
      return response;
    } finally {
      const record = { requestId, route: `${route.method} ${route.path}`, status, durationMs: Math.round(monotonicMs() - startedMs) };
      const log = contextLog();
      if (status >= 500) log?.error({ ...record, err: failure }, "request failed");
      else log?.debug(record, "request");
    }
  };
}

function contextLog() {
  try {
    return contextOf("log").log;
  } catch {
    return undefined; // the runtime could not be made: the answer itself carries that error
  }
}

function parse<T extends z.ZodType>(schema: T | undefined, value: unknown, where: string): z.infer<T> | undefined {
  if (schema === undefined) return undefined;
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const errors = parsed.error.issues.slice(0, 20).map((issue) => ({ field: [where, ...issue.path].join("."), message: issue.message }));
  throw new ServiceError("invalid", errors.map((error) => `${error.field}: ${error.message}`).join("; ").slice(0, 1_000), { errors });
}
