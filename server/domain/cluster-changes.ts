import type { ConfigChange } from "./agent-readings";
import type { ContainerResources, DaemonSetObject } from "./model";
import type { DaemonView, NodeView } from "./node-view";
import type { RevisionsReading } from "./observation";
import { MAX_DIFF_LINES, resourceWords } from "./template-diff";
import { bytesWords, countWords, instantWords } from "./words";

/** What changed on a node or in the cluster, beside answers, sources and events: kept so that what led to an incident can be told. */
export const CHANGE_KINDS = ["daemon-restarted", "daemon-oom-killed", "daemon-replaced", "rollout", "config"] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

export interface ClusterChange {
  readonly kind: ChangeKind;
  readonly atMs: number;
  /** Absent where it is the cluster's: a rollout. */
  readonly node?: string;
  /** "kube-system/kube-multus-ds", or a file's name. */
  readonly subject: string;
  readonly text: string;
  /** Lines that begin with "+" or "-", bounded by whoever made them. */
  readonly diff?: string;
}

/** What happened to a node's CNI daemons between two views of it: replaced, restarted, killed for memory. */
export function daemonChanges(before: Pick<NodeView, "daemons"> | undefined, after: Pick<NodeView, "name" | "daemons">, nowMs: number): readonly ClusterChange[] {
  if (before === undefined) return [];
  return after.daemons.flatMap((daemon): readonly ClusterChange[] => {
    const same = before.daemons.find(({ pod, container }) => pod === daemon.pod && container === daemon.container);
    const other = before.daemons.find(({ daemonSet, pod }) => daemonSet === daemon.daemonSet && !after.daemons.some((now) => now.pod === pod));
    const change = (kind: ChangeKind, atMs: number, text: string): ClusterChange => ({ kind, atMs: Math.min(atMs, nowMs), node: after.name, subject: daemon.daemonSet, text });
    if (same === undefined) return other === undefined ? [] : [change("daemon-replaced", nowMs, replacedWords(other, daemon))];
    const kills = daemon.oomKillsMs.filter((ms) => !same.oomKillsMs.includes(ms)).map((ms) => change("daemon-oom-killed", ms, `${daemon.container} was killed for memory${limitWords(daemon)}`));
    const restarts = daemon.restarts - same.restarts;
    if (restarts <= 0 || kills.length > 0) return kills;
    const { lastTermination } = daemon;
    const why = lastTermination === undefined ? "" : `: ${lastTermination.reason}, exit code ${lastTermination.exitCode}`;
    return [change("daemon-restarted", lastTermination?.atMs ?? nowMs, `${daemon.container} restarted${restarts > 1 ? ` ${restarts} times` : ""}, ${countWords(daemon.restarts, "restart")} by now${why}`)];
  });
}

const limitWords = ({ memoryLimitBytes }: DaemonView): string => (memoryLimitBytes === undefined ? ", without a limit of its own" : ` at its limit of ${bytesWords(memoryLimitBytes)}`);

function replacedWords(old: DaemonView, now: DaemonView): string {
  const revision = old.revision !== undefined && now.revision !== undefined && old.revision !== now.revision ? `, revision ${old.revision} to ${now.revision}` : "";
  const image = old.image !== undefined && now.image !== undefined && old.image !== now.image ? `, image ${old.image} to ${now.image}` : "";
  return `Pod ${old.pod} was replaced by ${now.pod}${revision}${image}`;
}

/** A new generation of a DaemonSet, as the watch told it. */
export interface Rollout {
  readonly before: DaemonSetObject;
  readonly after: DaemonSetObject;
  /** When it was seen. */
  readonly atMs: number;
  /** When `before` was last seen, where nobody looked in between: it began at some time since. */
  readonly awaySinceMs?: number;
}

/** The DaemonSets as they were when somebody last looked, and when that was: what another generation is compared with after a pause. */
export interface KnownDaemonSets {
  readonly items: readonly DaemonSetObject[];
  readonly lastMs: number;
}
export const NO_KNOWN_DAEMON_SETS: KnownDaemonSets = { items: [], lastMs: 0 };

/** `undefined` where the generation is the same, or it is another DaemonSet of that name. */
export const rolloutOf = (before: DaemonSetObject, after: DaemonSetObject, nowMs: number): Rollout | undefined =>
  before.uid !== after.uid || before.generation === after.generation ? undefined : { before, after, atMs: nowMs };

