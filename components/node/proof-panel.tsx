"use client";

import type { ReactNode } from "react";
import type { NodeDetail } from "@/server/contract/schemas";
import { useNow } from "@/components/live/live-provider";
import { plural } from "@/components/format/numbers";
import { formatDuration } from "@/components/format/time";
import { AnswerGlyph } from "@/components/ui/glyphs";
import { lookOf, LOOK_WORDS } from "@/components/fleet/model";
import { Instant } from "@/components/ui/instant";
import { rowWords } from "./answer-words";
import { CauseCards, fittingActions, SET_DAEMON_RESOURCES } from "./cause-cards";
import { EvidenceList } from "./evidence-list";

const COARSE_MS = 5_000;
const CHIP_TONES = { no: "bad", unknown: "unknown", risk: "warn", yes: "ok" } as const;

export function ProofPanel({ detail, actions }: { readonly detail: NodeDetail; readonly actions: ReactNode }) {
  const { answer } = detail;
  const look = lookOf(answer);
  const [fitting] = detail.diagnosis.causes.flatMap((cause) => fittingActions(cause.actions));
  const now = useNow(COARSE_MS);
  return (
    <aside className="why" aria-label="Causes, proof and sources">
      <CauseCards diagnosis={detail.diagnosis} nowMs={now} />
      <div className="blk">
        <div className="over">
          <span className={`chip ${CHIP_TONES[look]}`}>
            <AnswerGlyph look={look} size={12} />
            {LOOK_WORDS[look]}
          </span>
          <span>
            since <Instant at={Date.parse(answer.since)} precision="minute" />
          </span>
        </div>
        <h2>What the answer rests on</h2>
        <p className="lede">{rowWords(answer)}.</p>
        <EvidenceList items={answer.proof} nowMs={now} />
      </div>
      {actions === undefined ? null : <div className={fitting === SET_DAEMON_RESOURCES ? "blk asked" : "blk calm"}>{actions}</div>}
      <Sources sources={detail.sources} lost={detail.lostReports} />
    </aside>
  );
}

function Sources({ sources, lost }: { readonly sources: NodeDetail["sources"]; readonly lost: NodeDetail["lostReports"] }) {
  const now = useNow(COARSE_MS);
  return (
    <div className="blk">
      <h3 className="h3">Sources</h3>
      <ul className="sources">
        {sources.map((source) => (
          <li key={source.source}>
            <span className="med">{SOURCE_WORDS[source.source]}</span>
            <span className={source.freshness === "fresh" ? "r" : source.freshness === "stale" ? "r warn-t" : "r faint"}>
              {source.freshness === "absent" ? "not there" : source.freshness}
              {source.last === undefined ? "" : `, ${formatDuration((now - Date.parse(source.last)) / 1_000)} ago`}
            </span>
            {source.reason === undefined ? null : <span className="two">{source.reason}</span>}
            {source.clockBehindSeconds === undefined ? null : <span className="two">{clockWords(source.clockBehindSeconds)}, and its times are corrected by that</span>}
            {source.source === "agent" && source.freshness !== "absent" ? <Lost lost={lost} /> : null}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** What an agent gave up while it could not send. Nothing is said where it lost nothing; that it does not tell is not that. */
function Lost({ lost }: { readonly lost: NodeDetail["lostReports"] }) {
  if (lost === undefined) return <span className="two">How many reports it gave up is not known: this agent does not tell</span>;
  const count = lost.thinned + lost.tooOld;
  if (count === 0) return null;
  return (
    <span className="two warn-t">
      It gave up {plural(count, "report")} that it could not send
      {lost.from === undefined || lost.to === undefined ? null : (
        <>
          , made from <Instant at={Date.parse(lost.from)} precision="minute" /> to <Instant at={Date.parse(lost.to)} precision="minute" />
        </>
      )}
    </span>
  );
}

/** "Its clock is 20 min behind". */
const clockWords = (behindSeconds: number): string => `Its clock is ${formatDuration(Math.abs(behindSeconds))} ${behindSeconds > 0 ? "behind" : "ahead"}`;

const SOURCE_WORDS = { api: "API server", kubelet: "kubelet", agent: "Node agent", prometheus: "Prometheus" } as const;
