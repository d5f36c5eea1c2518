import Link from "next/link";
import type { IncidentSummary } from "@/server/contract/incidents";
import { plural } from "@/components/format/numbers";
import { Instant } from "@/components/ui/instant";
import { hurtWords, lastedWords } from "./incident-words";
import { StateChip } from "./state-chip";

/** The heads of a table of incidents, a row of which is below. */
export const INCIDENT_COLUMNS = ["State", "What", "Where", "First sign", "Lasted", "Hurt", "Acknowledged"];

/** One incident in a list. */
export function IncidentRow({ incident, nowMs }: { readonly incident: IncidentSummary; readonly nowMs: number }) {
  const { acknowledged } = incident;
  return (
    <tr>
      <td>
        <StateChip incident={incident} />
      </td>
      <td className="wide">
        <Link className="med" href={`/incidents/${incident.id}`} prefetch={false}>
          {incident.title}
        </Link>
        <span className="two">{incident.lead}</span>
      </td>
      <td>
        <Where incident={incident} />
      </td>
      <td className="num-left">
        <Instant at={Date.parse(incident.sign)} nowMs={nowMs} />
      </td>
      <td className="num-left">{lastedWords(incident, nowMs)}</td>
      <td className="wide muted">{hurtWords(incident.hurt)}</td>
      <td className="actor muted">{acknowledged === undefined ? incident.state === "closed" ? <span className="faint">nobody</span> : <span className="warn-t">nobody yet</span> : `${acknowledged.by}${incident.notes === 0 ? "" : `, ${plural(incident.notes, "note")}`}`}</td>
    </tr>
  );
}

function Where({ incident: { node, pool, members } }: { readonly incident: IncidentSummary }) {
  if (node === undefined) return <span className="med">{plural(members?.count ?? 0, "node")}</span>;
  return (
    <>
      <Link href={`/nodes/${encodeURIComponent(node)}`} prefetch={false}>
        {node}
      </Link>
      {pool === undefined ? null : <span className="two">{pool}</span>}
    </>
  );
}
