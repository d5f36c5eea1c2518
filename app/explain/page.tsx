import type { Metadata } from "next";
import { ExplainPage } from "@/components/explain/explain-page";

export const metadata: Metadata = { title: "Explain a message" };
export const dynamic = "force-dynamic";

export default function Page() {
  return <ExplainPage />;
}
