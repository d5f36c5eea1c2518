import type { Metadata } from "next";
import { RUNS_SHOWN } from "@/components/action/runs-shown";
import { RunsPage } from "@/components/action/runs-page";
import { requestContext, stateContextOf } from "@/server/http/context";
import { readRuns } from "@/server/services/actions/read-runs";

export const metadata: Metadata = { title: "Actions" };
export const dynamic = "force-dynamic";

export default async function Page() {
  const ctx = stateContextOf(await requestContext());
  return <RunsPage initial={await readRuns({ ctx, input: { limit: RUNS_SHOWN } })} />;
}
