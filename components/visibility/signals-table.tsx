import type { Visibility } from "@/server/contract/schemas";
import { SOCKET_STATES } from "@/server/domain/socket-states";
import { useNow } from "@/components/live/live-provider";
import { formatCount } from "@/components/format/numbers";
import { formatDuration } from "@/components/format/time";
import { evidenceValue } from "@/components/node/evidence-value";
import { Table } from "@/components/ui/table";

const SOURCE_WORDS = { api: "API server", kubelet: "kubelet", agent: "agent", prometheus: "Prometheus" } as const;
const COARSE_MS = 5_000;
const sourceWords = (sources: readonly (keyof typeof SOURCE_WORDS)[]): string => sources.map((source) => SOURCE_WORDS[source]).join(", ");

/** Every signal: on how many nodes it is seen, where it comes from, and why not on the others. */
export function FleetSignals({ signals, nodes }: { readonly signals: Visibility["signals"]; readonly nodes: number }) {
  const now = useNow(COARSE_MS);
  return (
    <Table label="Signals" columns={["Signal", "Seen on", "Comes from", "Last seen", "Where it is not seen"]}>
      {signals.map((one) => (
        <tr key={one.signal}>
          <SignalCell signal={one.signal} meaning={one.meaning} />
          <td className={one.unseen + one.stale === 0 ? "ok-t" : one.seen + one.none === 0 ? "unknown-t" : "warn-t"}>
            {one.seen === nodes ? "all nodes" : `${formatCount(one.seen)} of ${formatCount(nodes)}`}
            {one.stale === 0 ? "" : `, ${formatCount(one.stale)} stale`}
            {one.none === 0 ? "" : `, nothing to see on ${formatCount(one.none)}`}
          </td>
          <td className="muted">{one.sources.length === 0 ? `could: ${sourceWords(one.possibleSources)}` : sourceWords(one.sources)}</td>
          <td className="muted">{one.last === undefined ? "never" : `${formatDuration((now - Date.parse(one.last)) / 1_000)} ago`}</td>
          <td className="why-text">
            {one.reasons.map(({ reason, nodes: count, fix }) => (
              <span className="two" key={reason}>
                {formatCount(count)}: {reason}
                {fix === undefined ? "" : `. ${fix}`}
              </span>
            ))}
          </td>
        </tr>
      ))}
    </Table>
  );
}

function SignalCell({ signal, meaning }: { readonly signal: string; readonly meaning: string }) {
  return (
    <td className="why-text">
      <span className="signal">{meaning}</span>
      <code className="two">{signal}</code>
    </td>
  );
}

const STATES = { fresh: { words: "seen", tone: "ok-t" }, stale: { words: "stale", tone: "warn-t" }, unknown: { words: "not seen", tone: "unknown-t" } } as const;

/** Every signal of one node, with what to do where it is not seen. */
export function NodeSignals({ node }: { readonly node: NonNullable<Visibility["node"]> }) {
  const now = useNow(COARSE_MS);
  return (
    <Table label={`Signals of ${node.name}`} columns={["Signal", "Of", "State", "Value", "From", "Last seen", "Why not, and what to do"]}>
      {node.signals.map((one) => (
        <tr key={`${one.signal} ${one.instance}`}>
          <SignalCell signal={one.signal} meaning={one.meaning} />
          <td className="muted about">{one.instance}</td>
          <td className={one.nothingToSee ? "muted" : STATES[one.state].tone}>{one.nothingToSee ? "nothing to see" : STATES[one.state].words}</td>
          <td className="num">{one.value === undefined ? <span className={one.nothingToSee ? "faint" : "nodata"}>{one.nothingToSee ? "none" : "no data"}</span> : valueWords(one)}</td>
          <td className="muted">{SOURCE_WORDS[one.source]}</td>
          <td className="muted">{one.at === undefined ? "never" : `${formatDuration((now - Date.parse(one.at)) / 1_000)} ago`}</td>
          <td className="why-text">
            {one.reason}
            {one.fix === undefined ? null : <span className="two fix">{one.fix}</span>}
          </td>
        </tr>
      ))}
    </Table>
  );
}

const valueWords = ({ value = 0, unit }: { readonly value?: number | undefined; readonly unit: string }): string | undefined => (unit === "code" ? SOCKET_STATES[value] : evidenceValue({ value, unit }));
