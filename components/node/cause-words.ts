import type { CauseBrief } from "@/server/contract/causes";

/** The sign beside a cause; a notice has none, since it is about no pod's start. */
export const severityLook = ({ severity, certainty }: Pick<CauseBrief, "severity" | "certainty">): "no" | "risk" | undefined => (severity === "notice" ? undefined : severity === "blocks" && certainty === "named" ? "no" : "risk");

/** What a cause does to the start of pods, in a chip's words. */
export function severityWords({ severity, certainty }: Pick<CauseBrief, "severity" | "certainty">): string {
  if (severity === "notice") return "Worth mending";
  if (certainty === "suspected") return severity === "blocks" ? "May stop pod start" : "May be a risk";
  return severity === "blocks" ? "Stops pod start" : "Puts pod start at risk";
}
