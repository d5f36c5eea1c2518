import Link from "next/link";
import type { ExplanationOut } from "@/server/contract/explain";
import { AnswerGlyph } from "@/components/ui/glyphs";
import { MarkedText } from "./marked-text";
import { confidenceWords, factRows } from "./words";

/** What one text says: the cause with what says so, what to look at, and what to do. Everything quoted is foreign text and shown as such. */
export function ExplanationCard({ explanation }: { readonly explanation: ExplanationOut }) {
  const { cause, detail, title, plugin, confidence, because, lookAt, fix, page, layers } = explanation;
  const undecided = cause === "unknown";
  const rows = factRows(explanation.facts);
  return (
    <div className="explained">
      <p className="over">
        <span className={undecided ? "chip unknown" : "chip"}>
          {undecided ? <AnswerGlyph look="unknown" size={12} /> : null}
          {confidenceWords(cause, confidence)}
        </span>
        {undecided ? null : (
          <span className="muted small">
            <code>{cause}</code>
            {detail === undefined ? null : <code> {detail}</code>} · text of {plugin}
          </span>
        )}
      </p>
      <h3>{undecided ? "The text does not decide" : title}</h3>
      {layers.length < 2 ? null : <p className="small muted who">Told by {layers.map(({ who }) => who).join(" → ")}</p>}
      {because.length === 0 ? null : (
        <ul className="because" aria-label="What says so">
          {because.map((piece) => (
            <li key={`${piece.text} ${piece.says}`}>
              <q>
                <code>{piece.text}</code>
              </q>
              <span>{piece.says}</span>
            </li>
          ))}
        </ul>
      )}
      {rows.length === 0 ? null : (
        <dl className="facts">
          {rows.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <code>{value}</code>
              </dd>
            </div>
          ))}
        </dl>
      )}
      <Steps title="Look at" items={lookAt} />
      <Steps title="What to do" items={fix} />
      {page === undefined ? null : (
        <p className="small">
          <Link className="link" href={page} prefetch={false}>
            {undecided ? "What to look at where no text decides" : "What this cause is, and what it is mistaken for"}
          </Link>
        </p>
      )}
    </div>
  );
}

function Steps({ title, items }: { readonly title: string; readonly items: readonly string[] }) {
  if (items.length === 0) return null;
  return (
    <>
      <h4>{title}</h4>
      <ol className="steps-list">
        {items.map((item) => (
          <li key={item}>
            <MarkedText text={item} />
          </li>
        ))}
      </ol>
    </>
  );
}