/**
 * A DaemonSet that was deleted and made anew under its name: no rollout of its own, and every pod of it was replaced. Its revisions went with the
 * old one, so that only what is kept of both can be compared. It stands at the time at which it was made, where that lies in the time told.
 */
export function remadeChange({ before, after, atMs, awaySinceMs }: Rollout): ClusterChange {
  const lines = keptDiff(before, after).slice(0, MAX_DIFF_LINES);
  const madeMs = Math.min(after.createdMs ?? atMs, atMs);
  return {
    kind: "rollout",
    atMs: awaySinceMs !== undefined && madeMs < awaySinceMs ? atMs : madeMs,
    subject: `${after.namespace}/${after.name}`,
    text: `Deleted and made anew${awaySinceMs === undefined ? "" : awayWords(awaySinceMs, atMs)}; its revisions went with the old one, so that arguments and environment cannot be compared`,
    ...(lines.length === 0 ? {} : { diff: lines.join("\n") }),
  };
}

/**
 * A rollout with what differs: between the two revisions of its template where they were read, else in the parts of the DaemonSet that
 * are kept. `reading` absent: nobody told of its revisions in time.
 */
export function rolloutChange({ before, after, atMs, awaySinceMs }: Rollout, reading?: RevisionsReading): ClusterChange {
  const update = listDiff("update", [updateWords(before)], [updateWords(after)]);
  const lines = reading?.looked === true ? [...reading.lines, ...update] : keptDiff(before, after);
  const shown = lines.slice(0, MAX_DIFF_LINES);
  const madeMs = reading?.looked === true && reading.madeMs !== undefined ? Math.min(reading.madeMs, atMs) : undefined;
  return {
    kind: "rollout",
    atMs: madeMs ?? atMs,
    subject: `${after.namespace}/${after.name}`,
    text: `Generation ${before.generation} to ${after.generation}${awaySinceMs === undefined ? "" : awayWords(awaySinceMs, atMs)}${readingWords(reading, lines.length)}`,
    ...(shown.length === 0 ? {} : { diff: shown.join("\n") }),
  };
}

const awayWords = (fromMs: number, toMs: number): string => `, while Sandglass did not look, from ${instantWords(fromMs, toMs)} to ${instantWords(toMs, toMs)}`;

function readingWords(reading: RevisionsReading | undefined, lines: number): string {
  if (reading === undefined) return "; what differs in arguments and environment was not told";
  if (!reading.looked) return `; arguments and environment could not be compared: ${reading.reason}`;
  const others = reading.others.length === 0 ? "" : `${lines === 0 ? "; what differs is not shown: " : "; not shown, but different too: "}${reading.others.join(", ")}`;
  return `, revision ${reading.from} to ${reading.to}${others}${lines === 0 && others === "" ? "; their templates are the same" : ""}`;
}

/** Whether the parts that are kept of a DaemonSet and that a rollout may change are the same. */
export const sameParts = (a: DaemonSetObject, b: DaemonSetObject): boolean => partsOf(a) === partsOf(b);
const partsOf = ({ images, hostPaths, containers }: DaemonSetObject): string => JSON.stringify([images, hostPaths, containers.map(containerWords)]);

const keptDiff = (before: DaemonSetObject, after: DaemonSetObject): string[] => [
  ...listDiff("image", before.images, after.images),
  ...listDiff("mounts", before.hostPaths, after.hostPaths),
  ...listDiff("resources", before.containers.map(containerWords), after.containers.map(containerWords)),
  ...listDiff("update", [updateWords(before)], [updateWords(after)]),
];

function listDiff(what: string, before: readonly string[], after: readonly string[]): string[] {
  return [...before.filter((item) => !after.includes(item)).map((item) => `- ${what} ${item}`), ...after.filter((item) => !before.includes(item)).map((item) => `+ ${what} ${item}`)];
}

const containerWords = (container: ContainerResources): string => `${container.name}: ${resourceWords(container)}`;
const updateWords = ({ updateStrategy, maxUnavailable }: DaemonSetObject): string => (maxUnavailable === undefined ? updateStrategy : `${updateStrategy}, at most ${maxUnavailable} unavailable`);

/** Changes of files of the CNI conf dir, as the node's agent saw them; secrets were removed there. */
export const configChanges = (node: string, changes: readonly ConfigChange[]): readonly ClusterChange[] =>
  changes.map(({ file, atMs, change, diff }) => ({ kind: "config", atMs, node, subject: file, text: `${file} was ${change}`, ...(diff === "" ? {} : { diff }) }));
