import { execFile } from "node:child_process";
import { z } from "zod";
import { systemClock } from "../../clock";
import { ConnectError } from "./errors";
import { firstLine } from "./text";

/** A plugin that asks a person in a browser is no use here; one that asks a cloud answers in seconds. */
export const EXEC_TIMEOUT_MS = 30_000;
export const EXEC_MAX_OUTPUT_BYTES = 1024 * 1024;
/** After a failure nobody asks again for this long, however many watches want to connect. */
export const EXEC_FAILURE_PAUSE_MS = 5_000;
/** So long a credential that was refused right after it was made is believed to be what there is. */
export const EXEC_REFUSED_PAUSE_MS = 10_000;
/** A credential is renewed this long before it ends, so that none ends on its way. */
const RENEW_BEFORE_MS = 10_000;
const MAX_STDERR_CHARS = 200;

const execSchema = z.object({
  apiVersion: z.string().optional(),
  command: z.string().min(1),
  args: z.array(z.string()).nullish(),
  env: z.array(z.object({ name: z.string().min(1), value: z.string() })).nullish(),
  installHint: z.string().nullish(),
  provideClusterInfo: z.boolean().nullish(),
});
export type ExecConfig = z.infer<typeof execSchema>;

const answerSchema = z.object({
  status: z.object({
    token: z.string().min(1).optional(),
    clientCertificateData: z.string().min(1).optional(),
    clientKeyData: z.string().min(1).optional(),
    expirationTimestamp: z.string().optional(),
  }),
});

export interface ExecCredential {
  readonly token?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly expiresMs?: number;
}

export interface ExecCluster {
  readonly server: string;
  readonly caData?: string;
  readonly tlsServerName?: string;
  readonly proxyUrl?: string;
}

export interface ExecContext {
  /** The environment that the plugin inherits. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Ends a plugin that is running. */
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
}

export interface ExecPlugin {
  get(): Promise<ExecCredential>;
  /** The API server refused this: ask anew, unless that was done a moment ago. True where the next `get` may give something else. */
  refused(token: string | undefined): boolean;
}

export function parseExecConfig(raw: unknown, user: string): ExecConfig {
  const parsed = execSchema.safeParse(raw);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new ConnectError("kubeconfig-broken", `The exec plugin of user "${user}" in the kubeconfig is not complete (${issue?.path.join(".") ?? "exec"}: ${issue?.message ?? "wrong"}): correct that entry.`);
}

/**
 * Runs a credential plugin (client.authentication.k8s.io) with a time-out, bounded output and no terminal, keeps what it
 * gave until it ends, and never runs two at once.
 */
export function execPlugin(config: ExecConfig, cluster: ExecCluster, context: ExecContext): ExecPlugin {
  let kept: ExecCredential | undefined;
  let running: Promise<ExecCredential> | undefined;
  let forgottenMs: number | undefined;
  let failed: { readonly error: ConnectError; readonly untilMs: number } | undefined;

  const run = async (): Promise<ExecCredential> => {
    try {
      kept = parseAnswer(config, await runOnce(config, cluster, context));
      failed = undefined;
      return kept;
    } catch (error) {
      if (error instanceof ConnectError) failed = { error, untilMs: systemClock.now() + EXEC_FAILURE_PAUSE_MS };
      throw error;
    } finally {
      running = undefined;
    }
  };
  return {
    get: async () => {
      const nowMs = systemClock.now();
      if (kept !== undefined && (kept.expiresMs === undefined || kept.expiresMs - RENEW_BEFORE_MS > nowMs)) return kept;
      if (failed !== undefined && failed.untilMs > nowMs) throw failed.error;
      running ??= run();
      return running;
    },
    refused: (token) => {
      // Several watches are refused at once; the first has it asked anew, the others come with what is already old.
      if (kept === undefined || kept.token !== token) return true;
      const nowMs = systemClock.now();
      if (forgottenMs !== undefined && nowMs - forgottenMs < EXEC_REFUSED_PAUSE_MS) return false;
      forgottenMs = nowMs;
      kept = undefined;
      return true;
    },
  };
}

