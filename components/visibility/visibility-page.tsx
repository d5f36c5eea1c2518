"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useMemo, useState } from "react";
import type { Visibility } from "@/server/contract/schemas";
import { TLS_NOT_CHECKED } from "@/server/domain/kubelet-tls";
import { fetchJson } from "@/components/live/fetch-json";
import { useNow, useShows, useStatus } from "@/components/live/live-provider";
import { QUERY_KEYS } from "@/components/live/queries";
import { formatCount, plural } from "@/components/format/numbers";
import { formatDuration } from "@/components/format/time";
import { Icon } from "@/components/ui/glyphs";
import { Table } from "@/components/ui/table";
import { AgentPort } from "./agent-port";
import { ChangedKeys } from "./changed-keys";
import { FleetSignals, NodeSignals } from "./signals-table";
import { blindGroups, MAX_NODES_LISTED, sourceGroups, type BlindGroup, type SourceGroup } from "./groups";

const REFRESH_MS = 15_000;
const COARSE_MS = 5_000;

/** What Sandglass can and cannot see, why, and the way on. Nodes that are blind for the same reason are one line. */
export function VisibilityPage({ initial, node }: { readonly initial: Visibility; readonly node?: string }) {
  const { data, error } = useQuery({
    queryKey: [...QUERY_KEYS.visibility, node ?? ""],
    queryFn: ({ signal }) => fetchJson<Visibility>(node === undefined ? "/api/v1/visibility" : `/api/v1/visibility?node=${encodeURIComponent(node)}`, signal),
    initialData: initial,
    refetchInterval: REFRESH_MS,
  });
  useShows(undefined);
  return (
    <>
      <header className="q">
        <h1>What can Sandglass see?</h1>
        <span className="small muted">What it cannot see is unknown, and never counted as healthy</span>
      </header>
      {error === null ? null : (
        <p className="banner is-warn" role="alert">
          <b>This could not be read anew.</b> {error.message} What you see is from before.
        </p>
      )}
      {data.node === undefined ? <Cluster data={data} /> : <OfNode node={data.node} />}
    </>
  );
}

/** One node: every signal of it and nothing else. */
function OfNode({ node }: { readonly node: NonNullable<Visibility["node"]> }) {
  return (
    <section className="sec" aria-labelledby="node-signals-h">
      <div className="sec-head">
        <h2 id="node-signals-h">
          Every signal of{" "}
          <Link className="link" href={`/nodes/${encodeURIComponent(node.name)}`} prefetch={false}>
            {node.name}
          </Link>
          <span className="count">{formatCount(node.signals.length)}</span>
        </h2>
        <span className="spacer" />
        <Link className="btn btn-sm btn-quiet" href="/visibility" prefetch={false}>
          The whole cluster
        </Link>
      </div>
      <NodeSignals node={node} />
    </section>
  );
}

/** All of them: what cannot be seen comes first, since it is what one comes for. */
function Cluster({ data }: { readonly data: Visibility }) {
  const sources = useMemo(() => sourceGroups(data.nodes), [data]);
  const blind = useMemo(() => blindGroups(data.nodes), [data]);
  return (
    <>
      <section className="sec" aria-labelledby="blind-h">
        <div className="sec-head">
          <h2 id="blind-h">
            What cannot be seen<span className="count">{plural(blind.length, "thing")}</span>
          </h2>
        </div>
        {blind.length === 0 ? <p className="pad quiet muted">Every signal of every node is seen.</p> : <ul className="vis">{blind.map((group) => <BlindLine key={`${group.what} ${group.reason}`} group={group} total={data.nodes.length} />)}</ul>}
      </section>
      <Kinds kinds={data.kinds} />
      <section className="sec" aria-labelledby="sources-h">
        <div className="sec-head">
          <h2 id="sources-h">
            Sources of nodes<span className="count">{plural(data.nodes.length, "node")}</span>
          </h2>
        </div>
        <KubeletTls />
        {sources.length === 0 ? <p className="pad quiet muted">No node is known yet.</p> : <ul className="vis">{sources.map((group) => <SourceLine key={`${group.source} ${group.freshness} ${group.reason}`} group={group} total={data.nodes.length} />)}</ul>}
      </section>
      <ChangedKeys />
      {data.agents === undefined ? null : <AgentPort agents={data.agents} nodes={data.nodes} />}
      <section className="sec" aria-labelledby="signals-h">
        <div className="sec-head">
          <h2 id="signals-h">
            Every signal<span className="count">{formatCount(data.signals.length)}</span>
          </h2>
        </div>
        <FleetSignals signals={data.signals} nodes={data.nodes.length} />
      </section>
    </>
  );
}

