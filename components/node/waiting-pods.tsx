"use client";

import { useState } from "react";
import type { NodeDetail, WaitingPodOut } from "@/server/contract/schemas";
import { useNow } from "@/components/live/live-provider";
import { formatCount, plural } from "@/components/format/numbers";
import { formatDuration } from "@/components/format/time";
import { AnswerGlyph } from "@/components/ui/glyphs";
import { Instant } from "@/components/ui/instant";
import { Table } from "@/components/ui/table";
import { gistOf } from "./gist";

const SHOWN_AT_FIRST = 12;
const COARSE_MS = 5_000;

/** Pods without a sandbox, by what holds them: only the first kind says something about the node. */
export function WaitingPods({ detail }: { readonly detail: Pick<NodeDetail, "counts" | "waitingPods" | "lastFreshAt"> }) {
  const now = useNow(COARSE_MS);
  const { counts, waitingPods: pods } = detail;
  const of = (hold: WaitingPodOut["hold"]): readonly WaitingPodOut[] => pods.filter((pod) => pod.hold === hold);
  const fresh = detail.lastFreshAt === undefined ? undefined : Date.parse(detail.lastFreshAt);
  return (
    <section id="pods" aria-labelledby="pods-h">
      <div className="sec-head">
        <h2 id="pods-h">
          Pods waiting for a sandbox<span className="count">{counts.seen ? `${formatCount(counts.waiting)}, oldest first` : "no data"}</span>
        </h2>
        <span className="spacer" />
        {counts.seen && counts.stuck > 0 ? <span className="small bad-t">{formatCount(counts.stuck)} stuck</span> : null}
      </div>
      {!counts.seen ? (
        <p className="pad quiet unknown-t">Pods on this node cannot be seen now{counts.waiting > 0 ? `; ${plural(counts.waiting, "pod")} waited when they last could` : ""}.</p>
      ) : counts.waiting === 0 ? (
        <p className="pad quiet">
          <AnswerGlyph look="yes" /> <span className="med">No pod is waiting.</span>{" "}
          {fresh === undefined ? null : (
            <span className="muted">
              Last fresh sandbox {formatDuration((now - fresh) / 1_000)} ago, <Instant at={fresh} nowMs={now} />.
            </span>
          )}
        </p>
      ) : null}
      {of("waiting").length > 0 ? <PodsTable label="Pods waiting for a sandbox" pods={of("waiting")} total={counts.waiting} now={now} /> : null}
      {of("own-request").length > 0 ? (
        <>
          <div className="sub-head">
            <h3>
              Held by their own request<span className="count">{formatCount(counts.ownRequest)}, says nothing about the node</span>
            </h3>
          </div>
          <PodsTable label="Pods held by their own request" pods={of("own-request")} total={counts.ownRequest} now={now} because />
        </>
      ) : null}
      {of("other").length > 0 ? (
        <>
          <div className="sub-head">
            <h3>
              Waiting for something else first<span className="count">{formatCount(counts.other)}, volumes and claims</span>
            </h3>
          </div>
          <PodsTable label="Pods waiting for something else" pods={of("other")} total={counts.other} now={now} because />
        </>
      ) : null}
    </section>
  );
}

function PodsTable({ label, pods, total, now, because = false }: { readonly label: string; readonly pods: readonly WaitingPodOut[]; readonly total: number; readonly now: number; readonly because?: boolean }) {
  const [all, setAll] = useState(false);
  const shown = all ? pods : pods.slice(0, SHOWN_AT_FIRST);
  const more = pods.length - shown.length;
  return (
    <>
      <Table label={label} columns={["Pod", "Namespace", { head: "Waiting ↓", num: true }, { head: "Tries told", num: true, title: "SandboxChanged and FailedCreatePodSandBox told for this pod" }, because ? "Held by" : "Last error, as the kubelet said it"]}>
        {shown.map((pod) => (
          <tr key={pod.uid}>
            <td className="med">{pod.name}</td>
            <td className="muted">
              {pod.namespace}
              {pod.system ? <span className="chip mini">system</span> : null}
            </td>
            <td className={pod.stuck ? "num" : "num faint"} title={`since ${pod.since}`}>
              {formatDuration((now - Date.parse(pod.since)) / 1_000)}
            </td>
            <td className="num">{formatCount(pod.attemptsSeen)}</td>
            <td className="said">
              {because ? (
                pod.because
              ) : pod.lastError === undefined ? (
                <span className="faint">none told</span>
              ) : (
                <code title={`${pod.lastError.text} (${pod.lastError.at})`}>{gistOf(pod.lastError.text)}</code>
              )}
            </td>
          </tr>
        ))}
      </Table>
      {more > 0 || total > pods.length ? (
        <p className="pad small muted more">
          {more > 0 ? (
            <button type="button" className="btn btn-sm" onClick={() => setAll(true)}>
              Show {formatCount(more)} more
            </button>
          ) : null}
          {total > pods.length ? <span> {formatCount(total - pods.length)} newer ones are counted and not listed.</span> : null}
        </p>
      ) : null}
    </>
  );
}
