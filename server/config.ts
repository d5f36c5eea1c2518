import { isIP } from "node:net";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { z } from "zod";
import type { ClockSetting } from "./clock";
import { MAX_TOLD_PERIOD_SECONDS, MIN_TOLD_PERIOD_SECONDS } from "./domain/agent-report";

/**
 * The one place that reads the environment and the command line of `serve`. Every value has its limit here, and every
 * error names the option, the value and the limit.
 */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

export const KUBELET_MODES = ["auto", "direct", "proxy"] as const;
export const KUBELET_TLS_MODES = ["verify", "pin", "insecure"] as const;
export const LOG_LEVELS = ["debug", "info", "warn", "error", "silent"] as const;
const MAX_PORT = 65_535;
const MAX_SIMULATED_NODES = 5_000;
const MAX_SPEED = 1_000;
const MAX_LIST = 5_000;
const MAX_AGENT_NAMES = 16;
/** As deploy/agent.yaml names it. */
export const DEFAULT_AGENT_ACCOUNT = "sandglass-agent/sandglass-agent";

const port = (name: string, min = 0) =>
  z.string().transform((text, ctx) => {
    const value = Number(text);
    if (/^\d{1,5}$/.test(text) && value >= min && value <= MAX_PORT) return value;
    ctx.addIssue({ code: "custom", message: `${name} is "${text}": a port is a whole number from ${min} to ${MAX_PORT}` });
    return z.NEVER;
  });
const integer = (name: string, min: number, max: number) =>
  z.string().transform((text, ctx) => {
    const value = Number(text);
    if (/^\d{1,9}$/.test(text) && value >= min && value <= max) return value;
    ctx.addIssue({ code: "custom", message: `${name} is "${text}": it must be a whole number from ${min} to ${max}` });
    return z.NEVER;
  });
const oneOf = <T extends readonly [string, ...string[]]>(name: string, values: T) =>
  z.string().transform((text, ctx): T[number] => {
    if (values.includes(text)) return text;
    ctx.addIssue({ code: "custom", message: `${name} is "${text}": it must be one of ${values.join(", ")}` });
    return z.NEVER;
  });
/** A text that means something: an empty one is a mistake of whoever wrote it. */
const named = (name: string, max: number) =>
  z.string().transform((value, ctx) => {
    if (value.trim() !== "" && value.length <= max) return value;
    ctx.addIssue({ code: "custom", message: value.trim() === "" ? `${name} is empty` : `${name} has ${value.length} characters: at most ${max} are taken` });
    return z.NEVER;
  });
const MAX_PATH_CHARS = 4_096;
const MAX_HOST_CHARS = 253;
/** A DNS name (a wildcard is none: it would be good for any host beside this one) or an address. */
const hostName = (name: string) =>
  named(name, MAX_HOST_CHARS).refine((text) => isIP(text) !== 0 || /^[a-z0-9]([a-z0-9-]{0,62})(\.[a-z0-9-]{1,63})*\.?$/i.test(text), { error: (issue) => `${name} is "${String(issue.input)}": it must be a DNS name or an address` });

const nodeUrls = z.array(z.string()).max(MAX_LIST).transform((items, ctx) => {
  const urls = new Map<string, string>();
  for (const item of items) {
    const at = item.indexOf("=");
    const url = at > 0 ? URL.parse(item.slice(at + 1)) : null;
    // A path, a user or a query would be ignored or sent along.
    const more = url === null || url.protocol !== "https:" || url.pathname !== "/" || url.search !== "" || url.hash !== "" || url.username !== "" || url.password !== "";
    // A password that was given by mistake is not repeated.
    const shown = item.includes("@") ? `${item.slice(0, Math.max(at, 0))}=…` : item;
    if (more) ctx.addIssue({ code: "custom", message: `--kubelet-address is "${shown}": it must be NODE=https://HOST:PORT and nothing more` });
    else urls.set(item.slice(0, at), url.origin);
  }
  return urls;
});
const namespacedNames = z.array(z.string()).max(MAX_LIST).transform((items, ctx) => {
  for (const item of items) {
    if (!/^[a-z0-9-]{1,63}\/[a-z0-9.-]{1,253}$/.test(item)) ctx.addIssue({ code: "custom", message: `--cni-daemon is "${item}": it must be NAMESPACE/NAME of a DaemonSet` });
  }
  return items;
});

const accountName = z.string().transform((text, ctx) => {
  if (text === "none") return undefined;
  const match = /^([a-z0-9-]{1,63})\/([a-z0-9.-]{1,253})$/.exec(text);
  if (match?.[1] !== undefined && match[2] !== undefined) return { namespace: match[1], name: match[2] };
  ctx.addIssue({ code: "custom", message: `--agent-account is "${text}": it must be NAMESPACE/NAME of a service account, or none` });
  return z.NEVER;
});

