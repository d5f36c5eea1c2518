import { NothingHere } from "@/components/ui/nothing-here";

export default function IncidentNotFound() {
  return <NothingHere heading="h1" title="There is no incident by this number" why="Closed incidents are kept for 30 days. A sign that did not last never became one." ways={[{ href: "/incidents", label: "All incidents" }]} />;
}
