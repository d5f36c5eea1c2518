"use client";

import type { DaemonOut } from "@/server/contract/schemas";
import { useNow } from "@/components/live/live-provider";
import { formatBytes, formatCores, formatCount } from "@/components/format/numbers";
import { Instant } from "@/components/ui/instant";
import { Table } from "@/components/ui/table";

const COARSE_MS = 10_000;

export function DaemonsTable({ daemons }: { readonly daemons: readonly DaemonOut[] }) {
  const now = useNow(COARSE_MS);
  return (
    <section id="daemons" aria-labelledby="daemons-h">
      <div className="sec-head">
        <h2 id="daemons-h">
          CNI daemons<span className="count">on this node</span>
        </h2>
      </div>
      {daemons.length === 0 ? (
        <p className="pad quiet muted">No pod of a CNI daemon is known on this node.</p>
      ) : (
        <Table label="CNI daemons" columns={["Container", "DaemonSet, pod", "Ready", { head: "CPU limit", num: true }, { head: "Memory limit", num: true }, { head: "Memory request", num: true }, { head: "Restarts", num: true }, "Last end"]}>
          {daemons.map((daemon) => (
            <tr key={`${daemon.pod} ${daemon.container}`}>
              <td className="med">{daemon.container}</td>
              <td className="muted">
                {daemon.daemonSet}, <span className="mono">{daemon.pod}</span>
              </td>
              <td className={daemon.ready ? "ok-t" : "bad-t"}>{daemon.ready ? "yes" : "no"}</td>
              <td className="num">{daemon.cpuLimitCores === undefined ? <span className="faint">no limit</span> : formatCores(daemon.cpuLimitCores)}</td>
              <td className="num">{daemon.memoryLimitBytes === undefined ? <span className="warn-t">no limit</span> : formatBytes(daemon.memoryLimitBytes)}</td>
              <td className="num">{daemon.memoryRequestBytes === undefined ? <span className="faint">none</span> : formatBytes(daemon.memoryRequestBytes)}</td>
              <td className={daemon.restarts === 0 ? "num zero" : "num"}>{formatCount(daemon.restarts)}</td>
              <td>
                {daemon.lastTermination === undefined ? (
                  <span className="faint">none told</span>
                ) : (
                  <span className={daemon.lastTermination.reason === "OOMKilled" ? "bad-t" : "muted"}>
                    {daemon.lastTermination.reason}, exit {daemon.lastTermination.exitCode}
                    {daemon.lastTermination.at === undefined ? null : (
                      <>
                        , <Instant at={Date.parse(daemon.lastTermination.at)} nowMs={now} />
                      </>
                    )}
                  </span>
                )}
              </td>
            </tr>
          ))}
        </Table>
      )}
    </section>
  );
}