function runOnce(config: ExecConfig, cluster: ExecCluster, { variables, signal, timeoutMs = EXEC_TIMEOUT_MS }: ExecContext): Promise<string> {
  const info = {
    apiVersion: config.apiVersion ?? "client.authentication.k8s.io/v1",
    kind: "ExecCredential",
    spec: {
      interactive: false,
      ...(config.provideClusterInfo === true
        ? {
            cluster: {
              server: cluster.server,
              ...(cluster.caData === undefined ? {} : { "certificate-authority-data": cluster.caData }),
              ...(cluster.tlsServerName === undefined ? {} : { "tls-server-name": cluster.tlsServerName }),
              ...(cluster.proxyUrl === undefined ? {} : { "proxy-url": cluster.proxyUrl }),
            },
          }
        : {}),
    },
  };
  const env: Record<string, string | undefined> = {
    ...variables,
    ...Object.fromEntries((config.env ?? []).map(({ name, value }) => [name, value])),
    KUBERNETES_EXEC_INFO: JSON.stringify(info),
  };
  return new Promise((resolve, reject) => {
    // Next declares NODE_ENV as always set; a plugin does not need it.
    const child = execFile(config.command, [...(config.args ?? [])], { env: env as NodeJS.ProcessEnv, timeout: timeoutMs, killSignal: "SIGKILL", ...(signal === undefined ? {} : { signal }), maxBuffer: EXEC_MAX_OUTPUT_BYTES }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(failure(config, error, stderr, timeoutMs));
    });
    child.stdin?.on("error", () => undefined); // a plugin that closes its input early is not an error
    child.stdin?.end();
  });
}

function failure(config: ExecConfig, error: Error & { code?: string | number | null; killed?: boolean }, stderr: string, timeoutMs: number): ConnectError {
  const said = firstLine(stderr, MAX_STDERR_CHARS);
  if (error.code === "ENOENT" || error.code === "EACCES") {
    const hint = config.installHint ? ` (${firstLine(config.installHint, MAX_STDERR_CHARS)})` : "";
    return new ConnectError("exec-missing", `The credential plugin "${config.command}" that the kubeconfig names cannot be run: install it or put it on the PATH${hint}.`, { cause: error });
  }
  const how =
    error.code === "ERR_CHILD_PROCESS_STDIO_MAXBUFFER" ? `wrote more than ${EXEC_MAX_OUTPUT_BYTES} bytes` : error.killed ? `did not end within ${timeoutMs / 1000} s` : `failed with code ${error.code ?? "unknown"}`;
  return new ConnectError("exec-failed", `The credential plugin "${config.command}" ${how}${said === "" ? "" : `: ${said}`}; run it by hand to see why, a new login is often all it needs.`, { cause: error });
}

function parseAnswer(config: ExecConfig, stdout: string): ExecCredential {
  let raw: unknown;
  try {
    raw = JSON.parse(stdout);
  } catch (error) {
    throw new ConnectError("exec-failed", `The credential plugin "${config.command}" answered something that is not JSON: check its version and arguments in the kubeconfig.`, { cause: error });
  }
  const parsed = answerSchema.safeParse(raw);
  const status = parsed.success ? parsed.data.status : undefined;
  if (status === undefined || (status.token === undefined && (status.clientCertificateData === undefined || status.clientKeyData === undefined))) {
    throw new ConnectError("exec-failed", `The credential plugin "${config.command}" gave neither a token nor a certificate with its key: check its version and arguments in the kubeconfig.`);
  }
  const expiresMs = status.expirationTimestamp === undefined ? Number.NaN : Date.parse(status.expirationTimestamp);
  return {
    ...(status.token === undefined ? {} : { token: status.token }),
    ...(status.clientCertificateData === undefined || status.clientKeyData === undefined ? {} : { cert: status.clientCertificateData, key: status.clientKeyData }),
    ...(Number.isNaN(expiresMs) ? {} : { expiresMs }),
  };
}
