import { hostname } from "node:os";
import { parseArgs } from "node:util";
import { z } from "zod";
import { AGENT_REPORT_PATH, MAX_BIN_DIRS, MAX_PATH_CHARS, MAX_SOCKETS } from "../domain/agent-report";
import { isNodeAction, NODE_ACTIONS, type NodeAction } from "../domain/actions/work-order";
import { parseNodeName } from "../domain/ids";

/** What the command line of `agent` asks for, parsed and bounded. */
export interface AgentOptions {
  readonly mode: "once" | "push";
  readonly output: "json" | "text";
  readonly node: string;
  readonly push?: { readonly url: string; readonly tokenFile: string; readonly caFile: string };
  /** Absent: what the server tells, and the usual one until it has. */
  readonly periodMs?: number;
  /** "auto": the places where runtimes put it; "none": do without the runtime (its socket equals root on the node). */
  readonly criSocket: string;
  readonly confDir?: string;
  readonly binDirs: readonly string[];
  readonly sockets: readonly NamedSocket[];
  /** Where the node's root is mounted when the agent runs in a pod; "" on the node itself. */
  readonly hostRoot: string;
  readonly bufferAgeMs: number;
  readonly bufferBytes: number;
  /** Loopback port that tells whether rounds still end; none where absent. */
  readonly healthPort?: number;
  /** What the server may order; absent: nothing, and it is not asked. */
  readonly work?: { readonly actions: readonly NodeAction[]; readonly stateDir: string };
}

export interface NamedSocket {
  readonly name: string;
  readonly path: string;
  readonly speaks: "http" | "any";
}

export type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problems: readonly string[] };

const STATE_DIR = "/var/lib/sandglass-agent";

export const AGENT_USAGE = `usage: sandglass agent --once [--output json|text]
       sandglass agent --push https://SERVER:PORT --token-file F --ca-file F [--node NAME] [--period 15s]

  --once                 look once, print the report and end; with --push also send it
  --push URL             send a report every period to the server's agent port
  --token-file F         this node's token, as made by \`sandglass agent-token NODE\`
  --ca-file F            certificate of the server's own authority (agents/ca.crt in its data folder)
  --node NAME            the node's name in the cluster (default: this machine's host name)
  --period 15s           time between reports, 1s to 5m (default: what the server says, else 15s)
  --socket NAME=PATH     look at this socket as well; repeatable. An HTTP answer is expected from it;
                         NAME=PATH,any for a daemon that speaks something else
  --cri-socket PATH      the runtime's socket (default: found; "none": do without)
  --conf-dir D           the folder of network configs (default: what the runtime says, else found)
  --bin-dir D            a folder of CNI plugins; repeatable (default: what the runtime says, else found)
  --host-root D          where the node's root folder is mounted (default: /)
  --buffer-age 1h, --buffer-size 8MiB   what is kept while the server is away
  --health-port PORT     answer GET /healthz on 127.0.0.1 while rounds end, for the kubelet's probe
  --enable-actions A,B   take these orders from the server: ${NODE_ACTIONS.join(", ")}
                         (default: none, and the server is not asked)
  --state-dir D          where it is remembered what was ordered, so that nothing is done twice (default: ${STATE_DIR})`;

const FLAGS = {
  once: { type: "boolean" },
  output: { type: "string" },
  push: { type: "string" },
  "token-file": { type: "string" },
  "ca-file": { type: "string" },
  node: { type: "string" },
  period: { type: "string" },
  socket: { type: "string", multiple: true },
  "cri-socket": { type: "string" },
  "conf-dir": { type: "string" },
  "bin-dir": { type: "string", multiple: true },
  "host-root": { type: "string" },
  "buffer-age": { type: "string" },
  "buffer-size": { type: "string" },
  "health-port": { type: "string" },
  "enable-actions": { type: "string" },
  "state-dir": { type: "string" },
} as const;

