"use client";

import { useZone } from "@/components/shell/prefs-provider";
import { formatClock } from "@/components/format/time";
import { LABEL_FROM_SHARE, LIMIT_LABEL_SHARE, type Gap } from "./geometry/gaps";
import type { Window } from "./geometry/range";
import { shareOf } from "./geometry/scale";

/** Hatched stretches: nobody could look then. Wide ones say so; every one tells why when asked. */
export function GapBoxes({ gaps, window, labelled }: { readonly gaps: readonly Gap[]; readonly window: Window; readonly labelled: boolean }) {
  const zone = useZone();
  return gaps.map((gap) => {
    const left = shareOf(gap.fromMs, window);
    const width = shareOf(gap.toMs, window) - left;
    return (
      <div key={gap.fromMs} className="gap" style={{ left: `${left * 100}%`, width: `${width * 100}%` }} title={`No data ${formatClock(gap.fromMs, zone)} to ${formatClock(gap.toMs, zone)}: ${gap.reason}`}>
        {labelled && width >= LABEL_FROM_SHARE && left + width / 2 > LIMIT_LABEL_SHARE ? <span>no data</span> : null}
      </div>
    );
  });
}
