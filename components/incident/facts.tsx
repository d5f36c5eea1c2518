import Link from "next/link";
import type { ReactNode } from "react";
import type { IncidentDetail } from "@/server/contract/incidents";
import { plural } from "@/components/format/numbers";
import { formatDuration } from "@/components/format/time";
import { Instant } from "@/components/ui/instant";
import { lastedWords, nodeHref } from "./incident-words";

/** Figures beside the story. */
export function Facts({ incident, nowMs }: { readonly incident: IncidentDetail; readonly nowMs: number }) {
  const { node, peak, fleet, members } = incident;
  const openedAfter = (Date.parse(incident.opened) - Date.parse(incident.sign)) / 1_000;
  return (
    <dl className="inc-facts">
      <Fact name="Lasted">
        <b>{lastedWords(incident, nowMs)}</b>
        <span className="two">
          first sign <Instant at={Date.parse(incident.sign)} nowMs={nowMs} />
          {incident.recovered === undefined || incident.state !== "closed" ? null : (
            <>
              , well <Instant at={Date.parse(incident.recovered)} nowMs={nowMs} />
            </>
          )}
        </span>
      </Fact>
      <Fact name="Opened">
        <Instant at={Date.parse(incident.opened)} nowMs={nowMs} />
        <span className="two">{formatDuration(openedAfter)} after the first sign</span>
      </Fact>
      {incident.natureWords === undefined ? null : <Fact name="Kind">{incident.natureWords}</Fact>}
      {incident.relapses + incident.reopened === 0 ? null : (
        <Fact name="Came back">
          {plural(incident.relapses, "time")} before recovery had held, {plural(incident.reopened, "time")} after it had closed
        </Fact>
      )}
      {peak === undefined || peak.waiting === 0 ? null : (
        <Fact name="At the peak">
          <b>{plural(peak.waiting, "pod")} waiting</b>
          {peak.waitingSystem === 0 ? null : `, ${peak.waitingSystem} of the system`}
          <span className="two">
            <Instant at={Date.parse(peak.at)} nowMs={nowMs} />
          </span>
        </Fact>
      )}
      {members === undefined ? null : (
        <Fact name="Nodes">
          <b>{members.count}</b>
          <span className="two">
            {members.open} sick, {members.unknown} unknown, {members.recovering} recovering, {members.closed} closed
          </span>
        </Fact>
      )}
      {node === undefined ? null : (
        <Fact name="Node">
          <Link className="link" href={nodeHref(node, incident.from, incident.to)} prefetch={false}>
            {node} over this time
          </Link>
        </Fact>
      )}
      {fleet === undefined ? null : (
        <Fact name="Part of">
          <Link className="link" href={`/incidents/${fleet}`} prefetch={false}>
            fleet incident {fleet}
          </Link>
        </Fact>
      )}
      {incident.kept.length === 0 ? null : <Fact name="Samples">kept as they came around each no and unknown, as long as this incident is kept</Fact>}
    </dl>
  );
}

/** Where the node stood and what it ran when it turned. */
export function TraitFacts({ traits }: { readonly traits: Readonly<Record<string, string>> }) {
  return (
    <dl className="inc-facts">
      {Object.entries(traits).map(([trait, value]) => (
        <Fact key={trait} name={trait}>
          <span className="mono">{value}</span>
        </Fact>
      ))}
    </dl>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
