import type { ActionPlan } from "@/server/contract/schemas";

type Call = NonNullable<ActionPlan["steps"][number]["call"]>;

/** A plan as text for someone who may: what, why, the calls, and commands that do the same by hand. */
export function planText(plan: ActionPlan): string {
  const { object, affected } = plan;
  const writes = plan.steps.filter((step) => step.writes);
  return [
    plan.title,
    object.kind === "Node" ? `The agent of ${plan.node} does it, ${affected.atOnce} at a time.` : `${object.kind} ${object.namespace}/${object.name}, planned for ${plan.node}. Rolls ${affected.nodes} of ${affected.ofNodes} nodes, ${affected.atOnce} at once; ${affected.podsRestarted} pods restart.`,
    section("Evidence", plan.evidence.map((one) => `- ${one.what}${one.value === undefined ? "" : `: ${one.value}${one.unit === undefined ? "" : ` ${one.unit}`}`}${one.look === "seen" ? "" : one.look === "not-seen" ? " (not seen)" : " (could not look)"}`)),
    section("Change", plan.diff.map((line) => `${line.kind === "added" ? "+" : line.kind === "removed" ? "-" : " "} ${line.text}`)),
    section("Steps", plan.steps.flatMap((step, index) => [`${index + 1}. ${step.title}${step.writes ? " (writes)" : ""}`, ...(step.call === undefined ? [] : [`   ${step.call.method} ${step.call.path}`])])),
    section("By hand", writes.flatMap((step) => (step.call === undefined ? [] : [kubectlOf(step.call, plan)]))),
    section("Hazards", plan.hazards.map((hazard) => `- ${hazard.title} ${hazard.detail}`)),
    section("Refused", plan.refusals.map((refusal) => `- ${refusal.message}`)),
    section("Undo", [plan.undo.how, ...(plan.undo.call === undefined ? [] : [kubectlOf(plan.undo.call, plan)])]),
    section("How to tell whether it worked", [plan.passRule]),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

const section = (title: string, lines: readonly string[]): string => (lines.length === 0 ? "" : [`${title}:`, ...lines].join("\n"));

/** The same patch as a command; its text is quoted for a shell, whatever it holds. */
function kubectlOf(call: Call, { object }: Pick<ActionPlan, "object">): string {
  if (call.method !== "PATCH") return `On the node: ${call.method} ${call.path}`;
  return `kubectl --namespace ${object.namespace} patch ${object.kind.toLowerCase()} ${object.name} --type strategic --patch ${shellQuote(call.body ?? "{}")}`;
}

export const shellQuote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
