import type { Metadata } from "next";
import { ActionPanel } from "@/components/action/action-panel";
import { parseRange, windowOf } from "@/components/chart/geometry/range";
import { TIMELINE_POINTS, TIMELINE_SIGNALS } from "@/components/chart/timeline-data";
import { rangeKeyOf } from "@/components/chart/range-key";
import { NodePage } from "@/components/node/node-page";
import { requestContext } from "@/server/http/context";
import { readTimeline } from "@/server/services/read-timeline";
import { nameOf, nodeOf } from "./node-of";

export const dynamic = "force-dynamic";

interface PageProps {
  readonly params: Promise<{ readonly name: string }>;
  readonly searchParams: Promise<Readonly<Record<string, string | string[] | undefined>>>;
}

export async function generateMetadata({ params }: PageProps): Promise<Metadata> {
  return { title: nameOf((await params).name) ?? "Node" };
}

export default async function Page({ params, searchParams }: PageProps) {
  const { id: name, ...detail } = await nodeOf((await params).name);
  const query = await searchParams;
  const ctx = await requestContext();
  const range = parseRange(one(query["from"]), one(query["to"]));
  const timeline = await readTimeline({ ctx, input: { name, ...windowOf(range, ctx.clock.now()), signals: TIMELINE_SIGNALS, points: TIMELINE_POINTS } });
  return <NodePage key={name} initial={detail} timeline={{ key: rangeKeyOf(range), timeline }} actions={<ActionPanel node={name} />} />;
}

const one = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value[0] : value);
