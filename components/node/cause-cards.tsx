import Link from "next/link";
import { isNodeAction } from "@/server/domain/actions/work-order";
import type { CauseOut, DiagnosisOut } from "@/server/contract/causes";
import { AcceptableSubjects, AcceptedList } from "@/components/cause/exceptions";
import { Coded } from "@/components/ui/coded";
import { AnswerGlyph } from "@/components/ui/glyphs";
import { Instant } from "@/components/ui/instant";
import { EvidenceList } from "./evidence-list";
import { severityLook, severityWords } from "./cause-words";

/** The node's causes, the gravest first, each with what it rests on, what it brings about and what to do. */
export function CauseCards({ diagnosis, nowMs }: { readonly diagnosis: DiagnosisOut; readonly nowMs: number }) {
  const { causes, suspended, accepted } = diagnosis;
  return (
    <>
      {causes.map((cause, index) => (
        <CauseCard key={`${cause.code} ${cause.detail ?? ""}`} cause={cause} place={causes.length === 1 ? "" : `Cause ${index + 1} of ${causes.length}, `} nowMs={nowMs} />
      ))}
      {suspended.map((cause) => (
        <div className="blk" key={`${cause.code} ${cause.detail ?? ""}`}>
          <div className="over">
            <span className="chip unknown">
              <AnswerGlyph look="unknown" size={12} />
              Cannot be told now
            </span>
            <span>
              since <Instant at={Date.parse(cause.since)} precision="minute" nowMs={nowMs} />
            </span>
          </div>
          <p className="med">{cause.title}</p>
          <p className="small muted">It was seen before and is neither seen nor cleared now. {cause.reason}</p>
        </div>
      ))}
      {accepted.length === 0 ? null : (
        <div className="blk">
          <h3 className="h3">Accepted as it is</h3>
          {[...new Set(accepted.map(({ title }) => title))].map((title) => (
            <div key={title}>
              <p className="small muted">{title}</p>
              <AcceptedList items={accepted.filter((one) => one.title === title)} nowMs={nowMs} />
            </div>
          ))}
        </div>
      )}
    </>
  );
}

function CauseCard({ cause, place, nowMs }: { readonly cause: CauseOut; readonly place: string; readonly nowMs: number }) {
  const look = severityLook(cause);
  return (
    <div className="blk cause" id={`cause-${cause.code}`}>
      <div className="over">
        <span className={look === "no" ? "chip bad" : look === "risk" ? "chip warn" : "chip"}>
          {look === undefined ? null : <AnswerGlyph look={look} size={12} />}
          {severityWords(cause)}
        </span>
        <span>
          {place}since <Instant at={Date.parse(cause.since)} precision="minute" nowMs={nowMs} />
        </span>
      </div>
      <h2>{cause.title}</h2>
      <p className="lede">
        {cause.certainty === "suspected" ? <b>Suspected from what pods were told, not measured. </b> : null}
        {cause.summary}
      </p>
      <EvidenceList items={cause.evidence} nowMs={nowMs} />
      <Pods pods={cause.pods} />
      {cause.consequences.length === 0 ? null : (
        <div className="brings">
          <p className="small muted">Brings about</p>
          <ul>
            {cause.consequences.map((one) => (
              <li key={`${one.code} ${one.detail ?? ""}`}>
                <Link className="med" href={`/causes/${one.code}`} prefetch={false}>
                  {one.title}
                </Link>
                <span className="two">{one.summary}</span>
              </li>
            ))}
          </ul>
        </div>
      )}
      <AcceptableSubjects code={cause.code} subjects={cause.subjects} />
      <details className="what">
        <summary>What to do</summary>
        <ol>
          {cause.mitigation.map((step) => (
            <li key={step}>
              <Coded text={step} />
            </li>
          ))}
        </ol>
      </details>
      <FittingActions names={cause.actions} />
      <p className="small">
        <Link className="link" href={`/causes/${cause.code}`} prefetch={false}>
          What this is, and what it is mistaken for
        </Link>
      </p>
    </div>
  );
}

/** Those that there are, each leading to the buttons of this page; a cause may name others that are to come. */
function FittingActions({ names }: { readonly names: readonly string[] }) {
  const known = fittingActions(names);
  if (known.length === 0) return null;
  return (
    <p className="small">
      Actions that fit:{" "}
      {known.map((name, index) => (
        <span key={name}>
          {index === 0 ? "" : ", "}
          <a className="link" href="#actions">
            {ACTION_WORDS[name]}
          </a>
        </span>
      ))}
    </p>
  );
}

/** Of the actions that a cause names, those that there are, the one to try first in front. */
export const fittingActions = (names: readonly string[]): readonly string[] => names.filter((name) => name === SET_DAEMON_RESOURCES || isNodeAction(name));

export const SET_DAEMON_RESOURCES = "set-daemon-resources";
const ACTION_WORDS: Readonly<Record<string, string>> = {
  [SET_DAEMON_RESOURCES]: "set the daemon's resources",
  "purge-dead-sandboxes": "remove dead sandboxes that nobody needs",
  "move-busy-shim-aside": "move the busy program aside",
  "remove-broken-cache-entry": "move broken cache entries aside",
};

const MAX_PODS_SHOWN = 3;

function Pods({ pods }: { readonly pods: readonly string[] }) {
  if (pods.length === 0) return null;
  const more = pods.slice(MAX_PODS_SHOWN);
  return (
    <p className="small muted pods" title={pods.join("\n")}>
      Concerns <b>{pods.slice(0, MAX_PODS_SHOWN).join(", ")}</b>
      {more.length === 0 ? "" : ` and ${more.length} more`}
    </p>
  );
}