const ServeSchema = z.object({
  port: port("--port", 1),
  data: named("--data", MAX_PATH_CHARS).transform((folder) => path.resolve(folder)),
  simulate: z.boolean(),
  kubeconfig: named("--kubeconfig", MAX_PATH_CHARS).optional(),
  context: named("--context", MAX_HOST_CHARS).optional(),
  allowActions: z.boolean(),
  metricsPort: port("--metrics-port").optional(),
  agentPort: port("--agent-port").optional(),
  agentHost: hostName("--agent-host"),
  agentName: z.array(hostName("--agent-name")).max(MAX_AGENT_NAMES, { error: `--agent-name is given more than ${MAX_AGENT_NAMES} times` }),
  agentAccount: accountName,
  agentPeriodSeconds: integer("--agent-period-seconds", MIN_TOLD_PERIOD_SECONDS, MAX_TOLD_PERIOD_SECONDS),
  kubelet: oneOf("--kubelet", KUBELET_MODES),
  kubeletAddress: nodeUrls,
  kubeletCa: named("--kubelet-ca", MAX_PATH_CHARS).optional(),
  kubeletTls: oneOf("--kubelet-tls", KUBELET_TLS_MODES),
  cniDaemon: namespacedNames,
  stuckAfterSeconds: integer("--stuck-after-seconds", 10, 3_600),
  windowSeconds: integer("--window-seconds", 60, 86_400),
  logLevel: oneOf("--log-level", LOG_LEVELS),
  nodes: integer("--nodes", 1, MAX_SIMULATED_NODES),
  scenario: named("--scenario", 40),
  speed: integer("--speed", 1, MAX_SPEED),
  seed: integer("--seed", 0, 999_999_999),
});
export type ServeConfig = z.infer<typeof ServeSchema>;

const text = { type: "string" } as const;
const list = { type: "string", multiple: true } as const;
const flag = { type: "boolean" } as const;
export const SERVE_OPTIONS = {
  port: text, data: text, simulate: flag, kubeconfig: text, context: text, "allow-actions": flag,
  "metrics-port": text, "agent-port": text, "agent-host": text, "agent-name": list, "agent-account": text, "agent-period-seconds": text,
  kubelet: text, "kubelet-address": list, "kubelet-ca": text, "kubelet-tls": text, "cni-daemon": list,
  "stuck-after-seconds": text, "window-seconds": text, "log-level": text,
  nodes: text, scenario: text, speed: text, seed: text, help: flag,
} as const;

/** Variables with our prefix that are not the product's: the test cluster's and the ones a parent process sets. */
const FOREIGN_VARIABLES = /^SANDGLASS_(CLUSTER_\w+|SHIM_\w+|CAPTURE_\w+|KUBELET|WEB|TEST_\w+)$/;
/** What Kubernetes puts into every pod for a Service whose name begins with ours: told by its name, or by an address where a number should stand. */
const OF_SERVICE = /^SANDGLASS_(\w+_)?(SERVICE_(HOST|PORT(_\w+)?)|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)$/;
const ADDRESS_OF_SERVICE = /^(tcp|udp|sctp):\/\//;
const isOfService = (name: string, value: string): boolean => OF_SERVICE.test(name) || (name.endsWith("_PORT") && ADDRESS_OF_SERVICE.test(value));
const KNOWN_VARIABLES = { SANDGLASS_PORT: "port", SANDGLASS_DATA: "data", SANDGLASS_LOG_LEVEL: "log-level" } as const;

export type Environment = Readonly<Record<string, string | undefined>>;
export const processEnvironment = (): Environment => process.env;

