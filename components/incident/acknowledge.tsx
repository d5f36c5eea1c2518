"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { IncidentDetail } from "@/server/contract/incidents";
import { Instant } from "@/components/ui/instant";
import { acknowledge, INCIDENT_KEYS } from "./queries";

/** Says that somebody is on it, once; whoever comes later sees who that is. */
export function Acknowledge({ incident, nowMs }: { readonly incident: Pick<IncidentDetail, "id" | "acknowledged" | "state">; readonly nowMs: number }) {
  const client = useQueryClient();
  const { acknowledged, id } = incident;
  const act = useMutation({ mutationFn: () => acknowledge(id), onSuccess: () => client.invalidateQueries({ queryKey: INCIDENT_KEYS.one(id) }) });
  if (acknowledged !== undefined) {
    return (
      <p className="inc-ack">
        Acknowledged by <b>{acknowledged.by}</b>
        <span className="two">
          <Instant at={Date.parse(acknowledged.at)} nowMs={nowMs} />
        </span>
      </p>
    );
  }
  return (
    <div className="inc-ack">
      <button type="button" className={incident.state === "closed" ? "btn" : "btn btn-primary"} aria-disabled={act.isPending} onClick={() => (act.isPending ? undefined : act.mutate())}>
        Acknowledge
      </button>
      <p className="small muted" aria-live="polite">
        {act.isError ? <span className="bad-t">It was not stored: {act.error.message}</span> : act.isPending ? "Storing it" : "Tells others that you are on it. It changes nothing else."}
      </p>
    </div>
  );
}
