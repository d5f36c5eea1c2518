"use client";

import { memo, useMemo, useState, type ReactNode } from "react";
import type { Timeline } from "@/server/contract/schemas";
import { useZone } from "@/components/shell/prefs-provider";
import { formatClock } from "@/components/format/time";
import { Instant } from "@/components/ui/instant";
import { groupEvents, type EventGroup, type LaneEvent } from "./geometry/events";
import { placeMarks, type Mark } from "./geometry/marks";
import type { Window } from "./geometry/range";
import { shareOf } from "./geometry/scale";
import { clipSpans, mergeSame, unspanned } from "./geometry/strips";
import type { StripLane } from "./panels/types";

const box = (span: Window, window: Window): { left: string; width: string } => ({ left: `${shareOf(span.fromMs, window) * 100}%`, width: `calc(${(shareOf(span.toMs, window) - shareOf(span.fromMs, window)) * 100}% - 1px)` });

export function Lane({ title, subtitle, children }: { readonly title: string; readonly subtitle?: string; readonly children: ReactNode }) {
  return (
    <div className="wb-row lane" role="group" aria-label={title}>
      <div className="wb-g">
        <b>{title}</b>
        {subtitle}
      </div>
      <div className="wb-y" />
      <div className="wb-p">{children}</div>
    </div>
  );
}

const ANSWER_TONES = { yes: "ok", no: "bad", unknown: "unknown" } as const;

export const AnswerLane = memo(function AnswerLane({ answers, window }: { readonly answers: Timeline["answers"]; readonly window: Window }) {
  const spans = useMemo(() => {
    const all = answers.map((answer) => ({ ...answer, fromMs: Date.parse(answer.from), toMs: Date.parse(answer.to), startMs: Date.parse(answer.from) }));
    return mergeSame(clipSpans(all, window), (a, b) => a.state === b.state && a.atRisk === b.atRisk && a.idle === b.idle);
  }, [answers, window]);
  return (
    <Lane title="Answer">
      {unspanned(spans, window).map((empty) => (
        <span key={empty.fromMs} className="strip gapx" style={box(empty, window)} title="Sandglass did not judge this node then" />
      ))}
      {spans.map((span) => {
        const tone = span.state === "yes" && span.atRisk ? "warn" : ANSWER_TONES[span.state];
        const word = span.state === "no" ? "No" : span.state === "unknown" ? "Unknown" : span.atRisk ? "Yes, at risk" : span.idle ? "Yes, idle" : "Yes";
        return (
          <span key={span.fromMs} className={`strip ${tone}`} style={box(span, window)} title={`${word}: ${span.summary}`}>
            {word}
            {span.state === "no" ? (
              <>
                , since <Instant at={span.startMs} />
              </>
            ) : null}
          </span>
        );
      })}
    </Lane>
  );
});

export const StripRow = memo(function StripRow({ lane, window }: { readonly lane: StripLane; readonly window: Window }) {
  return (
    <Lane title={lane.title} subtitle={lane.subtitle}>
      {lane.runs.map((run) => (
        <span key={run.fromMs} className={`strip ${run.tone === "gap" ? "gapx" : run.tone}`} style={box(run, window)} title={`${lane.id}: ${run.words}`}>
          {run.tone === "gap" ? null : run.words}
        </span>
      ))}
    </Lane>
  );
});

