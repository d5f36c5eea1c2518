import type { Metadata } from "next";
import { FleetPage } from "@/components/fleet/fleet-page";
import { toModel } from "@/components/fleet/to-model";
import { requestContext } from "@/server/http/context";
import { readFleet } from "@/server/services/read-fleet";

export const metadata: Metadata = { title: "Fleet" };
export const dynamic = "force-dynamic";

export default async function Page() {
  const ctx = await requestContext();
  return <FleetPage initial={toModel(await readFleet({ ctx }))} />;
}
