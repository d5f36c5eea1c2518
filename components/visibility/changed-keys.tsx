"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import Link from "next/link";
import { useEffect, useId, useRef, useState } from "react";
import type { OfferedKeys } from "@/server/contract/schemas";
import { fetchJson, postJson } from "@/components/live/fetch-json";
import { useNow, useStatus } from "@/components/live/live-provider";
import { QUERY_KEYS } from "@/components/live/queries";
import { formatCount } from "@/components/format/numbers";
import { Instant } from "@/components/ui/instant";

type OfferedKey = OfferedKeys["items"][number];

const REFRESH_MS = 15_000;
const COARSE_MS = 5_000;
/** Long enough that two keys are told apart at a glance; both stand there whole before the last click. */
const SHORT_CHARS = 16;

/** Kubelets whose key is another than the one seen first (`--kubelet-tls=pin`): refused until a person accepts the new one, here. */
export function ChangedKeys() {
  const { kubelet } = useStatus();
  const now = useNow(COARSE_MS);
  const pins = kubelet?.tls === "pin";
  const { data, error } = useQuery({
    queryKey: QUERY_KEYS.offeredKeys,
    queryFn: ({ signal }) => fetchJson<OfferedKeys>("/api/v1/kubelet-keys", signal),
    enabled: pins,
    refetchInterval: REFRESH_MS,
  });
  if (!pins) return null;
  const items = data?.items ?? [];
  return (
    <section className="sec" aria-labelledby="keys-h">
      <div className="sec-head">
        <h2 id="keys-h">
          Changed kubelet keys<span className="count">{data === undefined ? "no data" : formatCount(items.length)}</span>
        </h2>
      </div>
      {error === null ? null : <p className="pad quiet warn-t">Changed keys could not be read: {error.message}</p>}
      {data !== undefined && items.length === 0 ? <p className="pad quiet muted">Every kubelet shows the key that was seen first or accepted since.</p> : null}
      <ul className="vis keys">
        {items.map((key) => (
          <ChangedKey key={`${key.node} ${key.offeredSha256}`} offered={key} now={now} />
        ))}
      </ul>
    </section>
  );
}

function ChangedKey({ offered: { node, sha256, seen, offeredSha256 }, now }: { readonly offered: OfferedKey; readonly now: number }) {
  const client = useQueryClient();
  const why = useId();
  const [asking, setAsking] = useState(false);
  const cancel = useRef<HTMLButtonElement>(null);
  // The button that asked is gone, and the focus with it; a second Enter must not accept.
  useEffect(() => {
    if (asking) cancel.current?.focus();
  }, [asking]);
  const accept = useMutation({
    mutationFn: () => postJson(`/api/v1/nodes/${encodeURIComponent(node)}/kubelet-key`, { sha256: offeredSha256 }),
    onSettled: () => client.invalidateQueries({ queryKey: QUERY_KEYS.offeredKeys }),
  });
  const shown = (hex: string): string => (asking ? hex : `${hex.slice(0, SHORT_CHARS)}…`);
  return (
    <li>
      <span>
        <Link className="link med" href={`/nodes/${encodeURIComponent(node)}`} prefetch={false}>
          {node}
        </Link>
        <span className="two">
          Kept since <Instant at={Date.parse(seen)} nowMs={now} />: <code title={sha256}>{shown(sha256)}</code>
        </span>
        <span className="two">
          Shown now: <code title={offeredSha256}>{shown(offeredSha256)}</code>
        </span>
        {asking ? (
          <span className="two fix" id={why}>
            Accept it only where the node was rebuilt or its kubelet made itself a new certificate: whoever holds this key is believed from then on. Your name and the time are kept in the audit log.
          </span>
        ) : null}
        {accept.isError ? (
          <span className="two bad-t" role="alert">
            It was not accepted: {accept.error.message}
          </span>
        ) : null}
      </span>
      {asking ? (
        <span className="row">
          <button type="button" className="btn btn-sm" aria-describedby={why} aria-disabled={accept.isPending} onClick={() => (accept.isPending ? undefined : accept.mutate())}>
            Accept this key
          </button>
          <button ref={cancel} type="button" className="btn btn-sm btn-quiet" onClick={() => setAsking(false)}>
            Cancel
          </button>
        </span>
      ) : (
        <button type="button" className="btn btn-sm" aria-label={`Accept the new key of ${node}`} onClick={() => setAsking(true)}>
          Accept…
        </button>
      )}
    </li>
  );
}
