import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { CausePage } from "@/components/cause/cause-page";
import type { CauseKnowledge } from "@/server/contract/causes";
import { ServiceError } from "@/server/errors";
import { requestContext } from "@/server/http/context";
import { readExceptions } from "@/server/services/causes/read-exceptions";
import { readCause } from "@/server/services/read-causes";

export const dynamic = "force-dynamic";

interface PageProps {
  readonly params: Promise<{ readonly code: string }>;
}

export async function generateMetadata({ params }: PageProps): Promise<Metadata> {
  return { title: causeOr404((await params).code).title };
}

export default async function Page({ params }: PageProps) {
  const cause = causeOr404((await params).code);
  return <CausePage cause={cause} exceptions={cause.accepts === undefined ? [] : readExceptions({ ctx: await requestContext(), input: cause })} />;
}

function causeOr404(code: string): CauseKnowledge {
  try {
    return readCause({ input: { code } });
  } catch (error) {
    if (error instanceof ServiceError && error.code === "not-found") notFound();
    throw error;
  }
}
