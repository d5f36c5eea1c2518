import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { VisibilityPage } from "@/components/visibility/visibility-page";
import { parseNodeName } from "@/server/domain/ids";
import { ServiceError } from "@/server/errors";
import { requestContext } from "@/server/http/context";
import { readVisibility } from "@/server/services/read-visibility";

export const metadata: Metadata = { title: "Visibility" };
export const dynamic = "force-dynamic";

export default async function Page({ searchParams }: { readonly searchParams: Promise<Readonly<Record<string, string | string[] | undefined>>> }) {
  const asked = (await searchParams)["node"];
  const node = typeof asked === "string" ? parseNodeName(asked) : undefined;
  if (asked !== undefined && node === undefined) notFound();
  try {
    const initial = await readVisibility({ ctx: await requestContext(), input: { node } });
    return <VisibilityPage key={node ?? "fleet"} initial={initial} {...(node === undefined ? {} : { node })} />;
  } catch (error) {
    if (error instanceof ServiceError && error.code === "not-found") notFound();
    throw error;
  }
}
