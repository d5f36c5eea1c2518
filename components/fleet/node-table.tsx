"use client";

import { useMemo, useRef, useState } from "react";
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { CopyLink } from "@/components/ui/copy-link";
import { usePrefs } from "@/components/shell/prefs-provider";
import { useShortcuts } from "@/components/ui/shortcuts";
import { formatCount, plural } from "@/components/format/numbers";
import { Filters } from "./filters";
import { countFleet, type FleetRow } from "./model";
import { NodeRow } from "./node-row";
import { SortHead } from "./sort-head";
import { filterRows, sortRows, startsDescending, tableItems, type Column, type Pool, type ViewState } from "./view-state";

/** Up to so many lines all are on the page, so that the browser's own search finds them; beyond, only those in view. */
const ALL_LINES_UP_TO = 300;
const OVERSCAN = 12;
const ROW_PX = { compact: 32, comfortable: 40 } as const;

interface NodeTableProps {
  readonly rows: readonly FleetRow[];
  readonly pools: readonly Pool[];
  readonly view: ViewState;
  readonly onView: (change: Partial<ViewState>) => void;
}

/** The map's equal: every node in words, sorted, filtered and grouped as the URL says. */
export function NodeTable({ rows, pools, view, onView }: NodeTableProps) {
  const { prefs, setPref } = usePrefs();
  const { answers, pools: wanted, text, sort, group } = view;
  const found = useMemo(() => filterRows(rows, { answers, pools: wanted, text }), [rows, answers, wanted, text]);
  const items = useMemo(() => tableItems(sortRows(found, sort), group), [found, sort, group]);
  const body = useRef<HTMLTableElement>(null);
  const [active, setActive] = useState(-1);
  const rowPx = ROW_PX[prefs.density];
  const virtual = useWindowVirtualizer({
    count: items.length,
    estimateSize: () => rowPx,
    overscan: items.length <= ALL_LINES_UP_TO ? ALL_LINES_UP_TO : OVERSCAN,
    scrollMargin: body.current?.offsetTop ?? 0,
    initialRect: { width: 1_280, height: 800 },
  });
  const lines = virtual.getVirtualItems();
  const before = lines[0] === undefined ? 0 : lines[0].start - virtual.options.scrollMargin;
  const last = lines.at(-1);
  const after = last === undefined ? 0 : Math.max(0, virtual.getTotalSize() - (last.end - virtual.options.scrollMargin));

  const step = (by: 1 | -1): void => {
    let next = active + by;
    while (items[next]?.kind === "pool") next += by;
    if (items[next] === undefined) return;
    setActive(next);
    virtual.scrollToIndex(next, { align: "auto" });
    requestAnimationFrame(() => body.current?.querySelector<HTMLElement>(`[data-line="${next}"] a`)?.focus());
  };
  useShortcuts({ j: () => step(1), k: () => step(-1) });

  const onSort = (column: Column): void => onView({ sort: { column, descending: sort.column === column ? !sort.descending : startsDescending(column) } });
  return (
    <section className="sec" id="nodes" aria-labelledby="nodes-h">
      <div className="sec-head">
        <h2 id="nodes-h">
          Nodes
          <span className="count" role="status">
            {found.length === rows.length ? formatCount(rows.length) : `${formatCount(found.length)} of ${formatCount(rows.length)} match`}
          </span>
        </h2>
        <span className="spacer" />
        <CopyLink label="Copy link to this view" address={() => window.location.href} />
        <span className="seg hide-m" role="group" aria-label="Density">
          {(["compact", "comfortable"] as const).map((density) => (
            <button key={density} type="button" aria-pressed={prefs.density === density} onClick={() => setPref("density", density)}>
              {density === "compact" ? "Compact" : "Comfortable"}
            </button>
          ))}
        </span>
      </div>
      <Filters rows={rows} pools={pools} view={view} onView={onView} />
      <div className="tbl-wrap" data-density={prefs.density} tabIndex={0} role="region" aria-label="Nodes, scrolls sideways">
        <table className="tbl fleet-tbl" ref={body} aria-rowcount={items.length + 1}>
          <SortHead sort={sort} onSort={onSort} />
          <tbody>
            {before > 0 ? (
              <tr aria-hidden="true">
                <td colSpan={COLUMN_COUNT} style={{ height: before }} />
              </tr>
            ) : null}
            {lines.map((line) => {
              const item = items[line.index];
              if (item === undefined) return null;
              return item.kind === "row" ? (
                <NodeRow key={item.row.name} row={item.row} line={line.index} active={line.index === active} />
              ) : (
                <PoolLine key={`pool ${item.name}`} name={item.name} rows={item.rows} line={line.index} />
              );
            })}
            {after > 0 ? (
              <tr aria-hidden="true">
                <td colSpan={COLUMN_COUNT} style={{ height: after }} />
              </tr>
            ) : null}
          </tbody>
        </table>
        {items.length === 0 ? (
          <p className="pad quiet muted">
            No node matches these filters.{" "}
            <button type="button" className="btn btn-sm" onClick={() => onView({ answers: [], pools: [], text: "" })}>
              Clear filters
            </button>
          </p>
        ) : null}
      </div>
    </section>
  );
}

const COLUMN_COUNT = 10;

function PoolLine({ name, rows, line }: { readonly name: string; readonly rows: readonly FleetRow[]; readonly line: number }) {
  const counts = countFleet(rows);
  const parts = [counts.no > 0 ? `${counts.no} no` : "", counts.unknown > 0 ? `${counts.unknown} unknown` : "", counts.atRisk > 0 ? `${counts.atRisk} at risk` : ""].filter((part) => part !== "");
  return (
    <tr className="pool-line" aria-rowindex={line + 2}>
      <th colSpan={COLUMN_COUNT} scope="rowgroup">
        {name} <span className="count">{[plural(rows.length, "node"), ...parts].join(", ")}</span>
      </th>
    </tr>
  );
}
