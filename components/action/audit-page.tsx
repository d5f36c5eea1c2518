"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import type { AuditLog } from "@/server/contract/schemas";
import { useNow } from "@/components/live/live-provider";
import { Instant } from "@/components/ui/instant";
import { NothingHere } from "@/components/ui/nothing-here";
import { Table } from "@/components/ui/table";
import { detailParts, runLink } from "./audit-detail";
import { ACTION_KEYS, readAudit } from "./queries";

const EVERY_MS = 5_000;
const TONES = { allowed: "", refused: "warn", done: "ok", failed: "bad" } as const;

const VERB_WORDS: Readonly<Record<string, string>> = {
  "action.run": "Run of an action",
  "action.dry-run": "Dry run",
  "cause.accept": "Cause accepted as it is",
  "cause.withdraw": "Acceptance withdrawn",
  "incident.acknowledge": "Incident acknowledged",
  "incident.note": "Note written",
  "incident.title": "Title given",
  "kubelet-key.accept": "Kubelet's key accepted",
};

interface AuditPageProps {
  readonly initial: AuditLog;
  readonly pageSize: number;
  /** Absent on the newest page, which follows what is written. */
  readonly before?: number;
  readonly hasOlder: boolean;
}

/** Who tried what, newest first; refused attempts too. */
export function AuditPage({ initial, pageSize, before, hasOlder }: AuditPageProps) {
  const now = useNow(10_000);
  const newest = before === undefined;
  const { data, error } = useQuery({
    queryKey: [...ACTION_KEYS.audit, before ?? "newest"],
    queryFn: ({ signal }) => readAudit(pageSize, signal),
    initialData: initial,
    enabled: newest,
    refetchInterval: EVERY_MS,
  });
  const last = data.items.at(-1)?.id;
  return (
    <>
      <header className="q">
        <h1>Who did what?</h1>
        <span className="small muted">{newest ? "Newest first, refused attempts too" : `Older than entry ${before}`}</span>
      </header>
      {error === null ? null : (
        <p className="banner is-warn" role="alert">
          <b>This could not be read anew.</b> {error.message} What you see is from before.
        </p>
      )}
      {data.items.length === 0 ? (
        <NothingHere title={newest ? "Nobody tried anything yet" : "There is nothing older"} why="Every attempt to act is written here in the same transaction as the act: who, what, on what, and what came of it. Looking is not." />
      ) : (
        <Table label="Audit log" columns={["When", "Who", "What", "On what", "Outcome", "Details"]} className="audit-tbl">
          {data.items.map((entry) => (
            <tr key={entry.id}>
              <td className="num-left">
                <Instant at={Date.parse(entry.at)} nowMs={now} />
              </td>
              <td className="actor">{entry.actor}</td>
              <td>
                {VERB_WORDS[entry.verb]}
                <code className="two">{entry.verb}</code>
              </td>
              <td className="mono">{entry.object}</td>
              <td>
                <span className={`chip ${TONES[entry.outcome]}`}>{entry.outcome}</span>
              </td>
              <td className="wide">
                {detailParts(entry.detail).map(({ name, text }) => (
                  <span key={name} className={name === "message" || name === "title" ? "part" : "part muted small"}>
                    {name === "message" || name === "title" ? text : `${name}: ${text}`}
                  </span>
                ))}
                {runLink(entry) === undefined ? null : (
                  <Link className="link small" href={`/actions/${encodeURIComponent(entry.requestId)}`} prefetch={false}>
                    the run
                  </Link>
                )}
              </td>
            </tr>
          ))}
        </Table>
      )}
      <nav className="pager pad" aria-label="Pages of the audit log">
        {newest ? null : (
          <Link className="btn btn-sm" href="/audit">
            Newest
          </Link>
        )}
        {last !== undefined && (hasOlder || data.items.length === pageSize) ? (
          <Link className="btn btn-sm" href={`/audit?before=${last}`}>
            Older
          </Link>
        ) : null}
      </nav>
    </>
  );
}
