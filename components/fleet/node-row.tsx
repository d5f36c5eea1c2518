"use client";

import Link from "next/link";
import { useRouter } from "next/navigation";
import { memo } from "react";
import { useNow } from "@/components/live/live-provider";
import { useZone } from "@/components/shell/prefs-provider";
import { formatCount, formatSecondsRange, formatShare } from "@/components/format/numbers";
import { formatDuration, formatInstant } from "@/components/format/time";
import { AnswerGlyph } from "@/components/ui/glyphs";
import { lookOf, LOOK_WORDS, type FleetRow, type RangeReading, type Reading, type Words } from "./model";

const COARSE_MS = 10_000;
/** The bar's full width is a fifth more than the deadline, whose mark stands at 80 %. */
const DEADLINE_MARK = 0.8;
const HOT_SHARE = 0.25;
const BAD_SHARE = 0.9;

/** One node as a line of the table. Memoised: a message changes a few rows, and only those render. */
export const NodeRow = memo(function NodeRow({ row, line, active }: { readonly row: FleetRow; readonly line: number; readonly active: boolean }) {
  const router = useRouter();
  const zone = useZone();
  const now = useNow(COARSE_MS);
  const look = lookOf(row);
  const href = `/nodes/${encodeURIComponent(row.name)}`;
  return (
    <tr data-line={line} aria-rowindex={line + 2} className={active ? "is-active" : undefined} onPointerEnter={() => router.prefetch(href)}>
      <td>
        <Link className="med" href={href} prefetch={false}>
          {row.name}
        </Link>{" "}
        <span className="faint small">{row.pool}</span>
        {row.schedulable ? null : <span className="chip mini">cordoned</span>}
        {row.ready === "True" ? null : <span className="chip mini unknown">Ready {row.ready}</span>}
      </td>
      <td>
        <span className="ans">
          <AnswerGlyph look={look} />
          {LOOK_WORDS[look]}
          {row.idle ? <span className="faint">idle</span> : null}
        </span>
      </td>
      <td className="num" title={`since ${formatInstant(row.sinceMs, zone)}`}>
        {formatDuration((now - row.sinceMs) / 1_000)}
      </td>
      <td className="proof">
        <Proof row={row} now={now} />
      </td>
      <td className="num">
        <Count reading={row.waiting} />
        {row.waitingSystem > 0 ? <span className="u"> ({formatCount(row.waitingSystem)} sys)</span> : null}
      </td>
      <td className="num">
        <Count reading={row.dead} />
      </td>
      <td className="num">
        <Latency reading={row.p95} deadlineSeconds={row.deadlineSeconds} />
      </td>
      <td className="num">
        <Throttled reading={row.throttled} />
      </td>
      <td className={SOCKET_TONES[row.socket.tone]}>{row.socket.words}</td>
      <td className="mono muted hide-1280" title={row.runtime}>
        {bare(row.kubelet)} / {bare(row.runtime)}
      </td>
    </tr>
  );
});

/** "containerd://2.0.3" and "v1.31.6" as bare numbers; the whole is in the cell's title. */
const bare = (version: string | undefined): string => version?.replace(/^\w+:\/\//, "").replace(/^v/, "") ?? "unknown";

const SOCKET_TONES = { plain: "muted", warn: "warn-t", bad: "bad-t", blind: "nodata" } as const;

function Proof({ row, now }: { readonly row: FleetRow; readonly now: number }) {
  if (row.state === "no") return <span className="bad-t" title={row.summary}>{row.summary}</span>;
  if (row.state === "unknown") return <span className="unknown-t" title={row.detail === "" ? row.summary : row.detail}>{row.summary}</span>;
  if (row.lastFreshMs !== undefined && !row.idle) return <span className="muted" title={row.summary}>fresh {formatDuration((now - row.lastFreshMs) / 1_000)} ago</span>;
  return <span className="muted" title={row.summary}>{row.summary}</span>;
}

function InWords({ reading }: { readonly reading: Words }) {
  return (
    <span className={reading.blind ? "nodata" : "faint small"} title={reading.why}>
      {reading.words}
    </span>
  );
}

function Count({ reading }: { readonly reading: Reading }) {
  if (!("value" in reading)) return <InWords reading={reading} />;
  return reading.value === 0 ? <span className="zero">0</span> : <span className="med">{formatCount(reading.value)}</span>;
}

function Latency({ reading, deadlineSeconds }: { readonly reading: RangeReading; readonly deadlineSeconds: number }) {
  if (!("low" in reading)) return <InWords reading={reading} />;
  const edge = reading.high ?? reading.low;
  const over = reading.low >= deadlineSeconds || reading.high === undefined;
  const near = edge > deadlineSeconds / 2;
  return (
    <span className="vs">
      {formatSecondsRange(reading.low, reading.high)}
      <i aria-hidden="true" style={{ "--v": `${Math.min(100, Math.max(3, (edge / deadlineSeconds) * DEADLINE_MARK * 100))}%`, "--c": over ? "var(--bad-fill)" : near ? "var(--warn-fill)" : "var(--ink-muted)" }} />
    </span>
  );
}

function Throttled({ reading }: { readonly reading: Reading }) {
  if (!("value" in reading)) return <InWords reading={reading} />;
  return (
    <span className="vs plain">
      {formatShare(reading.value)}
      <i aria-hidden="true" style={{ "--v": `${reading.value * 100}%`, "--c": reading.value >= BAD_SHARE ? "var(--bad-fill)" : reading.value >= HOT_SHARE ? "var(--warn-fill)" : "var(--ink-muted)" }} />
    </span>
  );
}
