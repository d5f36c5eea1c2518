"use client";

import type { ActionRunDetail } from "@/server/contract/schemas";
import { Block } from "../sheet/plan-view";
import { TouchedList } from "../sheet/touched-list";

const STATES = { waiting: "waits for the agent to take it", taken: "the agent has it", ended: "the agent is done", lost: "nothing was heard of it" } as const;

/** What a node's agent did, object by object, as it told. */
export function NodeRun({ run }: { readonly run: ActionRunDetail }) {
  const { work } = run;
  const of = (...outcomes: readonly string[]) => (work?.objects ?? []).filter(({ outcome }) => outcomes.includes(outcome));
  return (
    <>
      <Block id="order-h" title="The order" aside={work === undefined ? undefined : STATES[work.state]}>
        <dl className="res">
          <dt>Node</dt>
          <dd>{run.node}</dd>
          <dt>Objects that it may touch</dt>
          <dd>{work === undefined ? <span className="nodata">being read</span> : work.of}</dd>
          <dt>Told of so far</dt>
          <dd>{work === undefined ? <span className="nodata">being read</span> : work.objects.length}</dd>
          <dt>Request id</dt>
          <dd className="mono wrap">{run.requestId}</dd>
        </dl>
        {work?.reason === undefined ? null : <p className="line warn-t">{work.reason}</p>}
      </Block>
      <TouchedList id="failed-h" title="Failed" items={of("failed", "undone")} none="None." />
      <TouchedList id="left-h" title="Left as it was" items={of("left")} none="None." />
      <TouchedList id="done-h" title="Done" items={of("done")} none="None so far." />
      <Block id="undo-h" title="Undo" aside={run.undo.possible ? undefined : "there is none"}>
        <p className="line">{run.undo.how}</p>
      </Block>
    </>
  );
}