const MIN_PERIOD_MS = 1_000;
const MAX_PERIOD_MS = 300_000;
const MIN_BUFFER_AGE_MS = 60_000;
const MAX_BUFFER_AGE_MS = 6 * 3_600_000;
const MIN_BUFFER_BYTES = 64 * 1024;
const MAX_BUFFER_BYTES = 256 * 1024 * 1024;
const DEFAULT_BUFFER_AGE_MS = 3_600_000;
const DEFAULT_BUFFER_BYTES = 8 * 1024 * 1024;

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };
const UNIT_BYTES: Readonly<Record<string, number>> = { B: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 };

function quantity(units: Readonly<Record<string, number>>, example: string, min: number, max: number, limits: string) {
  return z.string().transform((text, context) => {
    const match = /^(\d{1,9})([A-Za-z]+)$/.exec(text);
    const unit = units[match?.[2] ?? ""];
    const value = Number(match?.[1]) * (unit ?? Number.NaN);
    if (value >= min && value <= max) return value;
    context.addIssue({ code: "custom", message: `"${text}" is not a value such as ${example}, from ${limits}` });
    return z.NEVER;
  });
}

const absolutePath = z
  .string()
  .max(MAX_PATH_CHARS, `is longer than ${String(MAX_PATH_CHARS)} characters`)
  .refine((text) => text.startsWith("/") && !text.includes("\0"), { error: (issue) => `"${String(issue.input)}" is not an absolute path` });

const namedSocket = z.string().transform((text, context): NamedSocket => {
  const match = /^([A-Za-z0-9][A-Za-z0-9_.-]{0,62})=(\/[^\0]*?)(,any)?$/.exec(text);
  if (match?.[1] !== undefined && match[2] !== undefined && match[2].length <= MAX_PATH_CHARS) {
    return { name: match[1], path: match[2], speaks: match[3] === undefined ? "http" : "any" };
  }
  context.addIssue({ code: "custom", message: `"${text}" is not NAME=/PATH (or NAME=/PATH,any)` });
  return z.NEVER;
});

const pushUrl = z.string().transform((text, context) => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === "https:" && url.username === "" && url.password === "") {
    if (url.pathname === "/" || url.pathname === "") url.pathname = AGENT_REPORT_PATH;
    return url.href;
  }
  const shown = text.includes("@") ? "the value" : `"${text}"`; // what stands before an @ may be a password
  context.addIssue({ code: "custom", message: `${shown} is not an https:// address without credentials` });
  return z.NEVER;
});

const actionNames = z.string().transform((text, context): readonly NodeAction[] => {
  const names = text.split(",").map((name) => name.trim());
  const unknown = names.filter((name) => !isNodeAction(name));
  if (unknown.length === 0) return [...new Set(names.filter(isNodeAction))];
  context.addIssue({ code: "custom", message: `"${unknown[0] ?? ""}" is no action of an agent: there are ${NODE_ACTIONS.join(", ")}` });
  return z.NEVER;
});

const nodeName = z.string().refine((text) => parseNodeName(text) !== undefined, { error: (issue) => `"${String(issue.input)}" is not a possible node name` });

const MAX_PORT = 65_535;
const portNumber = z.string().transform((text, context) => {
  const value = Number(text);
  if (/^\d{1,5}$/.test(text) && value >= 1 && value <= MAX_PORT) return value;
  context.addIssue({ code: "custom", message: `"${text}" is not a port from 1 to ${String(MAX_PORT)}` });
  return z.NEVER;
});

