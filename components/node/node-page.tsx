"use client";

import { useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import type { ReactNode } from "react";
import type { NodeDetail, Timeline } from "@/server/contract/schemas";
import { useRange } from "@/components/chart/use-range";
import { useTimeline } from "@/components/chart/use-timeline";
import { Workbench } from "@/components/chart/workbench";
import { fetchJson } from "@/components/live/fetch-json";
import { useOnChange, useShows } from "@/components/live/live-provider";
import { QUERY_KEYS } from "@/components/live/queries";
import { useShortcuts } from "@/components/ui/shortcuts";
import { AnswerHead } from "./answer-head";
import { BlindList } from "./blind-list";
import { BinariesPanel } from "./binaries-panel";
import { ConfigPanel } from "./config-panel";
import { DaemonsTable } from "./daemons-table";
import { EventsTable } from "./events-table";
import { useThrottled } from "./use-throttled";
import { ProofPanel } from "./proof-panel";
import { StaleMounts } from "./stale-mounts";
import { SocketsTable } from "./sockets-table";
import { WaitingPods } from "./waiting-pods";

/** The whole node is read again at most once in this time, however often the stream tells of it. */
const REFRESH_AT_MOST_EVERY_MS = 1_000;

interface NodePageProps {
  readonly initial: NodeDetail;
  readonly timeline: { readonly key: string; readonly timeline: Timeline };
  /** What may be done about it; beside the timeline on a wide screen, above it on a narrow one. */
  readonly actions?: ReactNode;
}

export function NodePage({ initial, timeline: first, actions }: NodePageProps) {
  const router = useRouter();
  const { name } = initial;
  const query = useQuery({
    queryKey: QUERY_KEYS.node(name),
    queryFn: ({ signal }) => fetchJson<NodeDetail>(`/api/v1/nodes/${encodeURIComponent(name)}`, signal),
    initialData: initial,
    // A node that is looked at again comes from the server again: nobody kept it up to date meanwhile.
    gcTime: 0,
  });
  useShows(undefined);
  const refresh = useThrottled(() => void query.refetch(), REFRESH_AT_MOST_EVERY_MS);
  useOnChange((message) => {
    if (message.nodes.some((node) => node.name === name) || message.gone.includes(name)) refresh();
  });
  const control = useRange();
  const { timeline, window, loading, error } = useTimeline(name, control.range, first);
  const detail = query.data;
  const go = (target: string | undefined): void => {
    if (target !== undefined) router.push(`/nodes/${encodeURIComponent(target)}`);
  };
  useShortcuts({ j: () => go(detail.next), k: () => go(detail.previous) });
  return (
    <>
      <AnswerHead detail={detail} gone={query.isError} problem={query.error?.message} />
      <div className="work">
        <div className="work-main">
          {error === null ? null : (
            <p className="banner is-warn" role="alert">
              <b>The timeline could not be read.</b> {error.message} {timeline === undefined ? "" : "What is drawn is from before."}
            </p>
          )}
          <Workbench name={name} detail={detail} timeline={timeline} window={window} loading={loading} control={control} />
        </div>
        <div className="side">
          <ProofPanel detail={detail} actions={actions} />
          <div className="stack">
            <ConfigPanel detail={detail} />
            <BinariesPanel detail={detail} />
            <BlindList node={name} blind={detail.blind} unknown={detail.diagnosis.unknown} />
          </div>
        </div>
        <div className="tables">
          <WaitingPods detail={detail} />
          <SocketsTable detail={detail} />
          <StaleMounts host={detail.host} />
          <DaemonsTable daemons={detail.daemons} />
          <EventsTable events={timeline?.events ?? []} truncated={timeline?.eventsTruncated === true} />
        </div>
      </div>
    </>
  );
}
