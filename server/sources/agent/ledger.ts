import type { NodeName } from "@/server/domain/ids";
import type { AgentReport } from "@/server/domain/agent-report";
import { shiftTimes } from "@/server/domain/shift-times";
import { Dropped } from "./drops";

/** What is remembered of each node's agent: enough to refuse a report that comes twice, and to show its clock. */
export interface AgentSeen {
  readonly node: NodeName;
  /** When the last report was taken, and the corrected time at which it was made. */
  readonly lastMs: number;
  readonly lastReportMs: number;
  /** The server's clock less the node's; positive where the node is behind. */
  readonly skewMs: number;
  readonly agentVersion: string;
}

export interface Taken {
  readonly report: AgentReport;
  /** By how much its times were moved; absent where the clocks agree. */
  readonly clockBehindMs?: number;
}

export interface Ledger {
  /** The report with its times corrected. Throws `Dropped` for one that was taken before or whose time makes no sense. */
  take(node: NodeName, report: AgentReport, sentMs: number | undefined, arrivedMs: number): Taken;
  seen(): readonly AgentSeen[];
}

/** Beyond this, a time is nonsense even after the clock is corrected. */
const MAX_OFF_MS = 600_000;
/** An agent may keep reports this long while the server is away; its own limit is the same. */
export const MAX_BUFFERED_MS = 6 * 3_600_000;
/** Less than this is the way of the message, not the clock. */
const MIN_SKEW_MS = 2_000;
/** Starts of the agent whose last sequence is remembered; a crash loop moves through them. */
const MAX_STARTS = 8;

interface Account {
  seen: AgentSeen;
  /** startId → last sequence, oldest start first. */
  readonly starts: Map<string, number>;
}

/** Bounded by the number of nodes that have a token. */
export function createLedger(): Ledger {
  const accounts = new Map<NodeName, Account>();
  return {
    take: (node, report, sentMs, arrivedMs) => {
      const account = accounts.get(node);
      const last = account?.starts.get(report.startId);
      if (last !== undefined && report.sequence <= last) throw new Dropped("replayed", `sequence ${String(report.sequence)} of this start was taken before`);
      const measuredMs = arrivedMs - (sentMs ?? report.atMs);
      const skewMs = Math.abs(measuredMs) < MIN_SKEW_MS ? 0 : measuredMs;
      const madeMs = report.atMs + skewMs;
      if (madeMs > arrivedMs + MAX_OFF_MS) throw new Dropped("clock", "the report is from the future, by the clock of its own sender");
      if (madeMs < arrivedMs - MAX_BUFFERED_MS - MAX_OFF_MS) throw new Dropped("clock", `the report is older than the ${String(MAX_BUFFERED_MS / 3_600_000)} hours that are taken`);

      const starts = account?.starts ?? new Map<string, number>();
      starts.delete(report.startId);
      starts.set(report.startId, report.sequence);
      for (const [oldest] of starts) if (starts.size > MAX_STARTS) starts.delete(oldest);
      accounts.set(node, { starts, seen: { node, lastMs: arrivedMs, lastReportMs: madeMs, skewMs: measuredMs, agentVersion: report.agentVersion } });
      return { report: shiftTimes({ ...report, node }, skewMs), ...(skewMs === 0 ? {} : { clockBehindMs: skewMs }) };
    },
    seen: () => [...accounts.values()].map((account) => account.seen),
  };
}
