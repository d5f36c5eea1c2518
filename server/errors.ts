/** An error that a person can act on: its message is the whole story, and the command line prints it without a stack. */
export class ActionableError extends Error {
  override readonly name = "ActionableError";
  readonly actionable = true;
}

export const actionableError = (sentence: string, cause?: unknown): ActionableError => new ActionableError(sentence, { cause });

const ACTIONABLE: ReadonlySet<string> = new Set(["ActionableError", "ConfigError", "ConnectError", "KubeError", "StoreError", "OptionsError", "AgentAuthorityError"]);

/** True for errors whose message alone is meant for a person, whichever part made them. */
export function isActionable(error: unknown): error is Error {
  return error instanceof Error && ACTIONABLE.has(error.name);
}

/** What a service could not do and why; transports turn the code into theirs. */
export type ErrorCode =
  | "invalid" | "bad-host" | "unauthenticated" | "forbidden" | "cross-site" | "not-found" | "method-not-allowed" | "conflict" | "gone" | "too-large"
  | "not-json" | "refused" | "too-many" | "failed" | "cluster-unreachable" | "unavailable";

export class ServiceError extends Error {
  override readonly name = "ServiceError";
  /** Next gives routes and pages their own copies of this module, so an error of one copy must be known to another. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && value.name === "ServiceError";
  }
  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly extra: { readonly errors?: readonly { readonly field: string; readonly message: string }[]; readonly retryAfterSeconds?: number; readonly cause?: unknown } = {},
  ) {
    super(message, { cause: extra.cause });
  }
}
