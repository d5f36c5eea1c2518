import { NothingHere } from "@/components/ui/nothing-here";

export default function NodeNotFound() {
  return <NothingHere heading="h1" title="There is no node of this name" why="The node may be gone from the cluster, or the address is mistyped. Events and timelines of a node that left are kept, but it has no answer any more." ways={[{ href: "/", label: "Open the fleet" }]} />;
}
