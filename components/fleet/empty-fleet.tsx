"use client";

import { useStatus } from "@/components/live/live-provider";

/** Before the first node is known: what is being waited for, or why nothing comes. */
export function EmptyFleet() {
  const { cluster, api } = useStatus();
  return (
    <section className="empty">
      <h2>{api?.reachable === false ? "No node is known: the API server does not answer" : "No node is known yet"}</h2>
      <p className="muted">
        {cluster === undefined
          ? "The collector has not connected to a cluster yet. The page fills in by itself."
          : api?.reachable === false
            ? `${cluster.server}: ${api.reason ?? "no answer"}. Sandglass keeps trying.`
            : `Connected to ${cluster.name} as ${cluster.user}. Nodes are being listed; the page fills in by itself. If it stays empty, the visibility page says what is missing.`}
      </p>
    </section>
  );
}
