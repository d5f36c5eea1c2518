"use client";

import { useMemo } from "react";
import { formatCount } from "@/components/format/numbers";
import { AnswerGlyph, Icon } from "@/components/ui/glyphs";
import { LOOKS, lookOf, LOOK_WORDS, type FleetRow, type Look } from "./model";
import type { Pool, ViewState } from "./view-state";

interface FiltersProps {
  readonly rows: readonly FleetRow[];
  readonly pools: readonly Pool[];
  readonly view: ViewState;
  readonly onView: (change: Partial<ViewState>) => void;
}

export function Filters({ rows, pools, view, onView }: FiltersProps) {
  const counts = useMemo(() => {
    const found: Record<Look, number> = { no: 0, unknown: 0, risk: 0, yes: 0 };
    for (const row of rows) found[lookOf(row)] += 1;
    return found;
  }, [rows]);
  const toggle = <T extends string>(list: readonly T[], item: T): readonly T[] => (list.includes(item) ? list.filter((other) => other !== item) : [...list, item]);
  const filtered = view.answers.length > 0 || view.pools.length > 0 || view.text !== "";
  return (
    <div className="filters" role="search" aria-label="Filter nodes">
      <span className="toggles" role="group" aria-label="Answer">
        {LOOKS.map((look) => (
          <button key={look} type="button" className="toggle" aria-pressed={view.answers.includes(look)} onClick={() => onView({ answers: toggle(view.answers, look) })}>
            <AnswerGlyph look={look} size={14} />
            {look === "risk" ? "At risk" : LOOK_WORDS[look]}
            <span className="n">{formatCount(counts[look])}</span>
          </button>
        ))}
      </span>
      <details className="pop">
        <summary className="select">
          {view.pools.length === 0 ? "All pools" : view.pools.length === 1 ? `Pool ${view.pools[0] ?? ""}` : `${view.pools.length} pools`}
          <Icon name="chevron" size={12} />
        </summary>
        <div className="menu" role="group" aria-label="Pools">
          {pools.map((pool) => (
            <label key={pool.name} className="mi">
              <input type="checkbox" checked={view.pools.includes(pool.name)} onChange={() => onView({ pools: toggle(view.pools, pool.name) })} />
              {pool.name}
              <span className="hint">{formatCount(pool.rows.length)}</span>
            </label>
          ))}
        </div>
      </details>
      <input className="input filter-text" type="search" aria-label="Name, pool or proof contains" placeholder="Name, pool or proof" value={view.text} onChange={(event) => onView({ text: event.target.value })} />
      <button type="button" className="toggle" aria-pressed={view.group} onClick={() => onView({ group: !view.group })}>
        Group by pool
      </button>
      <span className="spacer" />
      {filtered ? (
        <button type="button" className="btn btn-sm btn-quiet" onClick={() => onView({ answers: [], pools: [], text: "" })}>
          <Icon name="close" size={12} />
          Clear
        </button>
      ) : null}
    </div>
  );
}
