import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { RunPage } from "@/components/action/run-page";
import { parseRequestId } from "@/server/domain/ids";
import { requestContext, stateContextOf } from "@/server/http/context";
import { ServiceError } from "@/server/errors";
import { readRun } from "@/server/services/actions/read-runs";

export const metadata: Metadata = { title: "Run" };
export const dynamic = "force-dynamic";

export default async function Page({ params }: { readonly params: Promise<{ readonly requestId: string }> }) {
  // Letters, digits, _ and - alone: whatever a percent-encoding stands for is no request id.
  const requestId = parseRequestId((await params).requestId);
  if (requestId === undefined) notFound();
  const ctx = stateContextOf(await requestContext());
  try {
    const run = await readRun({ ctx, input: { requestId } });
    return <RunPage key={run.requestId} initial={run} />;
  } catch (error) {
    if (error instanceof ServiceError && error.code === "not-found") notFound();
    throw error;
  }
}
