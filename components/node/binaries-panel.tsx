import type { NodeDetail } from "@/server/contract/schemas";
import { plural } from "@/components/format/numbers";
import { Icon } from "@/components/ui/glyphs";

const PROBLEMS = {
  absent: "missing", empty: "empty file", truncated: "cut short", "not-executable": "not executable", "wrong-architecture": "other architecture", directory: "a folder", unreadable: "unreadable",
} as const;

/** Programs of the bin dirs: those that matter one by one, the rest by name. */
export function BinariesPanel({ detail }: { readonly detail: NodeDetail }) {
  const { binaries, otherBinaries = [], binDirs = [] } = detail.host ?? {};
  const reason = detail.sources.find((source) => source.source === "agent")?.reason;
  return (
    <section id="binaries" aria-labelledby="binaries-h">
      <div className="sec-head">
        <h2 id="binaries-h">
          Plugin binaries<span className="count">{binDirs.join(", ")}</span>
        </h2>
      </div>
      {binaries === undefined ? (
        <p className="pad small unknown-t">
          <Icon name="blind" size={14} /> Cannot be looked at: {reason ?? "the agent told nothing of them"}.
        </p>
      ) : (
        <ol className="flow plain">
          {binaries.map(({ name, problem, version, wantedBy, running }) => (
            <li key={name}>
              <span>
                <code className="strong">{name}</code>
                {version === undefined ? null : (
                  <span className="small muted" title={version}>
                    {" "}
                    {version.split(" ").at(-1)}
                  </span>
                )}
              </span>
              {problem !== undefined ? <span className={`small ${wantedBy.length > 0 ? "bad-t" : "warn-t"}`}>{PROBLEMS[problem]}</span> : running > 0 ? <span className="small warn-t">in use</span> : <span className="small muted">present</span>}
              <span className="two">
                {wantedBy.length === 0 ? "No config names it" : `Named by ${wantedBy.join(", ")}`}
                {running > 0 ? `. ${plural(running, "process", "processes")}: a copy over it now gives Text file busy` : ""}
              </span>
            </li>
          ))}
          {otherBinaries.length === 0 ? null : (
            <li>
              <span className="small muted">
                <code>{otherBinaries.join(", ")}</code>
              </span>
              <span className="small faint">present</span>
              <span className="two">No config names {otherBinaries.length === 1 ? "it" : "them"}</span>
            </li>
          )}
          {binaries.length === 0 && otherBinaries.length === 0 ? <li className="small muted">No program is there.</li> : null}
        </ol>
      )}
    </section>
  );
}
