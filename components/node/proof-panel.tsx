"use client";

import type { ReactNode } from "react";
import type { EvidenceOut } from "@/server/contract/evidence";
import type { NodeDetail } from "@/server/contract/schemas";
import { useNow } from "@/components/live/live-provider";
import { formatDuration } from "@/components/format/time";
import { AnswerGlyph, Icon } from "@/components/ui/glyphs";
import { lookOf, LOOK_WORDS } from "@/components/fleet/model";
import { Instant } from "@/components/ui/instant";
import { rowWords } from "./answer-words";
import { evidenceInstant, evidenceValue } from "./evidence-value";

const COARSE_MS = 5_000;
const CHIP_TONES = { no: "bad", unknown: "unknown", risk: "warn", yes: "ok" } as const;


export function ProofPanel({ detail, actions }: { readonly detail: NodeDetail; readonly actions: ReactNode }) {
  const { answer } = detail;
  const look = lookOf(answer);
  const now = useNow(COARSE_MS);
  return (
    <aside className="why" aria-label="Proof and sources">
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
        <ul className="ev">
          {answer.proof.map((evidence) => (
            <EvidenceLine key={`${evidence.what} ${evidence.source}`} evidence={evidence} now={now} />
          ))}
        </ul>
      </div>
      {actions === undefined ? null : <div className="blk">{actions}</div>}
      <Sources sources={detail.sources} />
    </aside>
  );
}

const LOOKS = {
  seen: { className: "seen", icon: "seen", words: "Seen" },
  "not-seen": { className: "not", icon: "not-seen", words: "Not seen" },
  "could-not-look": { className: "blind", icon: "blind", words: "Could not look" },
} as const;

function EvidenceLine({ evidence, now }: { readonly evidence: EvidenceOut; readonly now: number }) {
  const look = LOOKS[evidence.look];
  const value = evidenceValue(evidence);
  const instant = evidenceInstant(evidence);
  return (
    <li className={look.className}>
      <Icon name={look.icon} size={14} />
      <span>
        <span className="sr">{look.words}: </span>
        {evidence.what}
        {evidence.reason === undefined ? null : <span className="two">{evidence.reason}</span>}
      </span>
      <span className="val" title={`from ${evidence.source}${evidence.at === undefined ? "" : `, ${evidence.at}`}`}>
        {evidence.look === "could-not-look" ? "could not look" : instant !== undefined ? <Instant at={instant} nowMs={now} /> : (value ?? (evidence.look === "seen" ? "" : "not seen"))}
      </span>
    </li>
  );
}

function Sources({ sources }: { readonly sources: NodeDetail["sources"] }) {
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
          </li>
        ))}
      </ul>
    </div>
  );
}

const SOURCE_WORDS = { api: "API server", kubelet: "kubelet", agent: "Node agent", prometheus: "Prometheus" } as const;
