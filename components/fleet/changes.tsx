"use client";

import Link from "next/link";
import { AnswerGlyph } from "@/components/ui/glyphs";
import { Instant } from "@/components/ui/instant";
import { plural } from "@/components/format/numbers";
import { lookOf, LOOK_WORDS, type Change } from "./model";

/** Fewest lines that are shown where there are as many; the rest is counted. */
const MIN_SHOWN = 4;

/** `beside`: lines of the list that it stands next to, so that neither leaves the other a hole. */
export function Changes({ changes, beside }: { readonly changes: readonly Change[]; readonly beside: number }) {
  const shown = changes.slice(0, Math.max(MIN_SHOWN, beside));
  return (
    <section aria-labelledby="changes-h">
      <div className="sec-head">
        <h2 id="changes-h">
          Changes<span className="count">{changes.length === 0 ? "" : `${changes.length} in the last hour`}</span>
        </h2>
      </div>
      {shown.length === 0 ? (
        <p className="pad muted quiet">No answer changed in the last hour.</p>
      ) : (
        <ul className="feed">
          {shown.map((change) => (
            <li key={`${change.node} ${change.atMs} ${change.state} ${String(change.atRisk)}`}>
              <Instant at={change.atMs} precision="minute" />
              <AnswerGlyph look={lookOf(change)} size={13} />
              <span>
                <Link className="med" href={`/nodes/${encodeURIComponent(change.node)}`} prefetch={false}>
                  {change.node}
                </Link>{" "}
                {wording(change)}
                <span className="two">{change.summary}</span>
              </span>
            </li>
          ))}
          {changes.length > shown.length ? <li className="more">{plural(changes.length - shown.length, "earlier change")}</li> : null}
        </ul>
      )}
    </section>
  );
}

function wording(change: Change): string {
  const now = LOOK_WORDS[lookOf(change)];
  if (change.before === undefined) return `first seen: ${now}`;
  const before = change.before === "yes" ? "Yes" : change.before === "no" ? "No" : "Unknown";
  if (before === "Yes" && lookOf(change) === "yes") return "no longer at risk";
  return `${before} to ${now === "Yes, at risk" && before === "Yes" ? "at risk" : now}`;
}
