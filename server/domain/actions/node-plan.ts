import { SECOND_MS } from "../durations";
import type { NodeView } from "../node-view";
import type { Hazard, Plan, PlanStep, Refusal } from "./types";
import { VERIFY_AFTER_MS } from "./types";
import type { NodeAction, NodeActionParams } from "./work-order";

/** What every plan of an action on one node's own files or sandboxes is made from. */
export interface NodePlanInput {
  readonly view: NodeView;
  readonly fleet: { readonly nodes: number };
  readonly params: NodeActionParams;
}

/** What one node action adds to the plan that all have. */
export interface NodePlanParts {
  readonly action: NodeAction;
  readonly title: string;
  readonly params: NodeActionParams;
  /** The steps that write, with the exact call of each. */
  readonly writes: readonly PlanStep[];
  readonly atOnce: string;
  readonly hazards: readonly Hazard[];
  readonly refusals: readonly Refusal[];
  readonly undo: string;
  readonly passRule: string;
  /** What else the plan rests on: it changes, and the plan is void. */
  readonly restsOn?: readonly string[];
}

/**
 * Whether this node's agent may be asked for an action at all; undefined where it may. The agent's own arguments decide, and
 * nothing here can widen them.
 */
export function unavailable(view: NodeView, action: NodeAction): string | undefined {
  const agent = view.sources.find(({ source }) => source === "agent");
  if (agent === undefined || agent.freshness !== "fresh") return `The node's agent is not heard${agent?.reason === undefined ? "" : `: ${agent.reason}`}. It is the agent that would do this.`;
  if (view.nodeActions === undefined) return "The node's agent takes no orders. Start it with --enable-actions to let it.";
  if (!view.nodeActions.includes(action)) return `The node's agent was not started with --enable-actions ${action}. Only its own arguments can allow it.`;
  return undefined;
}

/** The right that a person needs: whoever may change the node object may cordon or taint the node, which reaches further. */
const needsOf = (node: string): Plan["needs"] => ({ verb: "patch", group: "", resource: "nodes", namespace: "", name: node });

/** Pure: the same input gives the same plan and version. Which objects are touched, a dry order to the agent tells. */
export function nodePlan({ view, fleet }: NodePlanInput, parts: NodePlanParts): Plan<NodeActionParams> {
  const reason = unavailable(view, parts.action);
  return {
    action: parts.action,
    title: parts.title,
    node: view.name,
    object: { kind: "Node", namespace: "", name: view.name },
    params: parts.params,
    steps: [
      { title: "The agent lists what it would touch, and touches nothing", writes: false },
      ...parts.writes,
      { title: `Verify on ${view.name} after ${VERIFY_AFTER_MS.map((ms) => ms / (60 * SECOND_MS)).join(", ")} min, from when the agent is done`, writes: false },
    ],
    diff: [],
    affected: { nodes: 1, ofNodes: fleet.nodes, podsRestarted: 0, atOnce: parts.atOnce },
    hazards: parts.hazards,
    refusals: [...(reason === undefined ? [] : [{ message: reason }]), ...parts.refusals],
    undo: { possible: false, how: parts.undo },
    confirm: { kind: "click", text: "" },
    needs: needsOf(view.name),
    version: [parts.action, view.name, view.answer.state, JSON.stringify(parts.params), ...(parts.restsOn ?? [])].join(":"),
    evidence: view.answer.proof,
    passRule: parts.passRule,
  };
}
