import type { NodeSummary, SignalNowOut } from "@/server/contract/schemas";
import { SOCKET_STATES } from "@/server/domain/socket-states";
import { formatSecondsRange, formatSeconds, formatShare } from "@/components/format/numbers";
import type { FleetRow, RangeReading, Reading, Words } from "./model";

/** The fleet page's row of a node. Pure: page and live updates make the same row from the same summary. */
export function toRow(node: NodeSummary): FleetRow {
  const { answer } = node;
  const p95 = rangeReading(node.signals, "cri.run_sandbox.p95");
  const throttled = throttledReading(node.signals);
  const socket = socketReading(node.signals, answer.state);
  const cause = node.causes.find(({ severity }) => severity !== "notice");
  const row: FleetRow = {
    name: node.name,
    pool: node.pool,
    state: answer.state,
    atRisk: answer.atRisk,
    idle: answer.idle,
    sinceMs: Date.parse(answer.since),
    summary: answer.summary,
    ...(cause === undefined ? {} : { cause: cause.certainty === "named" ? cause.title : `${cause.title} (suspected)` }),
    detail: "",
    ready: node.ready,
    schedulable: node.schedulable,
    waiting: node.counts.seen ? { value: node.counts.waiting } : noData(first(node.signals, "pods.waiting")),
    waitingSystem: node.counts.seen ? node.counts.waitingSystem : 0,
    dead: reading(node.signals, "sandbox.backlog"),
    p95,
    deadlineSeconds: node.deadline.seconds,
    throttled,
    socket,
    ...(node.lastFreshAt === undefined ? {} : { lastFreshMs: Date.parse(node.lastFreshAt) }),
    ...(node.versions.kubelet === undefined ? {} : { kubelet: node.versions.kubelet }),
    ...(node.versions.runtime === undefined ? {} : { runtime: node.versions.runtime }),
  };
  return answer.state === "yes" && !answer.atRisk ? row : { ...row, detail: detailOf(row, node) };
}

const noData = (now: SignalNowOut | undefined): Words => ({ words: "no data", blind: true, ...(now?.reason === undefined ? {} : { why: now.reason }) });

const all = (signals: readonly SignalNowOut[], id: string): SignalNowOut[] => signals.filter((now) => now.signal === id);
const first = (signals: readonly SignalNowOut[], id: string): SignalNowOut | undefined => signals.find((now) => now.signal === id);
const freshValue = (now: SignalNowOut | undefined): number | undefined => (now?.state === "fresh" ? now.value : undefined);

function reading(signals: readonly SignalNowOut[], id: string): Reading {
  const now = first(signals, id);
  const value = freshValue(now);
  return value === undefined ? noData(now) : { value };
}

/** Nothing finished is neither zero nor blindness: the kubelet was read and had no call to tell of. */
function rangeReading(signals: readonly SignalNowOut[], percentile: string): RangeReading {
  const low = freshValue(first(signals, `${percentile}.low`));
  const high = freshValue(first(signals, `${percentile}.high`));
  if (low !== undefined) return high === undefined ? { low } : { low, high };
  return freshValue(first(signals, "cri.run_sandbox.calls")) === 0 ? { words: "no calls", blind: false } : noData(first(signals, `${percentile}.low`));
}

/** The most throttled of the node's CNI daemons. Without a limit nothing throttles, and that is not 0 %. */
function throttledReading(signals: readonly SignalNowOut[]): Reading {
  const shares = all(signals, "daemon.cpu.throttled_share");
  const values = shares.flatMap((now) => freshValue(now) ?? []);
  if (values.length > 0) return { value: Math.max(...values) };
  return shares.some((now) => saysNoLimit(now.reason)) ? { words: "no limit", blind: false } : noData(shares[0]);
}

/** The pipeline words a share that cannot exist as "no CPU limit". */
const saysNoLimit = (reason: string | undefined): boolean => reason !== undefined && /\bno (cpu )?limit\b/i.test(reason);

const ABSENT = SOCKET_STATES.indexOf("absent");

/**
 * The worst socket of the node. A socket that is not there counts only where the node cannot start a pod, or where
 * there is no other: most nodes lack most of the sockets that are known.
 */
function socketReading(signals: readonly SignalNowOut[], state: string): FleetRow["socket"] {
  const sockets = all(signals, "socket.state").flatMap((now) => {
    const code = freshValue(now);
    return code === undefined ? [] : [{ code, path: now.instance }];
  });
  const present = sockets.filter((socket) => socket.code !== ABSENT);
  const counted = state === "no" || present.length === 0 ? sockets : present;
  const worst = counted.reduce<(typeof counted)[number] | undefined>((bad, socket) => (bad === undefined || socket.code > bad.code ? socket : bad), undefined);
  if (worst === undefined) return { words: "no data", tone: "blind" };
  const words = SOCKET_STATES[worst.code] ?? "no data";
  if (words === "silent") return { words, tone: "warn" };
  if (words !== "answers") return { words, tone: "bad" };
  const latency = freshValue(signals.find((now) => now.signal === "socket.latency" && now.instance === worst.path));
  return { words: latency === undefined ? words : `${words}, ${formatSeconds(latency)}`, tone: "plain" };
}

const SHOWN_THROTTLE_SHARE = 0.25;

/** What else is known of a node that needs someone, in one line. */
function detailOf(row: FleetRow, node: NodeSummary): string {
  if (row.state === "unknown") {
    const blind = node.sources.filter((source) => source.freshness !== "fresh" && source.reason !== undefined);
    return blind.map(({ source, reason }) => `${source === "api" ? "API server" : source}: ${reason}`).join(" · ");
  }
  const parts: string[] = [];
  if ("value" in row.throttled && row.throttled.value >= SHOWN_THROTTLE_SHARE) parts.push(`CNI daemon throttled in ${formatShare(row.throttled.value)} of CFS periods`);
  if ("low" in row.p95) parts.push(`RunPodSandbox p95 ${formatSecondsRange(row.p95.low, row.p95.high)}`);
  if ("value" in row.dead && row.dead.value > 0) parts.push(`${row.dead.value} dead sandboxes`);
  if (row.socket.tone === "bad" || row.socket.tone === "warn") parts.push(`socket ${row.socket.words}`);
  if (node.ready !== "True") parts.push(`Ready ${node.ready}${node.readyMessage === undefined ? "" : `: ${node.readyMessage}`}`);
  if (!node.schedulable) parts.push("cordoned");
  return parts.join(" · ");
}
