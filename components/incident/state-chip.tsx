import type { IncidentSummary } from "@/server/contract/incidents";
import { AnswerGlyph, Icon } from "@/components/ui/glyphs";
import { stateView } from "./incident-words";

export function StateChip({ incident }: { readonly incident: Pick<IncidentSummary, "state" | "severity" | "closedBecause"> }) {
  const { words, tone, look } = stateView(incident);
  return (
    <span className={tone === "plain" ? "chip" : `chip ${tone}`}>
      {look === undefined ? <Icon name="clock" size={12} /> : <AnswerGlyph look={look} size={12} />}
      {words}
    </span>
  );
}
