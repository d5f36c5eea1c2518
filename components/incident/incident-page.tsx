"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import type { ReactNode } from "react";
import type { IncidentDetail } from "@/server/contract/incidents";
import { plural } from "@/components/format/numbers";
import { useNow, useOnChange, useShows } from "@/components/live/live-provider";
import { useThrottled } from "@/components/node/use-throttled";
import { CopyLink } from "@/components/ui/copy-link";
import { Instant, ZoneName } from "@/components/ui/instant";
import { Table } from "@/components/ui/table";
import { Acknowledge } from "./acknowledge";
import { IncidentChart } from "./backlog-chart";
import { Causes } from "./causes";
import { Facts, TraitFacts } from "./facts";
import { HurtTable } from "./hurt-table";
import { INCIDENT_COLUMNS, IncidentRow } from "./incident-row";
import { NATURE_CHIPS } from "./incident-words";
import { Notes } from "./notes";
import { INCIDENT_KEYS, readIncident } from "./queries";
import { Shared } from "./shared";
import { StateChip } from "./state-chip";
import { Story } from "./story";
import { Title } from "./title";

/** The stream tells of the incident; its story also grows by events, of which it does not. */
const REFRESH_AT_MOST_EVERY_MS = 5_000;
const REFRESH_WHILE_OPEN_MS = 15_000;
const COARSE_MS = 5_000;

/** One incident as a page of its own, to be linked to, handed over and kept. */
export function IncidentPage({ initial }: { readonly initial: IncidentDetail }) {
  const now = useNow(COARSE_MS);
  const { id } = initial;
  const { data: incident, error, refetch } = useQuery({
    queryKey: INCIDENT_KEYS.one(id),
    queryFn: ({ signal }) => readIncident(id, signal),
    initialData: initial,
    gcTime: 0,
    refetchInterval: ({ state }) => (state.data?.state === "closed" ? false : REFRESH_WHILE_OPEN_MS),
  });
  useShows(undefined);
  const refresh = useThrottled(() => void refetch(), REFRESH_AT_MOST_EVERY_MS);
  useOnChange((message) => {
    if (message.incidents?.includes(id) === true || incident.memberIncidents.some((member) => message.incidents?.includes(member.id) === true)) refresh();
  });
  return (
    <div className="inc-doc">
      <article>
        <Head incident={incident} nowMs={now} />
        {error === null ? null : (
          <p className="banner is-warn" role="alert">
            <b>The incident could not be read anew.</b> {error.message} What you see is from before.
          </p>
        )}
        <p className="inc-lead">{incident.lead}</p>
        <Acknowledge incident={incident} nowMs={now} />
        {incident.node === undefined ? null : (
          <Section title={`Backlog on ${incident.node}`}>
            <IncidentChart incident={incident} node={incident.node} />
          </Section>
        )}
        {incident.shared === undefined ? null : (
          <Section title="What the sick nodes share">
            <Shared shared={incident.shared} />
          </Section>
        )}
        <Section title="Story" count={incident.story.length}>
          <Story items={incident.story} truncated={incident.storyTruncated} nowMs={now} />
        </Section>
        <Section title="Causes" count={incident.allCauses.length}>
          <Causes causes={incident.allCauses} isOver={incident.state === "closed"} nowMs={now} />
          {incident.node === undefined && incident.causes.length > 1 ? <OfNodes causes={incident.causes.slice(1)} /> : null}
        </Section>
        <Section title="Who is hurt" count={incident.hurtWorkloads.length}>
          <HurtTable hurt={incident.hurtWorkloads} nowMs={now} />
        </Section>
        {incident.memberIncidents.length === 0 ? null : (
          <Section title="Nodes" count={incident.members?.count ?? incident.memberIncidents.length}>
            <Members incident={incident} nowMs={now} />
          </Section>
        )}
        <Section title="Notes" count={incident.noteList.length}>
          <Notes incident={incident} nowMs={now} />
        </Section>
      </article>
      <aside aria-label="Facts">
        <h2>Facts</h2>
        <Facts incident={incident} nowMs={now} />
        {incident.traits === undefined ? null : (
          <>
            <h2>What it ran then</h2>
            <TraitFacts traits={incident.traits} />
          </>
        )}
      </aside>
    </div>
  );
}

function Head({ incident, nowMs }: { readonly incident: IncidentDetail; readonly nowMs: number }) {
  return (
    <header>
      <div className="row">
        <nav className="crumbs" aria-label="Breadcrumb">
          <Link href="/incidents">Incidents</Link>
          <span className="sep">/</span>
          {incident.fleet === undefined ? null : (
            <>
              <Link href={`/incidents/${incident.fleet}`}>fleet incident {incident.fleet}</Link>
              <span className="sep">/</span>
            </>
          )}
          <b aria-current="page">incident {incident.id}</b>
        </nav>
        <span className="spacer" />
        <CopyLink label="Copy link" address={() => `${window.location.origin}/incidents/${incident.id}`} />
        <span className="exports" role="group" aria-label="Export this incident">
          {(["json", "markdown"] as const).map((format) => (
            <a key={format} className="btn btn-sm" href={`/api/v1/incidents/${incident.id}/export?format=${format}`} download>
              <span className="sr">Export </span>
              {format === "json" ? "JSON" : "Markdown"}
            </a>
          ))}
        </span>
      </div>
      <Title incident={incident} />
      <p className="row inc-chips">
        <StateChip incident={incident} />
        {incident.nature === undefined ? null : <span className={incident.nature === "undecided" ? "chip unknown" : "chip"}>{NATURE_CHIPS[incident.nature]}</span>}
        <span className="muted">
          since <Instant at={Date.parse(incident.stateSince)} nowMs={nowMs} /> <ZoneName />
        </span>
        {incident.pool === undefined ? null : <span className="muted">pool {incident.pool}</span>}
        {incident.titled === undefined ? null : <span className="muted">title by {incident.titled.by}</span>}
      </p>
    </header>
  );
}

function Section({ title, count, children }: { readonly title: string; readonly count?: number; readonly children: ReactNode }) {
  return (
    <section aria-label={title}>
      <h2>
        {title}
        {count === undefined ? null : <small>{count}</small>}
      </h2>
      {children}
    </section>
  );
}

/** What its nodes' own incidents are about; the evidence of each is with the node. */
function OfNodes({ causes }: { readonly causes: IncidentDetail["causes"] }) {
  return (
    <p>
      On its nodes:{" "}
      {causes.map(({ code, detail, title }, index) => (
        <span key={`${code} ${detail ?? ""}`}>
          {index === 0 ? "" : ", "}
          <Link className="link" href={`/causes/${code}`} prefetch={false}>
            {title}
          </Link>
        </span>
      ))}
    </p>
  );
}

function Members({ incident, nowMs }: { readonly incident: IncidentDetail; readonly nowMs: number }) {
  return (
    <>
      <Table label="Incidents of its nodes" columns={INCIDENT_COLUMNS} className="inc-tbl">
        {incident.memberIncidents.map((member) => (
          <IncidentRow key={member.id} incident={member} nowMs={nowMs} />
        ))}
      </Table>
      {incident.memberIncidents.length < (incident.members?.count ?? 0) ? <p className="small muted">{plural(incident.memberIncidents.length, "node")} of {incident.members?.count} are listed.</p> : null}
    </>
  );
}
