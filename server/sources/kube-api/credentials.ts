import type { User } from "@kubernetes/client-node/dist/config_types.js";
import { systemClock } from "../../clock";
import { ConnectError } from "./errors";
import { execPlugin, parseExecConfig, type ExecCluster, type ExecContext } from "./exec-plugin";
import type { ReadFile, ResolvedContext } from "./kubeconfig";
import { cleanText } from "./text";

/** Tokens and certificates in files are exchanged while we run: read again after this long, as the Go client does. */
export const FILE_REREAD_MS = 60_000;
export const OIDC_TIMEOUT_MS = 30_000;
const MAX_REASON_CHARS = 200;

export type Headers = Readonly<Record<string, string | readonly string[]>>;

/** What one request needs to show who asks. */
export interface Shown {
  readonly headers: Headers;
  readonly cert?: string;
  readonly key?: string;
}

export interface Credentials {
  /** Who may let us wait, as the subject of a sentence; absent: nobody but the disk. */
  readonly madeBy?: string;
  get(): Promise<Shown>;
  /** The API server answered 401 to this: forget what was kept. True where the next `get` may give something else. */
  refused(shown: Shown): boolean;
}

/** Text of a file, kept for FILE_REREAD_MS; while the file cannot be read again, the last text stays in use. */
export function watchedFile(file: string, what: string, readFile: ReadFile): { get(): Promise<string>; forget(): void } {
  let kept: { readonly text: string; readonly readMs: number } | undefined;
  let fresh = false;
  return {
    get: async () => {
      const nowMs = systemClock.now();
      if (fresh && kept !== undefined && nowMs - kept.readMs < FILE_REREAD_MS && nowMs >= kept.readMs) return kept.text;
      try {
        kept = { text: (await readFile(file)).toString("utf8"), readMs: nowMs };
        fresh = true;
      } catch (error) {
        if (kept !== undefined) return kept.text;
        const code = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
        throw new ConnectError("credential-missing", `The ${what} ${file} cannot be read (${code}): check the path in the kubeconfig and the file's permissions.`, { cause: error });
      }
      return kept.text;
    },
    forget: () => {
      fresh = false;
    },
  };
}

type Part = { readonly madeBy?: string; get(): Promise<Partial<Shown>>; refused(shown: Shown): boolean };
const BEARER = "Bearer ";
/** What a header can carry and a token is made of. */
const TOKEN = /^[\x21-\x7e]+$/;
function bearer(token: string): Partial<Shown> {
  if (!TOKEN.test(token)) throw new ConnectError("credential-missing", "The token is empty, or holds a line break, a blank or a character that no token has: write it anew into the kubeconfig or its file.");
  return { headers: { authorization: BEARER + token } };
}
const bearerOf = ({ headers: { authorization } }: Shown): string | undefined => (typeof authorization === "string" && authorization.startsWith(BEARER) ? authorization.slice(BEARER.length) : undefined);
const fixed = (shown: Partial<Shown>): Part => ({ get: () => Promise.resolve(shown), refused: () => false });

/** The token file alone, as inside a cluster. */
export function tokenFileCredentials(file: string, readFile: ReadFile): Credentials {
  const part = tokenFile(file, readFile);
  return { get: async () => ({ headers: {}, ...(await part.get()) }), refused: part.refused };
}

function tokenFile(file: string, readFile: ReadFile): Part {
  const watched = watchedFile(file, "token file", readFile);
  return {
    get: async () => bearer((await watched.get()).trim()),
    refused: () => {
      watched.forget();
      return true;
    },
  };
}

/** Every way of a kubeconfig's user entry to say who asks. */
export function userCredentials({ user, cluster }: ResolvedContext, context: ExecContext, readFile: ReadFile): Credentials {
  const parts = [certificate(user, readFile), authorization(user, cluster, context, readFile)].filter((part) => part !== undefined);
  const impersonation: Record<string, string | readonly string[]> = {};
  if (user.impersonateUser) impersonation["impersonate-user"] = user.impersonateUser;
  if (user.more["as-uid"] !== undefined) impersonation["impersonate-uid"] = user.more["as-uid"];
  if (user.more["as-groups"] !== undefined && user.more["as-groups"].length > 0) impersonation["impersonate-group"] = user.more["as-groups"];
  for (const [name, values] of Object.entries(user.more["as-user-extra"] ?? {})) impersonation[`impersonate-extra-${encodeURIComponent(name)}`] = values;
  const madeBy = parts.find((part) => part.madeBy !== undefined)?.madeBy;
  return {
    ...(madeBy === undefined ? {} : { madeBy }),
    get: async () => {
      let shown: Shown = { headers: impersonation };
      for (const part of parts) {
        const more = await part.get();
        shown = { ...shown, ...more, headers: { ...shown.headers, ...more.headers } };
      }
      return shown;
    },
    refused: (shown) => parts.map((part) => part.refused(shown)).some((renewed) => renewed),
  };
}

