import { z } from "zod";
import { parseNamespace, parseNodeName, parseObjectName } from "../../domain/ids";
import { MAX_CONDITIONS } from "../../domain/agent-report";
import type { Observation } from "../../domain/observation";
import { parseReport } from "../../sources/agent/schema";
import { ENDS, RECORDING_FORMAT, RECORDING_VERSION, type RecordingHeader, type RecordingLine } from "./format";

/**
 * Lines of a recording into the plain types of the domain. A recording may come from anywhere, so each field has its type and each
 * text its bound; how many there are of anything is bounded by the line. That no field is forgotten here is checked by the compiler, at the end.
 */
const MAX_TEXT_CHARS = 8_192;
const MAX_WORD_CHARS = 1_024;
/** The year 2200: what lies beyond is no time. */
const MAX_TIME_MS = 7_258_118_400_000;

const text = z.string().max(MAX_TEXT_CHARS);
const word = z.string().max(MAX_WORD_CHARS);
const timeMs = z.number().min(0).max(MAX_TIME_MS);
const number = z.number();
const count = z.number().int().min(0);
const flag = z.boolean();

function named<T>(what: string, parse: (text: string) => T | undefined) {
  return z.string().max(MAX_WORD_CHARS).transform((given, context): T => {
    const name = parse(given);
    if (name !== undefined) return name;
    context.addIssue({ code: "custom", message: `not ${what}` });
    return z.NEVER;
  });
}
const nodeName = named("the name of a node", parseNodeName);
const namespace = named("a namespace", parseNamespace);
const objectName = named("the name of an object", parseObjectName);

const Condition = z.object({ type: word, status: z.enum(["True", "False", "Unknown"]), reason: word.exactOptional(), message: text.exactOptional(), sinceMs: timeMs.exactOptional() });
const Node = z.object({
  name: nodeName,
  uid: word,
  createdMs: timeMs.exactOptional(),
  pool: word.exactOptional(),
  zone: word.exactOptional(),
  unschedulable: flag,
  taints: z.array(word),
  conditions: z.array(Condition).max(MAX_CONDITIONS),
  addresses: z.array(z.object({ type: word, address: word })),
  kubeletPort: count.exactOptional(),
  versions: z.object({ kubelet: word.exactOptional(), runtime: word.exactOptional(), kernel: word.exactOptional(), os: word.exactOptional() }),
  allocatable: z.object({ cpuCores: number.exactOptional(), memoryBytes: number.exactOptional(), pods: number.exactOptional() }),
});

const Resources = z.object({ name: word, init: flag, cpuLimitCores: number.exactOptional(), cpuRequestCores: number.exactOptional(), memoryLimitBytes: number.exactOptional(), memoryRequestBytes: number.exactOptional() });
const Daemon = z.object({
  containers: z.array(Resources),
  restarts: count,
  ready: flag,
  readySinceMs: timeMs.exactOptional(),
  running: z.array(z.object({ container: word, init: flag, sinceMs: timeMs.exactOptional() })),
  terminations: z.array(z.object({ container: word, init: flag, reason: word.exactOptional(), exitCode: number.exactOptional(), finishedMs: timeMs.exactOptional(), message: text.exactOptional() })),
  filledIn: z.array(z.object({ container: word, init: flag, limits: z.array(word), requests: z.array(word) })).exactOptional(),
  waitingReasons: z.array(word),
  revision: word.exactOptional(),
  images: z.record(word, word).exactOptional(),
  unscheduled: z.object({ forNode: nodeName.exactOptional(), message: text.exactOptional(), sinceMs: timeMs.exactOptional() }).exactOptional(),
});
const Pod = z.object({
  uid: word,
  namespace,
  name: objectName,
  node: nodeName.exactOptional(),
  hostNetwork: flag,
  phase: z.enum(["Pending", "Running", "Succeeded", "Failed", "Unknown"]),
  createdMs: timeMs.exactOptional(),
  deleting: flag,
  deleteByMs: timeMs.exactOptional(),
  scheduledMs: timeMs.exactOptional(),
  readyToStart: z.object({ status: flag, sinceMs: timeMs.exactOptional() }).exactOptional(),
  hasIp: flag,
  containerStartedMs: timeMs.exactOptional(),
  hasAttachableVolumes: flag,
  hasResourceClaims: flag,
  owner: word.exactOptional(),
  system: flag,
  requests: z.object({ cpuCores: number, memoryBytes: number }).exactOptional(),
  networks: text.exactOptional(),
  hasNetworkStatus: flag.exactOptional(),
  socketMounts: z.array(z.object({ container: word, path: text, sinceMs: timeMs })).exactOptional(),
  daemon: Daemon.exactOptional(),
});

