"use client";

import type { ReactNode } from "react";
import type { ActionRunOut } from "@/server/contract/schemas";
import { formatCount, formatShare } from "@/components/format/numbers";
import { Instant } from "@/components/ui/instant";
import { Table } from "@/components/ui/table";
import { checkLabel } from "../run-state";
import { Block } from "../sheet/plan-view";
import { valuesBefore } from "../values";

type Reading = ActionRunOut["before"];

/** The numbers that verdicts compare, before and at each check. What was not known is said, never shown as 0. */
export function Readings({ run }: { readonly run: ActionRunOut }) {
  const checks = run.verifications.flatMap((check) => (check.after === undefined ? [] : [{ label: checkLabel(run, check), reading: check.after, noLimit: run.params?.cpuLimit === null }]));
  const columns = [{ label: "Before", reading: run.before, noLimit: valuesBefore(run)?.cpuLimit === null }, ...checks];
  return (
    <Block id="numbers-h" title="Before and after">
      <Table label="Numbers before and after" columns={["Measured", ...columns.map(({ label }) => ({ head: label, num: true }))]} className="readings">
        {ROWS.map((row) => (
          <tr key={row.label}>
            <th scope="row">{row.label}</th>
            {columns.map((column) => (
              <td key={column.label} className="num">
                {row.show(column.reading, column.noLimit) ?? <span className="nodata">no data</span>}
              </td>
            ))}
          </tr>
        ))}
      </Table>
    </Block>
  );
}

const count = (value: number | undefined): ReactNode => (value === undefined ? undefined : formatCount(value));
const ANSWERS = { yes: "Yes", no: "No", unknown: "Unknown" } as const;
const ANSWER_TONES = { yes: "ok-t", no: "bad-t", unknown: "unknown-t" } as const;

const ROWS: readonly { readonly label: string; readonly show: (reading: Reading, noLimit: boolean) => ReactNode }[] = [
  { label: "Can start a pod", show: ({ answer, atRisk }) => <span className={answer === "yes" && atRisk ? "warn-t" : ANSWER_TONES[answer]}>{answer === "yes" && atRisk ? "Yes, at risk" : ANSWERS[answer]}</span> },
  { label: "Pods waiting", show: ({ waiting }) => count(waiting) },
  { label: "of them stuck", show: ({ stuck }) => count(stuck) },
  { label: "Sandbox backlog", show: ({ backlog }) => count(backlog) },
  { label: "Dead sandboxes", show: ({ dead }) => count(dead) },
  { label: "Throttled", show: ({ throttledShare }, noLimit) => (throttledShare === undefined ? (noLimit ? <span className="faint">no limit</span> : undefined) : formatShare(throttledShare)) },
  { label: "Kills for memory of its pod", show: ({ oomKills }) => count(oomKills) },
  { label: "Restarts of its pod", show: ({ restarts }) => count(restarts) },
  { label: "Last fresh sandbox", show: ({ lastFreshAt }) => (lastFreshAt === undefined ? <span className="muted">none seen</span> : <Instant at={Date.parse(lastFreshAt)} />) },
];
