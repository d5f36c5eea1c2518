import type { Metadata } from "next";
import { CauseList } from "@/components/cause/cause-list";
import { readCauses } from "@/server/services/read-causes";

export const metadata: Metadata = { title: "Causes" };
export const dynamic = "force-dynamic";

export default function Page() {
  return <CauseList causes={readCauses()} />;
}
