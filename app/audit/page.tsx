import type { Metadata } from "next";
import { AuditPage } from "@/components/action/audit-page";
import { requestContext, stateContextOf } from "@/server/http/context";
import { readAudit } from "@/server/services/actions/read-runs";

export const metadata: Metadata = { title: "Audit log" };
export const dynamic = "force-dynamic";

const PAGE_SIZE = 100;

export default async function Page({ searchParams }: { readonly searchParams: Promise<Readonly<Record<string, string | string[] | undefined>>> }) {
  const beforeId = idOf((await searchParams)["before"]);
  const ctx = stateContextOf(await requestContext());
  // One more than is shown tells whether there is an older page.
  const { items } = await readAudit({ ctx, input: { limit: PAGE_SIZE + 1, beforeId } });
  const shown = items.slice(0, PAGE_SIZE);
  return <AuditPage key={beforeId ?? "newest"} initial={{ items: shown }} pageSize={PAGE_SIZE} hasOlder={items.length > PAGE_SIZE} {...(beforeId === undefined ? {} : { before: beforeId })} />;
}

/** An id of the log; anything else is the newest page. */
function idOf(text: string | string[] | undefined): number | undefined {
  return typeof text === "string" && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
}
