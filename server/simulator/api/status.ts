/** A refusal as the API server words it; thrown by handlers, answered as a Status object. */
export class ApiError extends Error {
  constructor(
    readonly code: number,
    readonly reason: string,
    message: string,
    readonly details?: Readonly<Record<string, unknown>>,
  ) {
    super(message);
    this.name = "ApiError";
  }
}

export const statusOf = (error: ApiError): Record<string, unknown> => ({
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Failure",
  message: error.message,
  reason: error.reason,
  ...(error.details === undefined ? {} : { details: error.details }),
  code: error.code,
});

export const success = (details: Readonly<Record<string, unknown>>): Record<string, unknown> => ({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", details });

export const notFound = (resource: string, name: string, group = ""): ApiError =>
  new ApiError(404, "NotFound", `${resource}${group === "" ? "" : `.${group}`} "${name}" not found`, { name, ...(group === "" ? {} : { group }), kind: resource });
export const noSuchPath = (): ApiError => new ApiError(404, "NotFound", "the server could not find the requested resource", {});
export const badRequest = (message: string): ApiError => new ApiError(400, "BadRequest", message);
export const conflict = (resource: string, name: string, why: string): ApiError => new ApiError(409, "Conflict", `Operation cannot be fulfilled on ${resource} "${name}": ${why}`, { name, kind: resource });
export const gone = (asked: string, oldest: number): ApiError => new ApiError(410, "Expired", `too old resource version: ${asked} (${oldest})`);
export const expiredContinue = (): ApiError =>
  new ApiError(410, "Expired", "The provided continue parameter is too old to display a consistent list result. You must start a new list without the continue parameter.");

export function invalid(kind: string, group: string, name: string, field: string, value: string, why: string): ApiError {
  const message = `Invalid value: ${JSON.stringify(value)}: ${why}`;
  return new ApiError(422, "Invalid", `${kind}${group === "" ? "" : `.${group}`} "${name}" is invalid: ${field}: ${message}`, {
    name,
    ...(group === "" ? {} : { group }),
    kind,
    causes: [{ reason: "FieldValueInvalid", message, field }],
  });
}
