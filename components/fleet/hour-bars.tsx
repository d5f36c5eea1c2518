"use client";

import { useMemo } from "react";
import { Instant } from "@/components/ui/instant";
import type { HistoryBucket } from "./model";

const TICK_SHARES = [0, 0.25, 0.5, 0.75] as const;

/** Nodes that were no or unknown, worst moment of each step, over the last hour. */
export function HourBars({ history, nowMs }: { readonly history: readonly HistoryBucket[]; readonly nowMs: number }) {
  const most = useMemo(() => Math.max(1, ...history.map((bucket) => bucket.no + bucket.unknown)), [history]);
  const first = history[0];
  const last = history.at(-1);
  const share = (count: number): string => `${(count / most) * 100}%`;
  return (
    <div className="hourbars">
      <div className="top">
        <h2>What changed in the last hour</h2>
        <span>
          <i className="swatch sw-no" />
          No
        </span>
        <span>
          <i className="swatch sw-unk" />
          Unknown
        </span>
        <span className="spacer" />
        <span className="hide-1280">nodes a minute, 0 to {most}</span>
      </div>
      {first === undefined || last === undefined ? (
        <div className="bars is-empty">No history yet</div>
      ) : (
        <>
          <div className="bars" role="img" aria-label={`Nodes that are no or unknown in the last hour: ${first.no + first.unknown} an hour ago, ${last.no + last.unknown} now, at most ${most}`}>
            {history.map((bucket) => (
              <i key={bucket.atMs}>
                {bucket.unknown > 0 ? <u style={{ height: share(bucket.unknown) }} /> : null}
                {bucket.no > 0 ? <b style={{ height: share(bucket.no) }} /> : null}
              </i>
            ))}
          </div>
          <div className="axis-x">
            {TICK_SHARES.map((at) => (
              <span key={at} style={{ left: `${at * 100}%` }}>
                <Instant at={first.atMs + at * (nowMs - first.atMs)} precision="minute" />
              </span>
            ))}
            <span className="end" style={{ left: "100%" }}>
              now
            </span>
          </div>
        </>
      )}
    </div>
  );
}
