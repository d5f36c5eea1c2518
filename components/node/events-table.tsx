"use client";

import { useMemo, useState } from "react";
import type { Timeline } from "@/server/contract/schemas";
import { eventLines } from "@/components/chart/geometry/events";
import { useNow } from "@/components/live/live-provider";
import { formatCount } from "@/components/format/numbers";
import { Instant } from "@/components/ui/instant";
import { Table } from "@/components/ui/table";

const SHOWN_AT_FIRST = 12;
const COARSE_MS = 10_000;

/** Events of the range in words; the same thing said again is one line with its last time. */
export function EventsTable({ events, truncated }: { readonly events: Timeline["events"]; readonly truncated: boolean }) {
  const now = useNow(COARSE_MS);
  const lines = useMemo(() => eventLines(events.map((event) => ({ ...event, atMs: Date.parse(event.at) }))), [events]);
  const [all, setAll] = useState(false);
  const shown = all ? lines : lines.slice(0, SHOWN_AT_FIRST);
  return (
    <section id="events" aria-labelledby="events-h">
      <div className="sec-head">
        <h2 id="events-h">
          Events in this range<span className="count">{`${formatCount(events.length)}${truncated ? ", newest only" : ""}`}</span>
        </h2>
      </div>
      {lines.length === 0 ? (
        <p className="pad quiet muted">No event of this node or its pods was told in this range.</p>
      ) : (
        <Table label="Events" columns={["Last", "Reason", "About", { head: "Count", num: true, title: "The event's own running total" }, "Message"]}>
          {shown.map((line) => (
            <tr key={line.key}>
              <td className="num-left">
                <Instant at={line.lastMs} nowMs={now} />
              </td>
              <td className={line.type === "Warning" ? "warn-t" : "muted"}>{line.reason}</td>
              <td className="about">{line.about}</td>
              <td className="num">{formatCount(line.count)}</td>
              <td className="said">
                <code title={line.message}>{line.message}</code>
              </td>
            </tr>
          ))}
        </Table>
      )}
      {lines.length > shown.length ? (
        <p className="pad small more">
          <button type="button" className="btn btn-sm" onClick={() => setAll(true)}>
            Show {formatCount(lines.length - shown.length)} more
          </button>
        </p>
      ) : null}
    </section>
  );
}