/** Events in groups; the arrow keys walk the groups, and the one that is pointed at or focused is told in words. */
export const EventsLane = memo(function EventsLane({ events, window, truncated }: { readonly events: readonly LaneEvent[]; readonly window: Window; readonly truncated: boolean }) {
  const groups = useMemo(() => groupEvents(events, window), [events, window]);
  const [at, setAt] = useState(0);
  const [told, setTold] = useState<number>();
  const shown = told === undefined ? undefined : groups[told];
  const most = useMemo(() => commonReason(groups), [groups]);
  return (
    <Lane title="Events" subtitle={groups.length === 0 ? "none in this range" : truncated ? "newest only" : (most ?? "")}>
      {groups.map((group, index) => (
        <button
          key={group.fromMs}
          type="button"
          className="evb"
          tabIndex={index === Math.min(at, groups.length - 1) ? 0 : -1}
          style={{ ...box(group, window), "--k": group.weight }}
          aria-label={groupWords(group)}
          onPointerEnter={() => setTold(index)}
          onPointerLeave={() => setTold(undefined)}
          onPointerDown={(event) => event.stopPropagation()}
          onFocus={() => {
            setAt(index);
            setTold(index);
          }}
          onBlur={() => setTold(undefined)}
          onKeyDown={(event) => {
            const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
            const next = event.currentTarget.parentElement?.querySelectorAll<HTMLElement>(".evb")[index + step];
            if (step === 0 || next === undefined) return;
            event.preventDefault();
            event.stopPropagation();
            next.focus();
          }}
        >
          {shareOf(group.toMs, window) - shareOf(group.fromMs, window) > 0.03 ? `×${group.total}` : ""}
        </button>
      ))}
      {shown === undefined ? null : <EventTip group={shown} window={window} />}
    </Lane>
  );
});

function commonReason(groups: readonly EventGroup[]): string | undefined {
  const counts = new Map<string, number>();
  for (const group of groups) for (const { reason, count } of group.reasons) counts.set(reason, (counts.get(reason) ?? 0) + count);
  const [first, ...others] = [...counts].sort(([, a], [, b]) => b - a);
  return first === undefined ? undefined : others.length === 0 ? first[0] : `mostly ${first[0]}`;
}

const groupWords = (group: EventGroup): string => `${group.total} events, ${group.warnings} warnings: ${group.reasons.map(({ reason, count }) => `${reason} ×${count}`).join(", ")}`;

function EventTip({ group, window }: { readonly group: EventGroup; readonly window: Window }) {
  const zone = useZone();
  const middle = (shareOf(group.fromMs, window) + shareOf(group.toMs, window)) / 2;
  return (
    <div className="tip lane-tip" aria-hidden="true" style={middle > 0.6 ? { right: `${(1 - middle) * 100}%` } : { left: `${middle * 100}%` }}>
      {formatClock(group.fromMs, zone)} to {formatClock(group.toMs, zone)}
      <dl>
        {group.reasons.slice(0, 6).map(({ reason, count }) => (
          <div key={reason}>
            <dt className="k">{reason}</dt>
            <dd>{count}</dd>
          </div>
        ))}
      </dl>
      <span className="k">{group.sample.about}</span>
      <br />
      {group.sample.message.slice(0, 200)}
    </div>
  );
}

export const MarksLane = memo(function MarksLane({ marks, window, width }: { readonly marks: readonly Mark[]; readonly window: Window; readonly width: number }) {
  const zone = useZone();
  const placed = useMemo(() => placeMarks(marks, window, width), [marks, window, width]);
  return (
    <Lane title="Restarts, OOM kills" {...(placed.length === 0 ? { subtitle: "none" } : {})}>
      {placed.map((mark) => (
        <span key={`${mark.atMs} ${mark.label}`} className={`mk${mark.kind === "oom" ? " bad" : ""}${mark.side === "left" ? " rev" : ""}`} style={{ left: `${mark.share * 100}%` }} title={`${mark.label} ${formatClock(mark.atMs, zone)}`}>
          <svg viewBox="0 0 12 12" aria-hidden="true">
            {mark.kind === "oom" ? <path d="M2 2l8 8M10 2l-8 8" stroke="currentColor" strokeWidth="2.4" strokeLinecap="round" /> : <path d="M6 1.5l5 9H1z" fill="currentColor" />}
          </svg>
          <span className={mark.side === undefined ? "sr" : undefined}>{mark.label}</span>
        </span>
      ))}
    </Lane>
  );
});
