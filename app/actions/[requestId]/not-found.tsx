import { NothingHere } from "@/components/ui/nothing-here";

export default function RunNotFound() {
  return <NothingHere heading="h1" title="There is no run by this request id" why="An attempt that was refused made no run; it is in the audit log." ways={[{ href: "/actions", label: "All runs" }, { href: "/audit", label: "Audit log" }]} />;
}
