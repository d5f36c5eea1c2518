import type { ExplainedText } from "@/server/contract/explain";
import { formatCount } from "@/components/format/numbers";
import { ExplanationCard } from "./explanation-card";
import { groupWords } from "./words";

const HEADS = { text: "What it says", log: "What its records say", list: "What the list says" } as const;

/** One card for one text; of a log or a list one for each of the things that are said in it, the most often said first. */
export function ExplainResult({ explained }: { readonly explained: ExplainedText }) {
  const { kind, messages, leftOut } = explained;
  return (
    <section className="sec" aria-labelledby="explained-h">
      <div className="sec-head">
        <h2 id="explained-h">
          {HEADS[kind]}
          {kind === "text" ? null : <span className="count">{formatCount(messages.length)}</span>}
        </h2>
      </div>
      {kind === "text" || (kind === "log" && messages.length === 0) ? (
        <ExplanationCard explanation={explained} />
      ) : messages.length === 0 ? (
        <p className="pad muted">The list holds no message: no event, no condition that is not good, no container that waits or ended badly.</p>
      ) : (
        messages.map((group, index) => (
          <details key={`${group.cause} ${group.text}`} className="group" open={index === 0}>
            <summary>
              <span className="med">{group.cause === "unknown" ? "Undecided" : group.title}</span>
              <span className="two">{groupWords(group)}</span>
            </summary>
            <div className="sample" role="region" aria-label="One of the texts" tabIndex={0}>
              {group.text}
            </div>
            <ExplanationCard explanation={group} />
          </details>
        ))
      )}
      {leftOut === 0 ? null : <p className="pad small muted">{formatCount(leftOut)} more are not read or not shown. Select fewer, by namespace or by field.</p>}
    </section>
  );
}
