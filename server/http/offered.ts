/**
 * What the API answers, by path. The web process refuses everything else before Next sees it, and this is all that it needs for that: the table
 * of routes brings its schemas along, some 6 MB. A route whose path or method is not here does not compile.
 */
export const OFFERED = {
  "/api/v1/fleet": ["GET"],
  "/api/v1/nodes/{name}": ["GET"],
  "/api/v1/nodes/{name}/events": ["GET"],
  "/api/v1/nodes/{name}/timeline": ["GET"],
  "/api/v1/nodes/{name}/export": ["GET"],
  "/api/v1/nodes/{name}/actions": ["GET"],
  "/api/v1/nodes/{name}/actions/plan": ["POST"],
  "/api/v1/nodes/{name}/actions/dry-run": ["POST"],
  "/api/v1/nodes/{name}/actions/run": ["POST"],
  "/api/v1/actions": ["GET"],
  "/api/v1/actions/{requestId}": ["GET"],
  "/api/v1/audit": ["GET"],
  "/api/v1/kubelet-keys": ["GET"],
  "/api/v1/nodes/{name}/kubelet-key": ["POST"],
  "/api/v1/causes": ["GET"],
  "/api/v1/causes/{code}": ["GET"],
  "/api/v1/causes/{code}/exceptions": ["GET", "POST"],
  "/api/v1/causes/{code}/exceptions/withdraw": ["POST"],
  "/api/v1/incidents": ["GET"],
  "/api/v1/incidents/{id}": ["GET"],
  "/api/v1/incidents/{id}/export": ["GET"],
  "/api/v1/incidents/{id}/acknowledge": ["POST"],
  "/api/v1/incidents/{id}/notes": ["POST"],
  "/api/v1/incidents/{id}/title": ["POST"],
  "/api/v1/explain": ["POST"],
  "/api/v1/visibility": ["GET"],
  "/api/v1/status": ["GET"],
  "/api/v1/stream": ["GET"],
  "/api/v1/openapi.json": ["GET"],
} as const satisfies Readonly<Record<string, readonly ("GET" | "POST")[]>>;

export type OfferedPath = keyof typeof OFFERED;
/** Of each path the methods that it may be listed with. */
export type OfferedCall = { readonly [P in OfferedPath]: { readonly method: (typeof OFFERED)[P][number]; readonly path: P } }[OfferedPath];
