import type { ActionPlan } from "@/server/contract/schemas";
import { plural } from "@/components/format/numbers";

/** What is different in the plan that was made after one was voided, in words; the newer plan itself is on the page. */
export function planChanges(before: ActionPlan, after: ActionPlan): readonly string[] {
  const changes: string[] = [];
  const start = (plan: ActionPlan): string => plan.diff.filter((line) => line.kind !== "added").map((line) => line.text.trim()).join(" ");
  if (start(before) !== start(after)) {
    const gone = textsOf(before).filter((text) => !textsOf(after).includes(text));
    const come = textsOf(after).filter((text) => !textsOf(before).includes(text));
    changes.push(`The container's values changed${gone.length === 0 ? "" : `: it had ${gone.join(", ")}`}${come.length === 0 ? "" : `${gone.length === 0 ? ":" : ";"} it has ${come.join(", ")}`}.`);
  }
  if (before.affected.nodes !== after.affected.nodes) changes.push(`It rolls ${plural(after.affected.nodes, "node")}; it was ${before.affected.nodes}.`);
  if (before.affected.atOnce !== after.affected.atOnce) changes.push(`At once: ${after.affected.atOnce}; it was ${before.affected.atOnce}.`);
  if (before.affected.podsRestarted !== after.affected.podsRestarted) changes.push(`It restarts ${plural(after.affected.podsRestarted, "pod")}; it was ${before.affected.podsRestarted}.`);
  changes.push(...differing("New hazard", before.hazards, after.hazards, (hazard) => hazard.title));
  changes.push(...differing("No longer a hazard", after.hazards, before.hazards, (hazard) => hazard.title));
  changes.push(...differing("Refused now", before.refusals, after.refusals, (refusal) => refusal.message));
  changes.push(...differing("The answer rests on", before.evidence, after.evidence, (evidence) => `${evidence.what}${evidence.value === undefined ? "" : `: ${evidence.value}${evidence.unit === undefined ? "" : ` ${evidence.unit}`}`}`));
  if (changes.length > 0) return changes;
  return [before.version === after.version ? "Nothing that this plan rests on differs." : "The DaemonSet or the node's answer was written anew, in nothing that this plan shows."];
}

/** The values that stand before the change: "limits cpu: 100m". */
function textsOf(plan: ActionPlan): readonly string[] {
  let group = "";
  return plan.diff.flatMap(({ kind, text }) => {
    const heading = /^\s*(limits|requests):$/.exec(text)?.[1];
    if (heading !== undefined) group = `${heading} `;
    return kind !== "added" && group !== "" && /: \S/.test(text) ? [`${group}${text.trim()}`] : [];
  });
}

function differing<T>(label: string, before: readonly T[], after: readonly T[], textOf: (one: T) => string): readonly string[] {
  const known = new Set(before.map(textOf));
  return after.map(textOf).filter((text) => !known.has(text)).map((text) => `${label}: ${text.replace(/\.$/, "")}.`);
}
