"use client";

import { useZone } from "@/components/shell/prefs-provider";
import { formatClock, formatInstant, formatWhen, zoneLabel } from "@/components/format/time";

/** An instant as text in the reader's zone, whole in its title. With `nowMs` an instant of another day carries its day. */
export function Instant({ at, precision = "second", nowMs }: { readonly at: number; readonly precision?: "second" | "minute"; readonly nowMs?: number }) {
  const zone = useZone();
  return (
    <time dateTime={new Date(at).toISOString()} title={formatInstant(at, zone)}>
      {nowMs === undefined ? formatClock(at, zone, precision) : formatWhen(at, nowMs, zone, precision)}
    </time>
  );
}

export function ZoneName() {
  return <>{zoneLabel(useZone())}</>;
}
