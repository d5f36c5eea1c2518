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

const WHY: Readonly<Record<string, string>> = {
  EACCES: "this user may not", EPERM: "this user may not", EROFS: "the file system is read-only", ENOSPC: "the disk is full", EDQUOT: "this user's share of the disk is used up",
  ENOENT: "it is not there, or cannot be made there", ENOTDIR: "a file stands where a folder should be", EEXIST: "something else of that name is there", EISDIR: "it is a folder", EMFILE: "this process has too many files open", ELOOP: "its links lead in a circle",
};

/** A file or folder that the file system refused, by its own error. */
function refusedFile(error: Error): string | undefined {
  if (!("code" in error && typeof error.code === "string" && "path" in error && typeof error.path === "string" && "syscall" in error && typeof error.syscall === "string")) return undefined;
  if (/^(spawn|connect|listen|bind)/.test(error.syscall)) return undefined;
  const why = WHY[error.code];
  return `${error.path} cannot be used (${error.syscall}: ${error.code})${why === undefined ? "" : `: ${why}`}. Choose another place, or see that this user may use it.`;
}

/** What a command prints of the error that ended it: one sentence where a person can do something about it, else all that is known. */
export function lastWords(error: unknown): string {
  if (isActionable(error)) return error.message;
  if (!(error instanceof Error)) return String(error);
  return refusedFile(error) ?? error.stack ?? error.message;
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