const Event = z.object({
  uid: word,
  namespace: word,
  reason: word,
  type: z.enum(["Normal", "Warning"]),
  message: text,
  count: number,
  firstMs: timeMs,
  lastMs: timeMs,
  about: z.object({ kind: word, namespace: word.exactOptional(), name: word, uid: word.exactOptional() }),
  host: word.exactOptional(),
  component: word.exactOptional(),
});

const DaemonSet = z.object({
  uid: word,
  namespace,
  name: objectName,
  createdMs: timeMs.exactOptional(),
  resourceVersion: word,
  generation: number,
  observedGeneration: number.exactOptional(),
  containers: z.array(Resources),
  images: z.array(word),
  matchLabels: z.record(word, word),
  tolerations: z.array(z.object({ key: word.exactOptional(), value: word.exactOptional(), effect: word.exactOptional() })),
  picksNodes: flag,
  hostPaths: z.array(text),
  priorityClass: word.exactOptional(),
  updateStrategy: z.enum(["RollingUpdate", "OnDelete"]),
  maxUnavailable: word.exactOptional(),
  desired: number,
  ready: number,
  updated: number,
});

const KINDS = ["nodes", "pods", "events", "daemonsets", "nads"] as const;
const Status = z.object({ kind: z.enum(KINDS), state: z.enum(["listing", "watching", "failing", "forbidden", "absent"]), reason: text.exactOptional(), lastMs: timeMs.exactOptional(), failingSinceMs: timeMs.exactOptional(), objects: count });

const INFINITE = "Infinity";
/** JSON has no infinity, which is the edge of every histogram's last bucket. */
const edge = z.union([z.number(), z.literal(INFINITE).transform(() => Infinity)]);
const Operation = z.object({ buckets: z.array(z.object({ upTo: edge, count: number })), errors: number.exactOptional() });
const Metrics = z.object({ operations: z.record(word, Operation), processStartSeconds: number.exactOptional() });
const Container = z.object({
  namespace: word,
  pod: word,
  container: word,
  cfsPeriods: number.exactOptional(),
  cfsThrottledPeriods: number.exactOptional(),
  cpuQuotaMicroseconds: number.exactOptional(),
  cpuPressureWaitingSeconds: number.exactOptional(),
  cpuUsageSeconds: number.exactOptional(),
  memoryWorkingSetBytes: number.exactOptional(),
  memoryMaxUsageBytes: number.exactOptional(),
  oomEvents: number.exactOptional(),
  startTimeSeconds: number.exactOptional(),
  statsAtMs: number.exactOptional(),
  cgroupId: text,
});
const Cadvisor = z.object({ containers: z.array(Container), hasPressure: flag });
const Report = z.unknown().transform((value, context) => {
  const parsed = parseReport(value);
  if (parsed.ok) return parsed.report;
  context.addIssue({ code: "custom", message: `not a report: ${parsed.detail}` });
  return z.NEVER;
});

const atMs = timeMs;
const api = z.literal("api");
const kubelet = z.literal("kubelet");
const seenOf = <T extends string, S extends z.ZodRawShape>(type: T, shape: S) => z.object({ type: z.literal(type), atMs, ...shape });
const page = { source: kubelet, node: nodeName };

