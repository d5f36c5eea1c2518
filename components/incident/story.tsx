"use client";

import Link from "next/link";
import type { AttemptGroupOut, StoryItemOut } from "@/server/contract/incidents";
import { plural } from "@/components/format/numbers";
import { AnswerGlyph } from "@/components/ui/glyphs";
import { Instant } from "@/components/ui/instant";
import { attemptWords, foldRepeats, repeatWords, STORY_LOOKS, STORY_WORDS, TONE_WORDS } from "./incident-words";

/** What happened, in order; a stretch that nobody could see is a line too, and causes that come and go are one that opens. */
export function Story({ items, truncated, nowMs }: { readonly items: readonly StoryItemOut[]; readonly truncated: boolean; readonly nowMs: number }) {
  return (
    <>
      <ol className="inc-story">
        {foldRepeats(items).map((run) => {
          const [item] = run;
          if (item === undefined) return null;
          return run.length === 1 ? <Line key={keyOf(item)} item={item} nowMs={nowMs} /> : <Repeats key={keyOf(item)} run={run} nowMs={nowMs} />;
        })}
      </ol>
      {truncated ? <p className="small muted">The middle of the story is left out; events and answers of that time are on the node&apos;s page.</p> : null}
    </>
  );
}

const keyOf = ({ at, kind, title }: StoryItemOut): string => `${at} ${kind} ${title}`;

function Repeats({ run, nowMs }: { readonly run: readonly StoryItemOut[]; readonly nowMs: number }) {
  const [first] = run;
  const last = run.at(-1);
  return (
    <li className="tone-plain">
      <span className="mark">
        <i className="dot" aria-hidden="true" />
      </span>
      <span className="when">
        {first === undefined ? null : <Instant at={Date.parse(first.at)} nowMs={nowMs} />}
        {last === undefined || last.at === first?.at ? null : (
          <span className="two">
            to <Instant at={Date.parse(last.at)} nowMs={nowMs} />
          </span>
        )}
      </span>
      <details className="inc-repeats">
        <summary>{repeatWords(run)}</summary>
        <ol className="inc-story">
          {run.map((item) => (
            <Line key={keyOf(item)} item={item} nowMs={nowMs} />
          ))}
        </ol>
      </details>
    </li>
  );
}

function Line({ item, nowMs }: { readonly item: StoryItemOut; readonly nowMs: number }) {
  const look = STORY_LOOKS[item.tone];
  return (
    <li className={`tone-${item.tone}`}>
      <span className="mark">
        {look === undefined ? <i className="dot" aria-hidden="true" /> : <AnswerGlyph look={look} size={12} />}
        <span className="sr">{TONE_WORDS[item.tone]}: </span>
      </span>
      <span className="when">
        <Instant at={Date.parse(item.at)} nowMs={nowMs} />
        {item.until === undefined ? null : (
          <span className="two">
            to <Instant at={Date.parse(item.until)} nowMs={nowMs} />
          </span>
        )}
      </span>
      <div className="what">
        <span className="med">{item.title}</span>
        {item.detail === undefined || item.attempts !== undefined ? null : <span className="two">{item.detail}</span>}
        {item.attempts === undefined ? null : <Attempts group={item.attempts} nowMs={nowMs} />}
        {item.diff === undefined ? null : saysWhatDiffers(item.diff) ? <Diff text={item.diff} /> : <span className="two">{item.diff}</span>}
      </div>
      <span className="kind">
        <Kind item={item} />
      </span>
    </li>
  );
}

function Kind({ item }: { readonly item: StoryItemOut }) {
  const words = STORY_WORDS[item.kind];
  if (item.requestId !== undefined) {
    return (
      <Link className="link" href={`/actions/${encodeURIComponent(item.requestId)}`} prefetch={false}>
        {words}
      </Link>
    );
  }
  if (item.attempts !== undefined && item.attempts.cause !== "unknown") {
    return (
      <Link className="link" href={`/causes/${item.attempts.cause}`} prefetch={false}>
        its cause
      </Link>
    );
  }
  return <>{words}</>;
}

function Attempts({ group, nowMs }: { readonly group: AttemptGroupOut; readonly nowMs: number }) {
  return (
    <>
      <code className="two said">{group.text}</code>
      {group.because.map((line) => (
        <span key={line} className="two">
          {line}
        </span>
      ))}
      <details className="inc-attempts">
        <summary>
          Attempts of {group.named.length < group.pods ? `${group.named.length} of ` : ""}
          {plural(group.pods, "pod")}
        </summary>
        <p className="small muted">
          Words of {group.plugin}; confidence {group.confidence}. The kubelet folds equal events into one, so counts are no rates.
        </p>
        <ul>
          {group.named.map(({ pod, runs, attempts }) => (
            <li key={pod}>
              <span className="med">{pod}</span>
              <ul>
                {runs.map((run) => (
                  <li key={run.from}>
                    {attemptWords(run)}, <Instant at={Date.parse(run.first)} nowMs={nowMs} />
                    {run.first === run.last ? null : (
                      <>
                        {" "}
                        to <Instant at={Date.parse(run.last)} nowMs={nowMs} />
                      </>
                    )}
                  </li>
                ))}
                {attempts > (runs.at(-1)?.to ?? 0) && runs.length > 0 ? <li className="muted">{plural(attempts, "attempt")} with this meaning in all</li> : null}
              </ul>
            </li>
          ))}
        </ul>
      </details>
    </>
  );
}

/** An agent that may show nothing of a file says so in place of the lines. */
const saysWhatDiffers = (diff: string): boolean => /^[+-]/m.test(diff);

function Diff({ text }: { readonly text: string }) {
  return (
    <div className="diff" tabIndex={0} role="group" aria-label="What differs">
      <ol>
        {text.split(/\r\n|[\r\n]/).map((line, index) => (
          <li key={`${index} ${line}`} className={line.startsWith("+") ? "add" : line.startsWith("-") ? "del" : undefined}>
            <span>{/^[+-]/.exec(line)}</span>
            <span>{line.replace(/^[+-]/, "").trimStart()}</span>
          </li>
        ))}
      </ol>
    </div>
  );
}
