"use client";

import { useMemo, useRef, useState } from "react";
import { CopyLink } from "@/components/ui/copy-link";
import { usePrefs } from "@/components/shell/prefs-provider";
import { useShortcuts } from "@/components/ui/shortcuts";
import { formatCount, plural } from "@/components/format/numbers";
import { Filters } from "./filters";
import { countFleet, type FleetRow } from "./model";
import { NodeRow } from "./node-row";
import { SortHead } from "./sort-head";
import { useVisibleLines } from "./use-visible-lines";
import { filterRows, sortRows, startsDescending, tableItems, type Column, type Pool, type ViewState } from "./view-state";
import { scrollToLine } from "./visible-lines";

/** Up to so many lines all are on the page, so that the browser's own search finds them; beyond, only those in view. */
const ALL_LINES_UP_TO = 300;
/** As --row of the stylesheet. */
const LINE_PX = { compact: 32, comfortable: 40 } as const;
/** As --bar: what covers the upper edge of the window. */
const BAR_PX = 46;

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
  const body = useRef<HTMLTableSectionElement>(null);
  const [active, setActive] = useState(-1);
  const linePx = LINE_PX[prefs.density];
  const { start, end } = useVisibleLines(body, items.length, linePx, items.length <= ALL_LINES_UP_TO);

  const step = (by: 1 | -1): void => {
    let next = active + by;
    while (items[next]?.kind === "pool") next += by;
    const top = body.current?.getBoundingClientRect().top;
    if (items[next] === undefined || top === undefined) return;
    setActive(next);
    window.scrollBy(0, scrollToLine(next, linePx, -top, window.innerHeight, BAR_PX));
    requestAnimationFrame(() => body.current?.querySelector<HTMLElement>(`[data-line="${next}"] a`)?.focus({ preventScroll: true }));
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
        <table className="tbl fleet-tbl" aria-rowcount={items.length + 1}>
          <SortHead sort={sort} onSort={onSort} />
          <tbody ref={body}>
            <Spacer heightPx={start * linePx} />
            {items.slice(start, end).map((item, index) =>
              item.kind === "row" ? (
                <NodeRow key={item.row.name} row={item.row} line={start + index} active={start + index === active} />
              ) : (
                <PoolLine key={`pool ${item.name}`} name={item.name} rows={item.rows} line={start + index} />
              ),
            )}
            <Spacer heightPx={(items.length - end) * linePx} />
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

/** Stands for the lines that are not on the page. */
function Spacer({ heightPx }: { readonly heightPx: number }) {
  if (heightPx <= 0) return null;
  return (
    <tr aria-hidden="true">
      <td colSpan={COLUMN_COUNT} style={{ height: heightPx }} />
    </tr>
  );
}

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
