"use client";

import Link from "next/link";
import { formatCount, plural } from "@/components/format/numbers";
import { AnswerGlyph } from "@/components/ui/glyphs";
import type { FleetCounts, FleetModel, Look } from "./model";
import { formatView, type ViewState } from "./view-state";

/** The three counts; each leads to its nodes in the table. */
export function Counts({ counts, hourAgo, view }: { readonly counts: FleetCounts; readonly hourAgo: FleetModel["hourAgo"]; readonly view: ViewState }) {
  const to = (answers: readonly Look[]): string => `/${formatView({ ...view, answers, text: "", pools: [] })}#nodes`;
  const waiting = `${plural(counts.waiting, "pod")} waiting${counts.waitingSystem > 0 ? `, ${formatCount(counts.waitingSystem)} system` : ""}`;
  return (
    <>
      <Count look="no" label="No" tone="is-no" count={counts.no} unit="nodes" before={hourAgo?.no} href={to(["no"])} note={waiting} />
      <Count look="unknown" label="Unknown" tone="is-unk" count={counts.unknown} unit="nodes" before={hourAgo?.unknown} href={to(["unknown"])} note="Never counted as healthy" />
      <Count look="yes" label="Yes" tone="" count={counts.yes} unit={`of ${plural(counts.nodes, "node")}`} before={hourAgo?.yes} href={to(["risk", "yes"])} note={counts.atRisk === 0 ? "None at risk" : `${formatCount(counts.atRisk)} of them at risk`} />
    </>
  );
}

interface CountProps {
  readonly look: Look;
  readonly label: string;
  readonly tone: string;
  readonly count: number;
  readonly unit: string;
  readonly before: number | undefined;
  readonly href: string;
  readonly note: string;
}

function Count({ look, label, tone, count, unit, before, href, note }: CountProps) {
  return (
    <Link className={count === 0 ? "is-zero" : tone} href={href} prefetch={false} scroll={true}>
      <span className="lab">
        <AnswerGlyph look={look} size={20} />
        {label}
        {before === undefined ? null : <span className="d">{hourChange(count - before)}</span>}
      </span>
      <span className="cnt">
        {formatCount(count)} <small>{unit}</small>
      </span>
      <span className="small muted">{note}</span>
    </Link>
  );
}

function hourChange(change: number): string {
  if (change === 0) return "±0 in 1 h";
  return `${change > 0 ? "+" : "−"}${formatCount(Math.abs(change))} in 1 h`;
}
