import Link from "next/link";
import type { CauseKnowledge } from "@/server/contract/causes";

const GROUPS = [
  { severity: "blocks", title: "Stop pods from starting" },
  { severity: "risks", title: "Put the start of pods at risk" },
  { severity: "notice", title: "Worth mending" },
] as const;

/** Every cause that Sandglass knows, by what it does to the start of pods. */
export function CauseList({ causes }: { readonly causes: readonly CauseKnowledge[] }) {
  return (
    <div className="causes is-list">
      <header className="q">
        <h1>What can keep a pod from starting?</h1>
        <p className="small muted">Looked for on every node, and named only where it was measured</p>
      </header>
      {GROUPS.map(({ severity, title }) => (
        <section key={severity} aria-labelledby={`causes-${severity}`}>
          <div className="sec-head">
            <h2 id={`causes-${severity}`}>
              {title}
              <span className="count">{causes.filter((cause) => cause.severity === severity).length}</span>
            </h2>
          </div>
          <ul className="kv">
            {causes
              .filter((cause) => cause.severity === severity)
              .map((cause) => (
                <li key={cause.code}>
                  <Link className="med" href={`/causes/${cause.code}`} prefetch={false}>
                    {cause.title}
                  </Link>
                  <span className="two">{cause.meaning}</span>
                </li>
              ))}
          </ul>
        </section>
      ))}
    </div>
  );
}
