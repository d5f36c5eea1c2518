import type { Metadata } from "next";
import { VisibilityPage } from "@/components/visibility/visibility-page";
import { requestContext } from "@/server/http/context";
import { readVisibility } from "@/server/services/read-visibility";

export const metadata: Metadata = { title: "Visibility" };
export const dynamic = "force-dynamic";

export default async function Page() {
  const ctx = await requestContext();
  return <VisibilityPage initial={await readVisibility({ ctx })} />;
}
