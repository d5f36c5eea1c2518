"use client";

import Link from "next/link";
import { useNow } from "@/components/live/live-provider";
import { formatCount, plural } from "@/components/format/numbers";
import { formatDuration } from "@/components/format/time";
import { AnswerGlyph } from "@/components/ui/glyphs";
import { Instant } from "@/components/ui/instant";
import { LOOK_WORDS } from "./model";
import { MAX_NEEDS, type Need } from "./needs";
import { Spark } from "./spark";

const COARSE_MS = 10_000;

export function Needs({ needs }: { readonly needs: readonly Need[] }) {
  const shown = needs.slice(0, MAX_NEEDS);
  const nodes = needs.reduce((sum, need) => sum + need.rows.length, 0);
  const rest = needs.slice(MAX_NEEDS).reduce((sum, need) => sum + need.rows.length, 0);
  return (
    <section aria-labelledby="need-h" className="needs">
      <div className="sec-head">
        <h2 id="need-h">
          Needs you now<span className="count">{nodes === 0 ? "" : `${plural(nodes, "node")}, worst first`}</span>
        </h2>
        <span className="spacer" />
        {nodes === 0 ? null : <span className="small muted hide-m">Worst = pods hurt, system pods first</span>}
      </div>
      {shown.length === 0 ? (
        <p className="pad quiet">
          <AnswerGlyph look="yes" /> <span className="med">No node needs you.</span> <span className="muted">Each one started a pod, or could.</span>
        </p>
      ) : (
        <ul>
          {shown.map((need, index) => (
            <NeedLine key={need.first.name} need={need} leading={index === 0} />
          ))}
        </ul>
      )}
      {rest > 0 ? (
        <p className="pad small more">
          <Link className="link" href="/?answer=no,unknown,risk#nodes" prefetch={false}>
            {plural(rest, "more node")} in the table
          </Link>
        </p>
      ) : null}
    </section>
  );
}

function NeedLine({ need, leading }: { readonly need: Need; readonly leading: boolean }) {
  const now = useNow(COARSE_MS);
  const { first } = need;
  const href = need.rows.length === 1 ? `/nodes/${encodeURIComponent(first.name)}` : `/?answer=unknown#nodes`;
  return (
    <li className={need.look === "no" ? "need is-no" : "need"}>
      <span>
        <AnswerGlyph look={need.look} size={18} />
        <span className="sr">{LOOK_WORDS[need.look]}</span>
      </span>
      <span className="who">
        <Link className="node" href={`/nodes/${encodeURIComponent(first.name)}`} prefetch={false}>
          {first.name}
        </Link>
        <span className="two">{need.rows.length === 1 ? first.pool : `and ${need.rows.length - 1} more`}</span>
      </span>
      <span className="what">
        <span className="cause" title={need.headline}>
          {need.headline}
        </span>
        <span className="two" title={need.detail}>
          {need.detail}
        </span>
      </span>
      <span className="num">
        {need.waiting === undefined ? (
          <>
            <span className="nodata">no data</span>
            <span className="two">not zero</span>
          </>
        ) : (
          <>
            <b className="strong">{formatCount(need.waiting)}</b> <span className="u">{need.waiting === 1 ? "pod" : "pods"}</span>
            <span className="two">{formatCount(need.waitingSystem)} system</span>
          </>
        )}
      </span>
      <span className="num">
        <span className="med">{formatDuration((now - need.sinceMs) / 1_000)}</span>
        <span className="two">
          since <Instant at={need.sinceMs} precision="minute" nowMs={now} />
        </span>
      </span>
      <Spark row={first} />
      <Link className={leading ? "btn btn-sm btn-primary" : "btn btn-sm"} href={href} aria-label={`Open ${need.rows.length === 1 ? first.name : `${need.rows.length} nodes`}`} prefetch={leading ? null : false}>
        Open
      </Link>
    </li>
  );
}
