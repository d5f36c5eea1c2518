import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { IncidentPage } from "@/components/incident/incident-page";
import { ServiceError } from "@/server/errors";
import { requestContext, stateContextOf } from "@/server/http/context";
import { readIncident } from "@/server/services/incidents/read-incident";

export const dynamic = "force-dynamic";

interface PageProps {
  readonly params: Promise<{ readonly id: string }>;
}

export async function generateMetadata({ params }: PageProps): Promise<Metadata> {
  const id = idOf((await params).id);
  return { title: id === undefined ? "Incident" : `Incident ${id}` };
}

export default async function Page({ params }: PageProps) {
  const id = idOf((await params).id);
  if (id === undefined) notFound();
  const ctx = stateContextOf(await requestContext());
  try {
    const incident = await readIncident({ ctx, input: { id } });
    return <IncidentPage key={id} initial={incident} />;
  } catch (error) {
    if (error instanceof ServiceError && error.code === "not-found") notFound();
    throw error;
  }
}

/** Digits alone: whatever a percent-encoding stands for is no number of an incident. */
const idOf = (text: string): number | undefined => (/^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined);
