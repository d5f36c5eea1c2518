import { NothingHere } from "@/components/ui/nothing-here";

export default function NotFound() {
  return <NothingHere heading="h1" title="There is no page at this address" why="It may be mistyped, or of another version of Sandglass." ways={[{ href: "/", label: "Open the fleet" }]} />;
}