function certificate(user: User, readFile: ReadFile): Part | undefined {
  const source = (data: string | undefined, file: string | undefined, what: string) => {
    if (data) return { get: () => Promise.resolve(Buffer.from(data, "base64").toString("utf8")), forget: () => undefined };
    return file ? watchedFile(file, what, readFile) : undefined;
  };
  const cert = source(user.certData, user.certFile, "client certificate");
  const key = source(user.keyData, user.keyFile, "client key");
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined) throw new ConnectError("kubeconfig-broken", `The user "${user.name}" of the kubeconfig has a client ${cert === undefined ? "key without its certificate" : "certificate without its key"}: add what is missing.`);
  return {
    get: async () => ({ cert: await cert.get(), key: await key.get() }),
    refused: () => {
      cert.forget();
      key.forget();
      return user.certFile !== undefined;
    },
  };
}

function authorization(user: ResolvedContext["user"], cluster: ExecCluster, context: ExecContext, readFile: ReadFile): Part | undefined {
  if (user.more.tokenFile !== undefined) return tokenFile(user.more.tokenFile, readFile);
  if (user.token) return fixed(bearer(user.token.trim()));
  if (user.exec) {
    const config = parseExecConfig(user.exec, user.name);
    const plugin = execPlugin(config, cluster, context);
    return {
      madeBy: `The credential plugin "${cleanText(config.command, MAX_REASON_CHARS)}" that the kubeconfig names`,
      get: async () => {
        const given = await plugin.get();
        return { ...(given.token === undefined ? {} : bearer(given.token)), ...(given.cert === undefined || given.key === undefined ? {} : { cert: given.cert, key: given.key }) };
      },
      refused: (shown) => plugin.refused(bearerOf(shown)),
    };
  }
  if (user.authProvider) return provider(user);
  if (user.username) return fixed({ headers: { authorization: `Basic ${Buffer.from(`${user.username}:${user.password ?? ""}`).toString("base64")}` } });
  return undefined;
}

/** The old `auth-provider` entries: OIDC works still, the cloud ones went out of kubectl with 1.26. */
function provider(user: User): Part {
  const name: unknown = user.authProvider?.name;
  if (name !== "oidc") throw new ConnectError("auth-unsupported", `The user "${user.name}" of the kubeconfig signs in by auth-provider "${cleanText(String(name), MAX_REASON_CHARS)}", which kubectl dropped in 1.26: make the kubeconfig anew with your provider's exec plugin.`);
  const failed = (reason: string, cause?: unknown) => new ConnectError("oidc-failed", `The OIDC token of user "${user.name}" cannot be renewed (${cleanText(reason, MAX_REASON_CHARS)}): sign in again, then start anew.`, { cause });
  let running: Promise<Partial<Shown>> | undefined;
  const ask = async (): Promise<Partial<Shown>> => {
    // Loaded only here: with its OpenID library it costs about 0.5 s and 80 MB.
    const { OpenIDConnectAuth } = await import("@kubernetes/client-node/dist/oidc_auth.js");
    const options: { headers: Record<string, string> } = { headers: {} };
    try {
      // A new one each time: after a renewal an old one takes the seconds left for a date and renews on every request.
      await within(new OpenIDConnectAuth().applyAuthentication(user, options), OIDC_TIMEOUT_MS);
    } catch (error) {
      throw failed(error instanceof Error ? error.message : String(error), error);
    }
    if (options.headers.Authorization === undefined) throw failed("it has ended, and there is no refresh-token, client-id or idp-issuer-url to renew it with");
    return { headers: { authorization: options.headers.Authorization } };
  };
  return {
    madeBy: `The OIDC provider of user "${user.name}"`,
    get: () => (running ??= ask().finally(() => (running = undefined))),
    refused: () => false,
  };
}

function within<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = systemClock.after(timeoutMs, () => reject(new Error(`no answer within ${timeoutMs / 1000} s`)));
    work.then(resolve, reject).finally(cancel);
  });
}
