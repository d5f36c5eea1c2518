"use client";

import Link from "next/link";
import type { NodeDetail } from "@/server/contract/schemas";
import { lookOf } from "@/components/fleet/model";
import { formatView, DEFAULT_VIEW } from "@/components/fleet/view-state";
import { useNow } from "@/components/live/live-provider";
import { formatDuration } from "@/components/format/time";
import { plural } from "@/components/format/numbers";
import { AnswerGlyph } from "@/components/ui/glyphs";
import { Instant, ZoneName } from "@/components/ui/instant";
import { answerSentence } from "./answer-words";

const COARSE_MS = 5_000;
const GLYPH_PX = 44;
/** Some summaries end with it (`server/domain/judge.ts`), and once is enough. */
const FRESH_TOLD = "Last fresh sandbox";

/** The answer, its proof, and since when: what someone who was woken up needs first. */
export function AnswerHead({ detail, gone, problem }: { readonly detail: NodeDetail; readonly gone: boolean; readonly problem: string | undefined }) {
  const now = useNow(COARSE_MS);
  const { answer, versions } = detail;
  const since = Date.parse(answer.since);
  const fresh = detail.lastFreshAt === undefined ? undefined : Date.parse(detail.lastFreshAt);
  return (
    <header className="node-head">
      <div className="top">
        <nav className="crumbs" aria-label="Breadcrumb">
          <Link href="/">Fleet</Link>
          <span className="sep">/</span>
          <Link href={`/${formatView({ ...DEFAULT_VIEW, pools: [detail.pool] })}`} prefetch={false}>
            {detail.pool}
          </Link>
          <span className="sep">/</span>
          <b aria-current="page">{detail.name}</b>
        </nav>
        <div className="meta">
          <span title={detail.readyMessage}>
            Ready <b className={detail.ready === "True" ? undefined : detail.ready === "False" ? "bad-t" : "unknown-t"}>{detail.ready}</b>
          </span>
          <span>
            Schedulable <b className={detail.schedulable ? undefined : "warn-t"}>{detail.schedulable ? "yes" : "no, cordoned"}</b>
          </span>
          {detail.taints.length === 0 ? null : <span title={detail.taints.join(", ")}>{plural(detail.taints.length, "taint")}</span>}
          <Version what="kubelet" text={versions.kubelet} />
          <Version what="runtime" text={versions.runtime?.replace("://", " ")} />
          <Version what="kernel" text={versions.kernel} className="hide-1080" />
          <span className="hide-1080">
            <b>{detail.counts.seen ? detail.counts.pods : "no data on"}</b> pods
          </span>
        </div>
        {detail.incident === undefined ? null : <IncidentLink incident={detail.incident} />}
        <span className="spacer" />
        <span className="row neighbours">
          <Neighbour label="Previous node" name={detail.previous} shortcut="K" />
          <Neighbour label="Next node" name={detail.next} shortcut="J" />
        </span>
      </div>
      {gone ? (
        <p className="chip warn stale-chip" role="alert">
          {problem ?? "The node could not be read."} What you see is from before.
        </p>
      ) : null}
      <div className="answer">
        <AnswerGlyph look={lookOf(answer)} size={GLYPH_PX} />
        <h1>{answerSentence(detail)}</h1>
        <p className="proof">
          <b>{answer.summary}</b>
          {fresh === undefined || answer.state === "yes" || answer.summary.includes(FRESH_TOLD) ? null : (
            <>
              {" "}
              Last fresh sandbox <Instant at={fresh} nowMs={now} /> <ZoneName />, {formatDuration((now - fresh) / 1_000)} ago.
            </>
          )}
        </p>
        <div className="since">
          <strong>{formatDuration((now - since) / 1_000)}</strong>
          <span className="small muted">
            since <Instant at={since} nowMs={now} /> <ZoneName />
          </span>
        </div>
      </div>
    </header>
  );
}

function IncidentLink({ incident: { id, state, severity } }: { readonly incident: NonNullable<NodeDetail["incident"]> }) {
  const tone = state === "unknown" ? "unknown" : state === "recovering" ? "" : severity === "blocks" ? "bad" : "warn";
  return (
    <Link className={`chip ${tone}`} href={`/incidents/${id}`} prefetch={false}>
      Incident {id}, {state}
    </Link>
  );
}

function Version({ what, text, className }: { readonly what: string; readonly text: string | undefined; readonly className?: string }) {
  return (
    <span className={className === undefined ? "hide-m" : `hide-m ${className}`}>
      {what} <b>{text ?? "unknown"}</b>
    </span>
  );
}

function Neighbour({ label, name, shortcut }: { readonly label: string; readonly name: string | undefined; readonly shortcut: string }) {
  if (name === undefined) {
    return (
      <span className="btn btn-sm" aria-disabled="true">
        {label} <kbd>{shortcut}</kbd>
      </span>
    );
  }
  return (
    <Link className="btn btn-sm" href={`/nodes/${encodeURIComponent(name)}`} title={name} prefetch={false}>
      {label} <kbd>{shortcut}</kbd>
    </Link>
  );
}
