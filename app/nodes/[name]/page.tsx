import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { ActionPanel } from "@/components/action/action-panel";
import { parseRange, windowOf } from "@/components/chart/geometry/range";
import { TIMELINE_POINTS, TIMELINE_SIGNALS } from "@/components/chart/timeline-data";
import { rangeKeyOf } from "@/components/chart/range-key";
import { NodePage } from "@/components/node/node-page";
import { parseNodeName, type NodeName } from "@/server/domain/ids";
import { requestContext } from "@/server/http/context";
import { ServiceError } from "@/server/errors";
import { readNode } from "@/server/services/read-node";
import { readTimeline } from "@/server/services/read-timeline";

export const dynamic = "force-dynamic";

interface PageProps {
  readonly params: Promise<{ readonly name: string }>;
  readonly searchParams: Promise<Readonly<Record<string, string | string[] | undefined>>>;
}

export async function generateMetadata({ params }: PageProps): Promise<Metadata> {
  return { title: nameOf((await params).name) ?? "Node" };
}

export default async function Page({ params, searchParams }: PageProps) {
  const name = nameOf((await params).name);
  if (name === undefined) notFound();
  const query = await searchParams;
  const ctx = await requestContext();
  const range = parseRange(one(query["from"]), one(query["to"]));
  try {
    const detail = await readNode({ ctx, input: { name } });
    const timeline = await readTimeline({ ctx, input: { name, ...windowOf(range, ctx.clock.now()), signals: TIMELINE_SIGNALS, points: TIMELINE_POINTS } });
    return <NodePage key={name} initial={detail} timeline={{ key: rangeKeyOf(range), timeline }} actions={<ActionPanel node={name} />} />;
  } catch (error) {
    if (error instanceof ServiceError && error.code === "not-found") notFound();
    throw error;
  }
}

/** Pages get the parameter as it was sent: decoded here, once, and refused where it cannot be a node's name. */
function nameOf(encoded: string): NodeName | undefined {
  try {
    return parseNodeName(decodeURIComponent(encoded));
  } catch {
    return undefined; // a broken percent-encoding names nothing
  }
}

const one = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value[0] : value);