/** Options of `serve` from arguments, then variables, then defaults. Throws ConfigError with one sentence per fault. */
export function serveConfig(args: readonly string[], env: Environment): ServeConfig {
  const fromEnv: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (!name.startsWith("SANDGLASS_") || value === undefined || FOREIGN_VARIABLES.test(name) || isOfService(name, value)) continue;
    if (!Object.hasOwn(KNOWN_VARIABLES, name)) throw new ConfigError(`The environment has ${name}, which Sandglass does not know. It knows ${Object.keys(KNOWN_VARIABLES).join(", ")}; everything else is an option.`);
    fromEnv[KNOWN_VARIABLES[name as keyof typeof KNOWN_VARIABLES]] = value;
  }
  let values: Record<string, unknown>;
  try {
    values = { ...fromEnv, ...parseArgs({ args: [...args], options: SERVE_OPTIONS, strict: true, allowPositionals: false }).values };
  } catch (cause) {
    throw new ConfigError(`${cause instanceof Error ? (cause.message.split(/[.\n]/)[0] ?? "") : "The options cannot be read"}. Try --help.`, { cause });
  }
  const parsed = ServeSchema.safeParse({
    port: values.port ?? "7400",
    data: values.data ?? "data",
    simulate: values.simulate ?? false,
    kubeconfig: values.kubeconfig,
    context: values.context,
    allowActions: values["allow-actions"] ?? false,
    metricsPort: values["metrics-port"],
    agentPort: values["agent-port"],
    agentHost: values["agent-host"] ?? "127.0.0.1",
    agentName: values["agent-name"] ?? [],
    agentAccount: values["agent-account"] ?? DEFAULT_AGENT_ACCOUNT,
    agentPeriodSeconds: values["agent-period-seconds"] ?? "15",
    kubelet: values.kubelet ?? "auto",
    kubeletAddress: values["kubelet-address"] ?? [],
    kubeletCa: values["kubelet-ca"],
    kubeletTls: values["kubelet-tls"] ?? "verify",
    cniDaemon: values["cni-daemon"] ?? [],
    stuckAfterSeconds: values["stuck-after-seconds"] ?? "90",
    windowSeconds: values["window-seconds"] ?? "600",
    logLevel: values["log-level"] ?? "warn",
    nodes: values.nodes ?? "24",
    scenario: values.scenario ?? "demo",
    speed: values.speed ?? "1",
    seed: values.seed ?? "1",
  });
  if (!parsed.success) throw new ConfigError(parsed.error.issues.map((issue) => issue.message).join("; ") + ".");
  requireApart({ "--port": parsed.data.port, "--agent-port": parsed.data.agentPort, "--metrics-port": parsed.data.metricsPort });
  if (parsed.data.simulate && parsed.data.kubeconfig !== undefined) throw new ConfigError("--simulate and --kubeconfig exclude each other: leave one away.");
  return parsed.data;
}

/** Port 0 is any that is free. */
function requireApart(ports: Readonly<Record<string, number | undefined>>): void {
  const taken = new Map<number, string>();
  for (const [name, value] of Object.entries(ports)) {
    if (value === undefined || value === 0) continue;
    const other = taken.get(value);
    if (other !== undefined) throw new ConfigError(`${other} and ${name} are both ${value}: give each a port of its own.`);
    taken.set(value, name);
  }
}

/** What the web process gets from its parent: one variable that holds JSON, and nothing secret. */
const WebSchema = z.object({
  file: z.string(),
  port: z.number().int(),
  clock: z.object({ epochMs: z.number(), realMs: z.number(), rate: z.number() }),
  logLevel: z.enum(LOG_LEVELS),
  version: z.string(),
  actionsAllowed: z.boolean(),
  /** How actions reach the cluster: with the same configuration as the collector. */
  cluster: z.object({
    kubeconfig: z.string().optional(),
    context: z.string().optional(),
    /** What `identify` said of the cluster that is watched. A kubeconfig may point elsewhere by the time somebody clicks. */
    uid: z.string().optional(),
  }),
});
export type WebConfig = z.infer<typeof WebSchema>;
export const WEB_VARIABLE = "SANDGLASS_WEB";

export function webConfig(env: Environment): WebConfig {
  const raw = env[WEB_VARIABLE];
  if (raw === undefined) throw new ConfigError(`${WEB_VARIABLE} is not set: the pages are served by "sandglass serve", not on their own.`);
  return WebSchema.parse(JSON.parse(raw));
}

export const encodeWebConfig = (config: Omit<WebConfig, "clock"> & { readonly clock: ClockSetting }): string => JSON.stringify(config);

/** SANDGLASS_LOG_LEVEL for commands that have no option of their own for it. */
export function logLevel(env: Environment, otherwise: (typeof LOG_LEVELS)[number]): (typeof LOG_LEVELS)[number] {
  const text = env.SANDGLASS_LOG_LEVEL ?? otherwise;
  const level = LOG_LEVELS.find((one) => one === text);
  if (level === undefined) throw new ConfigError(`SANDGLASS_LOG_LEVEL is "${text}": it must be one of ${LOG_LEVELS.join(", ")}.`);
  return level;
}

/** Who runs this process, as the operating system names them; the actor of local mode. */
export function systemUser(): string {
  try {
    return os.userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? "unknown"}`; // an id without an entry in the user database, as containers have
  }
}

/** What finding a cluster needs of the environment. */
export interface ClusterEnvironment {
  readonly kubeconfigVariable?: string;
  readonly home: string;
  readonly serviceHost?: string;
  readonly servicePort?: string;
  /** For the credential plugins that a kubeconfig names. */
  readonly variables: Environment;
}
export function clusterEnvironment(env: Environment): ClusterEnvironment {
  return {
    home: env.HOME ?? os.homedir(),
    variables: env,
    ...(env.KUBECONFIG === undefined || env.KUBECONFIG === "" ? {} : { kubeconfigVariable: env.KUBECONFIG }),
    ...(env.KUBERNETES_SERVICE_HOST === undefined ? {} : { serviceHost: env.KUBERNETES_SERVICE_HOST }),
    ...(env.KUBERNETES_SERVICE_PORT === undefined ? {} : { servicePort: env.KUBERNETES_SERVICE_PORT }),
  };
}
