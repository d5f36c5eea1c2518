import { CircleDashed, Clock } from "lucide-react";
import { AnswerGlyph, Icon } from "@/components/ui/glyphs";
import type { Outcome } from "./run-state";

interface Look {
  readonly words: string;
  /** Tone of text and chip; empty is neutral. */
  readonly tone: "ok" | "bad" | "warn" | "unknown" | "";
}

export const OUTCOMES: Readonly<Record<Outcome, Look>> = {
  worked: { words: "worked", tone: "ok" },
  "no-effect": { words: "no effect", tone: "warn" },
  worse: { words: "worse", tone: "bad" },
  "could-not-verify": { words: "could not verify", tone: "unknown" },
  "too-early": { words: "too early to tell", tone: "" },
  running: { words: "running", tone: "" },
  failed: { words: "failed", tone: "bad" },
  interrupted: { words: "interrupted", tone: "warn" },
  "waiting-to-be-seen": { words: "not seen on the node yet", tone: "" },
  checking: { words: "being checked", tone: "" },
};

/** The shape says the outcome, the colour repeats it. */
export function OutcomeGlyph({ outcome, size = 16 }: { readonly outcome: Outcome; readonly size?: 12 | 14 | 16 }) {
  if (outcome === "worked") return <AnswerGlyph look="yes" size={size} />;
  if (outcome === "worse" || outcome === "failed") return <AnswerGlyph look="no" size={size} />;
  if (outcome === "interrupted") return <AnswerGlyph look="risk" size={size} />;
  if (outcome === "no-effect") return <Icon name="not-seen" size={size} />;
  if (outcome === "could-not-verify") return <Icon name="blind" size={size} />;
  const Mark = outcome === "running" ? CircleDashed : Clock;
  return <Mark className={size === 16 ? "i" : `i i-${size}`} aria-hidden="true" />;
}

export function OutcomeChip({ outcome }: { readonly outcome: Outcome }) {
  const { words, tone } = OUTCOMES[outcome];
  return (
    <span className={`chip ${tone}`}>
      <OutcomeGlyph outcome={outcome} size={12} />
      {words}
    </span>
  );
}
