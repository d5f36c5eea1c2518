"use client";

import { useNow, useStatus } from "@/components/live/live-provider";
import { formatCount, formatShare } from "@/components/format/numbers";
import { formatDuration } from "@/components/format/time";
import { TLS_NOT_CHECKED } from "@/server/domain/kubelet-tls";
import { Instant } from "@/components/ui/instant";
import { useDataAge } from "./data-age";

/** What is wrong with Sandglass itself, above every page for as long as it lasts. Data stays on the page under it. What counts up stands outside the alert, or it would be read out anew each second. */
export function Banners() {
  const status = useStatus();
  const now = useNow();
  const { state, age } = useDataAge();
  const { api, store, backfill, kubelet } = status;
  const apiSince = api === undefined ? undefined : Date.parse(api.since);
  return (
    <div className="banners">
      {kubelet?.tls === TLS_NOT_CHECKED ? (
        <p className="banner is-warn" role="alert">
          <b>Kubelets' certificates are not checked</b> (<code>--kubelet-tls=insecure</code>). Anyone on the way can pose as a kubelet, tell false figures, and read the token that kubelets are shown.
        </p>
      ) : null}
      {state === "lost" ? (
        <p className="banner is-warn">
          <b role="alert">Connection lost.</b> What you see is {formatDuration(age)} old; trying again.
        </p>
      ) : null}
      {api?.reachable === false && apiSince !== undefined ? (
        <p className="banner is-warn">
          <b role="alert">The API server does not answer</b> since <Instant at={apiSince} nowMs={now} />, {formatDuration((now - apiSince) / 1_000)} ago
          {api.reason === undefined ? "" : `: ${api.reason}`}. Answers that rest on it turn unknown; figures from kubelets and agents go on.
        </p>
      ) : null}
      {state === "stale" && status.collectorAgeSeconds !== undefined ? (
        <p className="banner is-warn">
          <b role="alert">The collector has stopped writing.</b> What you see is {formatDuration(age)} old.
        </p>
      ) : null}
      {store?.writable === false ? (
        <p className="banner is-warn">
          <b role="alert">Nothing can be written to the data file</b>
          {store.reason === undefined ? "." : `: ${store.reason}`} What is stored is still shown; {formatCount(store.pendingBatches)} batches wait
          {store.droppedSamples > 0 ? `, ${formatCount(store.droppedSamples)} samples are lost` : ""}.
        </p>
      ) : null}
      {status.copyReason === undefined ? null : (
        <p className="banner is-warn" role="alert">
          <b>What you see is read from a copy of the data file.</b> {status.copyReason}
        </p>
      )}
      {store?.refused === undefined ? null : (
        <p className="banner is-warn" role="alert">
          <b>{formatCount(store.refused.rows)} {store.refused.rows === 1 ? "row" : "rows"} could not be stored</b> since Sandglass started, a fault of its own ({store.refused.last}). Everything else is stored; the log has more.
        </p>
      )}
      {backfill !== undefined && backfill.doneShare < 1 ? (
        <p className="banner" role="status">
          <span>
            <b>Older history is being filled in:</b> {formatShare(backfill.doneShare)}. Answers are of now already.
          </span>
          <progress max={1} value={backfill.doneShare} aria-label="History filled in" />
        </p>
      ) : null}
    </div>
  );
}
