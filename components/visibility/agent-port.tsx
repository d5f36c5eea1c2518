import Link from "next/link";
import type { Visibility } from "@/server/contract/schemas";
import { formatCount, plural } from "@/components/format/numbers";
import { formatDuration } from "@/components/format/time";
import { Icon } from "@/components/ui/glyphs";
import { clocksThatDiffer, dropAdvice, lossesOf, MAX_NODES_LISTED } from "./groups";

/** What came to the port for agents since the collector's start: what was taken, what was dropped and why, and whose clock differs. */
export function AgentPort({ agents, nodes }: { readonly agents: NonNullable<Visibility["agents"]>; readonly nodes: Visibility["nodes"] }) {
  const dropped = Object.entries(agents.dropped).filter(([, count]) => count > 0).sort(([, a], [, b]) => b - a);
  const clocks = clocksThatDiffer(nodes);
  const { lossy, untold } = lossesOf(nodes);
  if (!agents.listening) return null;
  return (
    <section className="sec" aria-labelledby="agents-h">
      <div className="sec-head">
        <h2 id="agents-h">
          What agents send<span className="count">{plural(agents.reporting, "node")}</span>
        </h2>
      </div>
      <ul className="vis">
        <li>
          <span className="ok-t">
            <Icon name="seen" size={14} />
          </span>
          <span className="med">Reports taken since the start</span>
          <span className="r">{agents.accepted === undefined ? <span className="nodata">no data</span> : formatCount(agents.accepted)}</span>
        </li>
        {agents.identityTrouble === undefined ? null : (
          <li>
            <span className="unknown-t">
              <Icon name="blind" size={14} />
            </span>
            <span>
              <span className="med">Tokens of agents in pods cannot be checked</span>
              <span className="two">{agents.identityTrouble.reason}</span>
            </span>
            <span className="r" />
          </li>
        )}
        {dropped.map(([reason, count]) => (
          <li key={reason}>
            <span className="warn-t">
              <Icon name="not-seen" size={14} />
            </span>
            <span>
              <span className="med">Dropped: {reason}</span>
              <span className="two">{dropAdvice(reason)}</span>
            </span>
            <span className="r">{formatCount(count)}</span>
          </li>
        ))}
        {agents.turnedAway === undefined || agents.turnedAway === 0 ? null : (
          <li>
            <span className="warn-t">
              <Icon name="not-seen" size={14} />
            </span>
            <span>
              <span className="med">Connections closed at once</span>
              <span className="two">More were open than the port takes. Agents come back by themselves.</span>
            </span>
            <span className="r">{formatCount(agents.turnedAway)}</span>
          </li>
        )}
        {lossy.length === 0 && untold === 0 ? null : (
          <li>
            <span className={lossy.length === 0 ? "unknown-t" : "warn-t"}>
              <Icon name="blind" size={14} />
            </span>
            <span>
              <span className="med">Reports that agents gave up</span>
              {lossy.length === 0 ? null : <span className="two">They could not be sent for so long that the agent&apos;s buffer was full or they were too old. Since each agent&apos;s start.</span>}
              {untold === 0 ? null : <span className="two">{plural(untold, "agent")} of an older version {untold === 1 ? "does" : "do"} not tell whether there are any.</span>}
              <span className="names">
                {lossy.slice(0, MAX_NODES_LISTED).map(({ name, count }) => (
                  <Link key={name} className="link" href={`/nodes/${encodeURIComponent(name)}`} prefetch={false}>
                    {name}: {formatCount(count)}
                  </Link>
                ))}
              </span>
            </span>
            <span className="r">{lossy.length === 0 ? "not known" : plural(lossy.length, "node")}</span>
          </li>
        )}
        {clocks.length === 0 ? null : (
          <li>
            <span className="warn-t">
              <Icon name="blind" size={14} />
            </span>
            <span>
              <span className="med">Clocks that differ from this machine&apos;s</span>
              <span className="two">Times of their reports are corrected by the difference. Check the time synchronisation of these nodes.</span>
              <span className="names">
                {clocks.slice(0, MAX_NODES_LISTED).map(({ name, behindSeconds }) => (
                  <Link key={name} className="link" href={`/nodes/${encodeURIComponent(name)}`} prefetch={false}>
                    {name}: {formatDuration(Math.abs(behindSeconds))} {behindSeconds > 0 ? "behind" : "ahead"}
                  </Link>
                ))}
              </span>
            </span>
            <span className="r">{plural(clocks.length, "node")}</span>
          </li>
        )}
      </ul>
    </section>
  );
}
