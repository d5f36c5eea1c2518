"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import type { ActionRunOut, ActionRuns } from "@/server/contract/schemas";
import { useNow } from "@/components/live/live-provider";
import { formatDuration } from "@/components/format/time";
import { plural } from "@/components/format/numbers";
import { Instant } from "@/components/ui/instant";
import { NothingHere } from "@/components/ui/nothing-here";
import { Table } from "@/components/ui/table";
import { OutcomeChip } from "./outcome";
import { ACTION_KEYS, readRuns } from "./queries";
import { decisiveCheck, isSettled, nextCheck, outcomeOf } from "./run-state";
import { RUNS_SHOWN } from "./runs-shown";

const FOLLOW_MS = 2_000;
const IDLE_MS = 15_000;

/** Every run, newest first, with what came of it. */
export function RunsPage({ initial }: { readonly initial: ActionRuns }) {
  const now = useNow();
  const { data, error } = useQuery({
    queryKey: ACTION_KEYS.runs(undefined),
    queryFn: ({ signal }) => readRuns(undefined, RUNS_SHOWN, signal),
    initialData: initial,
    refetchInterval: ({ state }) => (state.data?.items.every(isSettled) === false ? FOLLOW_MS : IDLE_MS),
  });
  const open = data.items.filter((run) => !isSettled(run)).length;
  return (
    <>
      <header className="q">
        <h1>What was done, and did it work?</h1>
        <span className="small muted">{open === 0 ? "Nothing is under way" : `${plural(open, "run")} under way or being checked`}</span>
      </header>
      {error === null ? null : (
        <p className="banner is-warn" role="alert">
          <b>This could not be read anew.</b> {error.message} What you see is from before.
        </p>
      )}
      {data.items.length === 0 ? (
        <NothingHere
          title="No action was run yet"
          why="Actions begin on a node's page: a plan first, a dry run, then a confirmation. Every run is listed here with its verdicts, and every attempt is in the audit log."
          ways={[{ href: "/", label: "Open the fleet" }]}
        />
      ) : (
        <Table label="Runs" columns={["Began", "Outcome", "Node", "What", "Because", "Next check", "By"]} className="runs-tbl" foot={data.items.length < RUNS_SHOWN ? null : <p className="pad more small muted">The newest {RUNS_SHOWN} are shown. The audit log has all attempts.</p>}>
          {data.items.map((run) => (
            <RunRow key={run.id} run={run} nowMs={now} />
          ))}
        </Table>
      )}
    </>
  );
}

function RunRow({ run, nowMs }: { readonly run: ActionRunOut; readonly nowMs: number }) {
  const next = nextCheck(run);
  const due = next === undefined ? undefined : Date.parse(next.due);
  return (
    <tr>
      <td className="num-left">
        <Instant at={Date.parse(run.started)} nowMs={nowMs} />
      </td>
      <td>
        <OutcomeChip outcome={outcomeOf(run)} />
      </td>
      <td>
        <Link className="med" href={`/nodes/${encodeURIComponent(run.node)}`} prefetch={false}>
          {run.node}
        </Link>
      </td>
      <td className="wide">
        <Link className="link" href={`/actions/${encodeURIComponent(run.requestId)}`} prefetch={false}>
          {run.title}
        </Link>
        <span className="two">
          {run.object.kind} {run.object.namespace === "" ? "" : `${run.object.namespace}/`}
          {run.object.name}
        </span>
      </td>
      <td className="wide muted">{decisiveCheck(run)?.because ?? run.error}</td>
      <td className="num-left muted">{isSettled(run) ? <span className="faint">none left</span> : due === undefined ? "when it is seen" : due > nowMs ? `in ${formatDuration((due - nowMs) / 1_000)}` : "due now"}</td>
      <td className="muted actor">{run.actor}</td>
    </tr>
  );
}
