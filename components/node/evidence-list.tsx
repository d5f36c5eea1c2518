import type { EvidenceOut } from "@/server/contract/evidence";
import { Icon } from "@/components/ui/glyphs";
import { Instant } from "@/components/ui/instant";
import { evidenceInstant, evidenceValue } from "./evidence-value";

const LOOKS = {
  seen: { className: "seen", icon: "seen", words: "Seen" },
  "not-seen": { className: "not", icon: "not-seen", words: "Not seen" },
  "could-not-look": { className: "blind", icon: "blind", words: "Could not look" },
} as const;

/** Observations, each with how it was looked for; the list says how many of which before it is read. */
export function EvidenceList({ items, nowMs }: { readonly items: readonly EvidenceOut[]; readonly nowMs: number }) {
  const count = (look: EvidenceOut["look"]): number => items.filter((item) => item.look === look).length;
  return (
    <ul className="ev" aria-label={`Evidence: ${count("seen")} seen, ${count("not-seen")} not seen, ${count("could-not-look")} could not look`}>
      {items.map((evidence, index) => (
        <EvidenceLine key={`${index} ${evidence.what}`} evidence={evidence} nowMs={nowMs} />
      ))}
    </ul>
  );
}

/** Longer values stand below what they are of, where they need not be broken. */
const MAX_SIDE_CHARS = 18;

function EvidenceLine({ evidence, nowMs }: { readonly evidence: EvidenceOut; readonly nowMs: number }) {
  const look = LOOKS[evidence.look];
  const value = evidenceValue(evidence);
  const instant = evidenceInstant(evidence);
  const long = instant === undefined && value !== undefined && value.length > MAX_SIDE_CHARS;
  return (
    <li className={look.className}>
      <Icon name={look.icon} size={14} />
      <span>
        <span className="sr">{look.words}: </span>
        {evidence.what}
        {evidence.reason === undefined ? null : <span className="two">{evidence.reason}</span>}
        {long ? <code className="two said">{value}</code> : null}
      </span>
      <span className={typeof evidence.value === "string" && instant === undefined ? "val" : "val num"} title={`from ${evidence.source}${evidence.at === undefined ? "" : `, ${evidence.at}`}`}>
        {evidence.look === "could-not-look" ? "could not look" : instant !== undefined ? <Instant at={instant} nowMs={nowMs} /> : long ? "" : (value ?? (evidence.look === "seen" ? "" : "not seen"))}
      </span>
    </li>
  );
}
