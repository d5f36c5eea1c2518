import type { Status } from "../contract/schemas";
import type { CollectorStatus } from "../store/types";
import { iso, isoOr } from "./iso";

/** Sandglass itself, in the API's shape. Without a status the collector has not written yet: parts are left out, not filled in. */
export function statusOut(status: CollectorStatus | undefined, at: { readonly nowMs: number; readonly version: string; readonly actionsAllowed: boolean; readonly incidents?: Status["incidents"]; readonly copyReason?: string | undefined }): Status {
  return {
    version: at.version,
    at: iso(at.nowMs),
    actionsAllowed: at.actionsAllowed,
    ...(at.incidents === undefined ? {} : { incidents: at.incidents }),
    ...(at.copyReason === undefined ? {} : { copyReason: at.copyReason }),
    ...(status === undefined
      ? {}
      : {
          cluster: { ...status.cluster },
          started: iso(status.startedMs),
          collectorAgeSeconds: Math.max(0, (at.nowMs - status.atMs) / 1_000),
          api: { reachable: status.api.reachable, since: iso(status.api.sinceMs), ...(status.api.reason === undefined ? {} : { reason: status.api.reason }) },
          kubelet: { ...status.kubelet },
          agents: agentsOut(status.agents),
          store: { ...status.store },
          ...(status.backfill === undefined ? {} : { backfill: { doneShare: status.backfill.doneShare } }),
        }),
  };
}

/** The port for agents, as it was since the start. */
export const agentsOut = ({ listening, reporting, accepted, dropped, turnedAway, identityTrouble }: CollectorStatus["agents"]): NonNullable<Status["agents"]> => ({
  listening,
  reporting,
  dropped: { ...dropped },
  ...(accepted === undefined ? {} : { accepted }),
  ...(turnedAway === undefined ? {} : { turnedAway }),
  ...(identityTrouble === undefined ? {} : { identityTrouble: { reason: identityTrouble.reason, since: iso(identityTrouble.sinceMs) } }),
});

/** The kinds that are watched, for the visibility page. */
export const kindsOut = (status: CollectorStatus | undefined) =>
  (status?.kinds ?? []).map((kind) => ({ kind: kind.kind, state: kind.state, objects: kind.objects, ...(kind.reason === undefined ? {} : { reason: kind.reason }), ...isoOr("last", kind.lastMs) }));
