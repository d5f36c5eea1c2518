import type { CauseCode } from "../causes/codes";
import { MIN_DEAD_AGE_MS } from "./dead-sandbox";
import { nodePlan, type NodePlanInput } from "./node-plan";
import type { ActionReading, Hazard, Plan, Verification } from "./types";
import { MAX_ORDER_OBJECTS, MAX_PODS_AGE_MS, type NodeActionParams } from "./work-order";

export const PURGE_DEAD_SANDBOXES = "purge-dead-sandboxes";

/** Each removal is a call to the network plugin: one at a time, unless a person asks for more. */
export const DEFAULT_PARALLEL = 1;
export const MAX_PARALLEL = 4;

/**
 * Stops and removes dead sandboxes that nobody needs: at least 10 min old, and of a pod that is gone or that has a newer one. Pure;
 * refusals stand in the plan. `parallel` outside its bounds is refused.
 */
export function planPurgeDeadSandboxes(input: NodePlanInput): Plan<NodeActionParams> {
  const { view } = input;
  const parallel = input.params.parallel ?? DEFAULT_PARALLEL;
  const dead = view.signals.find(({ signal, state }) => signal === "sandbox.dead" && state === "fresh")?.value;
  const fits = Number.isInteger(parallel) && parallel >= 1 && parallel <= MAX_PARALLEL;
  return nodePlan(input, {
    action: PURGE_DEAD_SANDBOXES,
    title: `Remove dead sandboxes of ${view.name} that nobody needs`,
    params: { parallel },
    writes: [
      { title: `For each of them, ${parallel === 1 ? "one at a time" : `${parallel} at a time`}: look again whether it is dead, at least ${MIN_DEAD_AGE_MS / 60_000} min old, and its pod gone (by a list younger than ${MAX_PODS_AGE_MS / 1_000} s) or served by a newer one; then stop it`, writes: true, nodeCall: { kind: "CRI", what: 'runtime.v1.RuntimeService/StopPodSandbox {"pod_sandbox_id": …}' } },
      { title: "Then remove it", writes: true, nodeCall: { kind: "CRI", what: 'runtime.v1.RuntimeService/RemovePodSandbox {"pod_sandbox_id": …}' } },
    ],
    atOnce: parallel === 1 ? "1 sandbox" : `${parallel} sandboxes`,
    hazards: hazardsOf(input, parallel, dead),
    refusals: [
      ...(fits ? [] : [{ field: "parallel", message: `At most ${MAX_PARALLEL} at a time, and at least 1.` }]),
      ...(dead === 0 ? [{ message: "The runtime lists no dead sandbox." }] : []),
    ],
    undo: "There is none: a sandbox that was removed is gone. It ran nothing any more.",
    passRule: "Worked: the runtime lists at least a tenth fewer dead sandboxes than before, and the node did not turn to no. Worse: it did, or there are a tenth more at the last check.",
  });
}

/** Causes by which a DEL waits for longer than a removal may take. */
const BURIED: ReadonlySet<CauseCode> = new Set(["retry-storm", "daemon-cpu-throttled", "node-cpu-contention", "daemon-slow"]);

function hazardsOf({ view }: NodePlanInput, parallel: number, dead: number | undefined): Hazard[] {
  const hazards: Hazard[] = [{ title: "Each removal calls the network plugin.", detail: "Its DEL goes to the CNI daemon beside the calls of waiting pods. The agent pauses while removals take longer than at first or more callers live, and leaves what cannot be removed." }];
  const unwell = view.daemons.filter(({ ready }) => !ready);
  if (unwell.length > 0) hazards.push({ title: `${unwell.map(({ container }) => container).join(", ")} is not ready.`, detail: "A DEL that needs the daemon fails or hangs; such sandboxes are left, and their addresses stay taken. Bring the daemon back first." });
  const buried = view.causes.flatMap((root) => [root, ...root.consequences]).some(({ code }) => BURIED.has(code));
  if (buried) hazards.push({ title: "The CNI daemon does not keep up with its calls.", detail: "A removal waits behind all of them and is given up after a minute, so most of them fail. Let the daemon work again first; what is dead then goes quickly." });
  if (parallel > 1) hazards.push({ title: `${parallel} at a time.`, detail: "A daemon that is buried in calls gets more of them." });
  if (dead !== undefined && dead > MAX_ORDER_OBJECTS) hazards.push({ title: `At most ${MAX_ORDER_OBJECTS} in one run.`, detail: "The oldest come first; run it again for the rest." });
  hazards.push({ title: "Ended containers of these sandboxes go with them.", detail: "kubectl logs --previous no longer finds what ran in them." });
  hazards.push({ title: "The count of dead sandboxes falls because they were taken away.", detail: "That alone says nothing of whether pods start again: look at waiting pods and fresh sandboxes." });
  return hazards;
}

const SHARE = 0.1;

/** Compares the runtime's list of before with that of a check; `seenMs` is when the agent was done. */
export function verifyPurgeDeadSandboxes(before: ActionReading, after: ActionReading, seenMs: number | undefined, isLast: boolean): Verification {
  if (seenMs === undefined) return { verdict: "could-not-verify", because: "The agent did not say that it was done." };
  if (after.answer === "unknown") return { verdict: "could-not-verify", because: "The node's sources are stale, so there is nothing to compare." };
  if (before.dead === undefined || after.dead === undefined) return { verdict: "could-not-verify", because: "How many sandboxes are dead is not known for both moments." };
  const numbers = `${before.dead} dead sandboxes before, ${after.dead} now`;
  if (before.answer === "yes" && after.answer === "no") return { verdict: "worse", because: `The node could start pods before and cannot now; ${numbers}.` };
  if (after.dead <= before.dead * (1 - SHARE) && after.dead < before.dead) return { verdict: "worked", because: `${numbers}.` };
  if (!isLast) return { verdict: "too-early", because: `${numbers}.` };
  return after.dead > before.dead * (1 + SHARE) + 1 ? { verdict: "worse", because: `${numbers}.` } : { verdict: "no-effect", because: `${numbers}.` };
}