const Raw = z.strictObject({
  once: z.boolean().default(false),
  output: z.enum(["json", "text"], "is either json or text").default("json"),
  push: pushUrl.optional(),
  "token-file": z.string().min(1, "is empty").optional(),
  "ca-file": z.string().min(1, "is empty").optional(),
  node: nodeName.optional(),
  period: quantity(UNIT_MS, "15s", MIN_PERIOD_MS, MAX_PERIOD_MS, "1s to 5m").optional(),
  socket: z.array(namedSocket).max(MAX_SOCKETS, `more than ${String(MAX_SOCKETS)} sockets`).default([]),
  "cri-socket": z
    .string()
    .refine((text) => text === "auto" || text === "none" || absolutePath.safeParse(text).success, 'is neither an absolute path nor "none"')
    .default("auto"),
  "conf-dir": absolutePath.optional(),
  "bin-dir": z.array(absolutePath).max(MAX_BIN_DIRS, `more than ${String(MAX_BIN_DIRS)} folders`).default([]),
  "host-root": absolutePath.default("/"),
  "buffer-age": quantity(UNIT_MS, "1h", MIN_BUFFER_AGE_MS, MAX_BUFFER_AGE_MS, "1m to 6h").default(DEFAULT_BUFFER_AGE_MS),
  "buffer-size": quantity(UNIT_BYTES, "8MiB", MIN_BUFFER_BYTES, MAX_BUFFER_BYTES, "64KiB to 256MiB").default(DEFAULT_BUFFER_BYTES),
  "health-port": portNumber.optional(),
  "enable-actions": actionNames.optional(),
  "state-dir": absolutePath.default(STATE_DIR),
});

/** Reads the words after `agent`. Every problem names its flag, the value and the limit; unknown flags are named. */
export function agentOptions(argv: readonly string[]): Parsed<AgentOptions> {
  const { values, tokens } = parseArgs({ args: [...argv], options: FLAGS, strict: false, tokens: true });
  const problems = tokens.flatMap((token): string[] => {
    if (token.kind === "positional") return [`unexpected word "${token.value}"`];
    if (token.kind !== "option") return [];
    const flag = Object.hasOwn(FLAGS, token.name) ? FLAGS[token.name as keyof typeof FLAGS] : undefined; // own key just checked
    if (flag === undefined) return [`unknown option ${token.rawName}`];
    if (flag.type === "string" && token.value === undefined) return [`${token.rawName} needs a value`];
    if (flag.type === "boolean" && token.value !== undefined) return [`${token.rawName} takes no value`];
    return [];
  });
  if (problems.length > 0) return { ok: false, problems };
  const raw = Raw.safeParse(values);
  if (!raw.success) return { ok: false, problems: raw.error.issues.map((issue) => `--${String(issue.path[0] ?? "agent")}: ${issue.message}`) };
  return combine(raw.data);
}

function combine(raw: z.output<typeof Raw>): Parsed<AgentOptions> {
  const problems: string[] = [];
  const node = raw.node ?? hostname().toLowerCase();
  if (parseNodeName(node) === undefined) problems.push(`this machine's host name "${node}" is not a possible node name: give --node`);
  if (!raw.once && raw.push === undefined) problems.push("give --once or --push URL");
  const actions = raw["enable-actions"];
  if (actions !== undefined && (raw.once || raw.push === undefined)) problems.push("--enable-actions needs --push, without --once: orders come from a server");
  let push: AgentOptions["push"];
  if (raw.push !== undefined) {
    const tokenFile = raw["token-file"];
    const caFile = raw["ca-file"];
    if (tokenFile === undefined) problems.push("--push needs --token-file");
    if (caFile === undefined) problems.push("--push needs --ca-file");
    if (tokenFile !== undefined && caFile !== undefined) push = { url: raw.push, tokenFile, caFile };
  }
  if (problems.length > 0) return { ok: false, problems };
  return {
    ok: true,
    value: {
      mode: raw.once ? "once" : "push",
      output: raw.output,
      node,
      ...(push === undefined ? {} : { push }),
      ...(raw.period === undefined ? {} : { periodMs: raw.period }),
      criSocket: raw["cri-socket"],
      ...(raw["conf-dir"] === undefined ? {} : { confDir: raw["conf-dir"] }),
      binDirs: raw["bin-dir"],
      sockets: raw.socket,
      hostRoot: raw["host-root"] === "/" ? "" : raw["host-root"].replace(/\/+$/, ""),
      bufferAgeMs: raw["buffer-age"],
      bufferBytes: raw["buffer-size"],
      ...(raw["health-port"] === undefined ? {} : { healthPort: raw["health-port"] }),
      ...(actions === undefined ? {} : { work: { actions, stateDir: raw["state-dir"] } }),
    },
  };
}
