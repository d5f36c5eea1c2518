import { NothingHere } from "@/components/ui/nothing-here";

export default function CauseNotFound() {
  return <NothingHere heading="h1" title="There is no cause of this code" why="The address may be mistyped, or of another version of Sandglass." ways={[{ href: "/causes", label: "All causes" }]} />;
}