const Seen = z.discriminatedUnion("type", [
  seenOf("node", { source: api, object: Node }),
  seenOf("node-gone", { source: api, name: nodeName }),
  seenOf("pod", { source: api, object: Pod }),
  seenOf("pod-gone", { source: api, uid: word }),
  seenOf("event", { source: api, object: Event }),
  seenOf("daemonset", { source: api, object: DaemonSet }),
  seenOf("daemonset-gone", { source: api, uid: word }),
  seenOf("revisions", { source: api, uid: word, generation: number, reading: z.discriminatedUnion("looked", [z.object({ looked: z.literal(true), from: number, to: number, madeMs: number.exactOptional(), lines: z.array(text), others: z.array(word) }), z.object({ looked: z.literal(false), reason: text })]) }),
  seenOf("nad", { source: api, key: word, pluginTypes: z.array(word), problem: text.exactOptional() }),
  seenOf("nad-gone", { source: api, key: word }),
  seenOf("listed", { source: api, kind: z.enum(KINDS), keys: z.array(word).transform((keys): ReadonlySet<string> => new Set(keys)) }),
  seenOf("kind-status", { source: api, status: Status }),
  seenOf("metrics", { ...page, tookMs: number, metrics: Metrics }),
  seenOf("cadvisor", { ...page, tookMs: number, metrics: Cadvisor }),
  seenOf("configz", { ...page, runtimeRequestTimeoutSeconds: number }),
  seenOf("failed", { ...page, page: z.enum(["metrics", "cadvisor", "configz"]), reason: text, hint: text.exactOptional(), timedOut: flag.exactOptional() }),
  seenOf("report", { source: z.literal("agent"), node: nodeName, report: Report, clockBehindMs: number.exactOptional() }),
]);

const Header = z.object({
  format: z.literal(RECORDING_FORMAT),
  version: z.number().int().min(1),
  by: word,
  cluster: z.object({ uid: word, name: word, server: word, version: word.exactOptional(), user: word, simulated: flag }),
  clock: z.object({ startedMs: timeMs, rate: z.number().positive() }),
  settings: z.object({
    thresholds: z.object({ stuckAfterSeconds: z.number().positive(), windowSeconds: z.number().positive() }),
    cniDaemons: z.array(word),
    expects: z.object({ kubelet: flag, agents: flag }),
  }),
});

const Line = z.union([
  z.object({ at: timeMs, see: Seen }).transform(({ at, see }): RecordingLine => ({ kind: "seen", atMs: at, observation: see })),
  z.object({ judged: timeMs }).transform(({ judged }): RecordingLine => ({ kind: "judged", atMs: judged })),
  z.object({ end: z.enum(ENDS), at: timeMs }).transform(({ end, at }): RecordingLine => ({ kind: "end", atMs: at, because: end })),
]);

/** What one line is written as. The opposite of `parseLine`. */
export function lineText(line: RecordingLine, clean: (text: string) => string): string {
  if (line.kind === "judged") return JSON.stringify({ judged: line.atMs });
  if (line.kind === "end") return JSON.stringify({ end: line.because, at: line.atMs });
  return JSON.stringify({ at: line.atMs, see: line.observation }, (_, value: unknown) => {
    if (typeof value === "string") return clean(value);
    if (value === Infinity) return INFINITE;
    return value instanceof Set ? [...(value as ReadonlySet<unknown>)] : value;
  });
}

export type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly reason: string };

const MAX_ISSUES_TOLD = 2;

/** Never throws; the reason names the field and not its value. */
function parsed<T>(schema: z.ZodType<T>, line: string): Parsed<T> {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { ok: false, reason: "not JSON" };
  }
  const result = schema.safeParse(value);
  if (result.success) return { ok: true, value: result.data };
  const issues = result.error.issues.flatMap((issue) => (issue.code === "invalid_union" ? (issue.errors.find((one) => !one.some(({ path }) => path.length === 1)) ?? issue.errors[0] ?? []) : [issue]));
  return { ok: false, reason: issues.slice(0, MAX_ISSUES_TOLD).map(({ path, message }) => `${path.map(String).join(".") || "line"}: ${message}`).join("; ") };
}

export const parseLine = (line: string): Parsed<RecordingLine> => parsed(Line, line);

export function parseHeader(line: string): Parsed<RecordingHeader> {
  const header = parsed(Header, line);
  if (header.ok && header.value.version > RECORDING_VERSION) return { ok: false, reason: `it is of version ${header.value.version}, and this Sandglass reads up to ${RECORDING_VERSION}: use a newer one` };
  return header;
}

/** A field of an observation that is missing above, or one above that no observation has, does not compile. */
type Whole<T> = T extends string | number | boolean ? T : T extends ReadonlySet<string> ? "set" : T extends readonly (infer Item)[] ? Whole<Item>[] : T extends object ? { [Key in keyof T]-?: Whole<T[Key]> } : T;
type Same<A, B> = [Whole<A>] extends [Whole<B>] ? ([Whole<B>] extends [Whole<A>] ? true : never) : never;
export const NO_FIELD_IS_FORGOTTEN: Same<Observation, z.output<typeof Seen>> = true;
