"use client";

import { useState, type FormEvent } from "react";
import { useZone } from "@/components/shell/prefs-provider";
import { formatWhen, zoneLabel } from "@/components/format/time";
import { MAX_LENGTH_MS, MIN_LENGTH_MS, PRESETS, type Range, type Window } from "./geometry/range";
import { zoneOffsetMs } from "./geometry/time-ticks";
import { Icon } from "@/components/ui/glyphs";

export function RangePicker({ range, window, nowMs, onRange }: { readonly range: Range; readonly window: Window; readonly nowMs: number; readonly onRange: (range: Range) => void }) {
  const zone = useZone();
  return (
    <>
      <span className="seg" role="group" aria-label="Range up to now">
        {PRESETS.map((preset) => (
          <button key={preset.label} type="button" aria-pressed={range.kind === "live" && range.lengthMs === preset.lengthMs} onClick={() => onRange({ kind: "live", lengthMs: preset.lengthMs })}>
            {preset.label}
          </button>
        ))}
      </span>
      <details className="pop">
        <summary className="select">
          <Icon name="clock" size={14} />
          <span className="num">
            {formatWhen(window.fromMs, nowMs, zone, "minute")} to {range.kind === "live" ? "now" : formatWhen(window.toMs, nowMs, zone, "minute")} {zoneLabel(zone)}
          </span>
          <Icon name="chevron" size={12} />
        </summary>
        <CustomRange key={`${window.fromMs} ${String(range.kind)}`} window={window} zone={zone} onRange={onRange} />
      </details>
    </>
  );
}

/** Two instants in the reader's zone. What makes no range is refused with the limit. */
function CustomRange({ window, zone, onRange }: { readonly window: Window; readonly zone: string; readonly onRange: (range: Range) => void }) {
  const [problem, setProblem] = useState<string>();
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const fromMs = parseLocal(String(form.get("from")), zone);
    const toMs = parseLocal(String(form.get("to")), zone);
    if (fromMs === undefined || toMs === undefined) return setProblem("Both need a date and a time.");
    if (toMs - fromMs < MIN_LENGTH_MS) return setProblem("The end must be at least 1 min after the start.");
    if (toMs - fromMs > MAX_LENGTH_MS) return setProblem("The range is over 31 days.");
    event.currentTarget.closest("details")?.removeAttribute("open");
    onRange({ kind: "fixed", fromMs, toMs });
  };
  return (
    <form className="menu range-form" onSubmit={submit}>
      <label>
        From, {zoneLabel(zone)}
        <input className="input" type="datetime-local" name="from" step="1" defaultValue={formatLocal(window.fromMs, zone)} />
      </label>
      <label>
        To, {zoneLabel(zone)}
        <input className="input" type="datetime-local" name="to" step="1" defaultValue={formatLocal(window.toMs, zone)} />
      </label>
      {problem === undefined ? null : (
        <p className="small bad-t" role="alert">
          {problem}
        </p>
      )}
      <button type="submit" className="btn btn-sm">
        Show
      </button>
    </form>
  );
}

const formatLocal = (ms: number, zone: string): string => new Date(ms + zoneOffsetMs(ms, zone)).toISOString().slice(0, 19);

function parseLocal(text: string, zone: string): number | undefined {
  const ms = Date.parse(`${text}Z`);
  return Number.isFinite(ms) ? ms - zoneOffsetMs(ms, zone) : undefined;
}
