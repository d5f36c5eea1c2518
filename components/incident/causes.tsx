import Link from "next/link";
import type { IncidentCauseOut } from "@/server/contract/incidents";
import { EvidenceList } from "@/components/node/evidence-list";
import { severityLook, severityWords } from "@/components/node/cause-words";
import { AnswerGlyph } from "@/components/ui/glyphs";
import { Instant } from "@/components/ui/instant";

/** Every cause that it ever had, each with the evidence of when it last fired. */
export function Causes({ causes, isOver, nowMs }: { readonly causes: readonly IncidentCauseOut[]; readonly isOver: boolean; readonly nowMs: number }) {
  if (causes.length === 0) return <p className="muted">None was named or suspected: the answer alone opened it.</p>;
  return (
    <ul className="inc-causes">
      {causes.map((cause) => (
        <CauseItem key={`${cause.code} ${cause.detail ?? ""}`} cause={cause} root={causes.find(({ code, under }) => code === cause.under && under === undefined)?.title} isOver={isOver} nowMs={nowMs} />
      ))}
    </ul>
  );
}

function CauseItem({ cause, root, isOver, nowMs }: { readonly cause: IncidentCauseOut; readonly root: string | undefined; readonly isOver: boolean; readonly nowMs: number }) {
  const look = cause.state === "ended" ? undefined : cause.state === "unseen" ? "unknown" : severityLook(cause);
  return (
    <li className={cause.under === undefined ? undefined : "under"}>
      <p className="over">
        <span className={look === "no" ? "chip bad" : look === "risk" ? "chip warn" : look === "unknown" ? "chip unknown" : "chip"}>
          {look === undefined ? null : <AnswerGlyph look={look} size={12} />}
          {stateWords(cause, isOver)}
        </span>
        <span className="small muted">
          <Instant at={Date.parse(cause.first)} nowMs={nowMs} />
          {cause.until === undefined ? "" : " to "}
          {cause.until === undefined ? null : <Instant at={Date.parse(cause.until)} nowMs={nowMs} />}
          {cause.times > 1 ? `, began ${cause.times} times` : ""}
        </span>
      </p>
      <h3>
        <Link href={`/causes/${cause.code}`} prefetch={false}>
          {cause.title}
        </Link>
        {cause.detail === undefined ? null : <span className="muted"> ({cause.detail})</span>}
      </h3>
      <p className="muted">
        {cause.certainty === "suspected" ? <b>Suspected from what pods were told, not measured. </b> : null}
        {cause.under === undefined ? null : `Brought about by: ${root ?? cause.under}. `}
        {cause.summary}
        {cause.reason === undefined ? "" : ` It cannot be looked for: ${cause.reason}.`}
      </p>
      {cause.evidence.length === 0 ? null : (
        <details className="what">
          <summary>Evidence from when it last fired</summary>
          <EvidenceList items={cause.evidence} nowMs={nowMs} />
        </details>
      )}
    </li>
  );
}

function stateWords(cause: IncidentCauseOut, isOver: boolean): string {
  if (cause.state === "ended") return "Ended";
  if (cause.state === "unseen") return "Cannot be told now";
  return isOver ? "Still suspected at the end" : severityWords(cause);
}
