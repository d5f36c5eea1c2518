import Link from "next/link";
import type { CauseException, CauseKnowledge } from "@/server/contract/causes";
import { Coded } from "@/components/ui/coded";
import { CauseExceptionsPanel } from "./exceptions";

const SEVERITY_WORDS = { blocks: "Stops pod start", risks: "Puts pod start at risk", notice: "Worth mending" } as const;

/** What one cause is, how it is found, what it is mistaken for, and what to do. */
export function CausePage({ cause, exceptions }: { readonly cause: CauseKnowledge; readonly exceptions: readonly CauseException[] }) {
  return (
    <article className="causes">
      <div className="page-head">
        <p className="crumbs">
          <Link href="/causes" prefetch={false}>
            Causes
          </Link>
          <span className="sep">/</span>
          <code>{cause.code}</code>
        </p>
        <h1>{cause.title}</h1>
        <p className="small">
          <span className={cause.severity === "blocks" ? "chip bad" : cause.severity === "risks" ? "chip warn" : "chip"}>{SEVERITY_WORDS[cause.severity]}</span>
        </p>
        <p className="lead">
          <Coded text={cause.meaning} />
        </p>
        <p className="muted">
          <Coded text={cause.impact} />
        </p>
      </div>
      <Block title="What to do" items={cause.mitigation} ordered />
      {cause.accepts === undefined ? null : <CauseExceptionsPanel code={cause.code} accepts={cause.accepts} initial={exceptions} />}
      <Block title="What Sandglass looks at" items={cause.checks} />
      {cause.lookAlikes.length === 0 ? null : (
        <section aria-labelledby="alike-h">
          <div className="sec-head">
            <h2 id="alike-h">What it is mistaken for</h2>
          </div>
          <dl className="alike">
            {cause.lookAlikes.map(({ code, title, tells }) => (
              <div key={code}>
                <dt>
                  <Link href={`/causes/${code}`} prefetch={false}>
                    {title}
                  </Link>
                </dt>
                <dd>
                  <Coded text={tells} />
                </dd>
              </div>
            ))}
          </dl>
        </section>
      )}
      {cause.bringsAbout.length === 0 ? null : (
        <section aria-labelledby="brings-h">
          <div className="sec-head">
            <h2 id="brings-h">What it brings about</h2>
          </div>
          <p className="pad links">
            {cause.bringsAbout.map(({ code, title }) => (
              <Link key={code} href={`/causes/${code}`} prefetch={false}>
                {title}
              </Link>
            ))}
          </p>
        </section>
      )}
    </article>
  );
}

function Block({ title, items, ordered = false }: { readonly title: string; readonly items: readonly string[]; readonly ordered?: boolean }) {
  const List = ordered ? "ol" : "ul";
  return (
    <section aria-label={title}>
      <div className="sec-head">
        <h2>{title}</h2>
      </div>
      <List className={ordered ? "steps-list pad" : "checks-list pad"}>
        {items.map((item) => (
          <li key={item}>
            <Coded text={item} />
          </li>
        ))}
      </List>
    </section>
  );
}