const KIND_WORDS: Readonly<Record<string, string>> = { nodes: "Nodes", pods: "Pods", events: "Events", daemonsets: "DaemonSets", nads: "NetworkAttachmentDefinitions" };
const KIND_STATES: Readonly<Record<string, { readonly words: string; readonly tone: string }>> = {
  watching: { words: "watched", tone: "ok-t" },
  listing: { words: "being listed", tone: "muted" },
  failing: { words: "failing", tone: "warn-t" },
  forbidden: { words: "not allowed", tone: "unknown-t" },
  absent: { words: "does not exist in this cluster", tone: "muted" },
};

function Kinds({ kinds }: { readonly kinds: Visibility["kinds"] }) {
  const now = useNow(COARSE_MS);
  return (
    <section aria-labelledby="kinds-h">
      <div className="sec-head">
        <h2 id="kinds-h">What the API server tells</h2>
      </div>
      {kinds.length === 0 ? (
        <p className="pad quiet unknown-t">The collector has not told yet what it watches.</p>
      ) : (
        <Table label="Kinds of objects" columns={["Kind", "State", { head: "Objects kept", num: true }, "Last heard", "Why"]}>
          {kinds.map((kind) => {
            const state = KIND_STATES[kind.state] ?? { words: kind.state, tone: "unknown-t" };
            const seen = kind.state === "watching" || kind.state === "listing" || kind.state === "failing";
            return (
              <tr key={kind.kind}>
                <td className="med">{KIND_WORDS[kind.kind] ?? kind.kind}</td>
                <td className={state.tone}>{state.words}</td>
                <td className="num">{seen ? formatCount(kind.objects) : <span className={kind.state === "absent" ? "faint small" : "nodata"}>{kind.state === "absent" ? "none" : "no data"}</span>}</td>
                <td className="muted">{kind.last === undefined ? "never" : `${formatDuration((now - Date.parse(kind.last)) / 1_000)} ago`}</td>
                <td className="why-text">{kind.reason}</td>
              </tr>
            );
          })}
        </Table>
      )}
    </section>
  );
}

/** What kubelets say is believed or not by how their certificates are checked. */
function KubeletTls() {
  const { kubelet } = useStatus();
  if (kubelet?.tls !== TLS_NOT_CHECKED) return null;
  return (
    <p className="pad quiet warn-t">
      Kubelets' certificates are not checked (<code>--kubelet-tls=insecure</code>): whatever answers at a kubelet's address is believed. Use <code>verify</code>, or <code>pin</code> where kubelets have self-signed certificates.
    </p>
  );
}

const SOURCE_WORDS = { api: "API server", kubelet: "Kubelet", agent: "Node agent", prometheus: "Prometheus" } as const;
const FRESHNESS = { fresh: { words: "fresh", tone: "ok-t", icon: "seen" }, stale: { words: "stale", tone: "warn-t", icon: "blind" }, absent: { words: "not there", tone: "unknown-t", icon: "not-seen" } } as const;

function SourceLine({ group, total }: { readonly group: SourceGroup; readonly total: number }) {
  const look = FRESHNESS[group.freshness];
  return (
    <li>
      <span className={look.tone}>
        <Icon name={look.icon} size={14} />
      </span>
      <span>
        <span className="med">{SOURCE_WORDS[group.source]}</span> <span className={look.tone}>{look.words}</span>
        {group.reason === "" ? null : <span className="two">{group.reason}</span>}
        {group.freshness === "fresh" ? null : <Names nodes={group.nodes} total={total} />}
      </span>
      <span className="r">{group.nodes.length === total ? "all nodes" : plural(group.nodes.length, "node")}</span>
    </li>
  );
}

function BlindLine({ group, total }: { readonly group: BlindGroup; readonly total: number }) {
  return (
    <li>
      <span className="unknown-t">
        <Icon name="blind" size={14} />
      </span>
      <span>
        <span className="med">{group.what}</span>
        <span className="two">{group.reason}</span>
        {group.fix === undefined ? null : <span className="two fix">{group.fix}</span>}
        <Names nodes={group.nodes} total={total} />
      </span>
      <span className="r">{group.nodes.length === total ? "all nodes" : plural(group.nodes.length, "node")}</span>
    </li>
  );
}

function Names({ nodes, total }: { readonly nodes: readonly string[]; readonly total: number }) {
  const [all, setAll] = useState(false);
  if (nodes.length === total && total > 1) return null;
  const shown = all ? nodes : nodes.slice(0, MAX_NODES_LISTED);
  return (
    <span className="names">
      {shown.map((name) => (
        <Link key={name} className="link" href={`/nodes/${encodeURIComponent(name)}`} prefetch={false}>
          {name}
        </Link>
      ))}
      {nodes.length > shown.length ? (
        <button type="button" className="btn btn-sm btn-quiet" onClick={() => setAll(true)}>
          {formatCount(nodes.length - shown.length)} more
        </button>
      ) : null}
    </span>
  );
}
