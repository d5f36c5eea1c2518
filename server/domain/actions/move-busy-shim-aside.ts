import { busyPath } from "../causes/install-deadlock";
import type { NodeView } from "../node-view";
import { nodePlan, type NodePlanInput } from "./node-plan";
import type { ActionReading, Plan, Verification } from "./types";
import type { NodeActionParams } from "./work-order";

export const MOVE_BUSY_SHIM_ASIDE = "move-busy-shim-aside";

/** The kubelet's longest back-off between two tries of an init container, and some more. */
export const DEFAULT_WAIT_SECONDS = 330;
export const WAIT_BOUNDS = { min: 10, max: 600 } as const;
const CAUSE = "install-deadlock";

/**
 * Gives a busy program another name, so that the installer's next try makes a new file, and gives it its name back where none
 * comes. Refused unless an installer is failing with *Text file busy* on a file that its message names. Pure.
 */
export function planMoveBusyShimAside(input: NodePlanInput): Plan<NodeActionParams> {
  const { view } = input;
  const waitSeconds = input.params.waitSeconds ?? DEFAULT_WAIT_SECONDS;
  const busy = busyProgram(view);
  const name = busy.program ?? "the busy program";
  const fits = Number.isInteger(waitSeconds) && waitSeconds >= WAIT_BOUNDS.min && waitSeconds <= WAIT_BOUNDS.max;
  return nodePlan(input, {
    action: MOVE_BUSY_SHIM_ASIDE,
    title: `Move ${name} of ${view.name} aside until its installer has made a new one`,
    params: { waitSeconds, ...(busy.program === undefined ? {} : { program: busy.program }) },
    writes: [
      { title: `Look again whether ${name} is a plain file in a folder of CNI plugins that a process runs right now; then give it a dated name beside it`, writes: true, nodeCall: { kind: "FILE", what: `rename BIN_DIR/${name} → BIN_DIR/.${name}.TIME.sandglass-aside` } },
      { title: `Wait up to ${waitSeconds} s for a new ${name}`, writes: false },
      { title: "Where none came, give it its name back, never over a new file", writes: true, nodeCall: { kind: "FILE", what: `link BIN_DIR/.${name}.TIME.sandglass-aside → BIN_DIR/${name}, then unlink the dated name` } },
    ],
    atOnce: "1 file",
    hazards: [
      { title: `Until the installer's next try there is no ${name}.`, detail: "Every ADD and DEL on this node fails in that time. The try comes after the init container's back-off, up to 5 min; with the daemon's pod deleted right after the move it came in 4 s." },
      { title: "Freed, all waiting calls reach the daemon at once.", detail: "One that has little memory is then killed for it, again and again: raise its limit first." },
      { title: "The dated file stays where a new one came.", detail: "Processes still run it. It can be removed once they have ended." },
    ],
    refusals: [
      ...(busy.program === undefined ? [{ message: busy.why }] : []),
      ...(fits ? [] : [{ field: "waitSeconds", message: `Wait from ${WAIT_BOUNDS.min} to ${WAIT_BOUNDS.max} s.` }]),
    ],
    undo: "By itself, where no new file comes. Once one came there is nothing to go back to.",
    passRule: "Worked: a sandbox became ready since, and no pod is stuck, or fewer pods wait at the last check. Worse: the node turned to no. No effect: neither.",
  });
}

/** Which program an installer cannot overwrite, by the finding that says so now. */
function busyProgram(view: NodeView): { readonly program: string; readonly why?: never } | { readonly program?: never; readonly why: string } {
  const found = view.causes.flatMap((root) => [root, ...root.consequences]).find(({ code, certainty }) => code === CAUSE && certainty === "named");
  if (found === undefined) return { why: "No installer here is failing with Text file busy, so there is nothing to move." };
  const paths = found.evidence.flatMap(({ value }) => (typeof value === "string" ? (busyPath(value) ?? []) : []));
  const [path] = paths;
  if (path === undefined) return { why: "The installer's message does not name the file that is busy." };
  return { program: path.slice(path.lastIndexOf("/") + 1) };
}

/** Compares whether pods start again; `seenMs` is when the agent was done. */
export function verifyMoveBusyShimAside(before: ActionReading, after: ActionReading, seenMs: number | undefined, isLast: boolean): Verification {
  if (seenMs === undefined) return { verdict: "could-not-verify", because: "The agent did not say that it was done." };
  if (after.answer === "unknown") return { verdict: "could-not-verify", because: "The node's sources are stale, so there is nothing to compare." };
  if (before.answer === "yes" && after.answer === "no") return { verdict: "worse", because: "The node could start pods before and cannot now." };
  if (after.waiting === undefined || before.waiting === undefined) return { verdict: "could-not-verify", because: "How many pods wait is not known for both moments." };
  const fresh = after.lastFreshMs !== undefined && after.lastFreshMs >= seenMs;
  const numbers = `${before.waiting} pods waited before, ${after.waiting} now${fresh ? ", and sandboxes start" : ", and no fresh sandbox since"}`;
  if (fresh && (after.stuck ?? 0) === 0) return { verdict: "worked", because: `${numbers}.` };
  if (!isLast) return { verdict: "too-early", because: `${numbers}.` };
  return fresh && after.waiting < before.waiting ? { verdict: "worked", because: `${numbers}.` } : { verdict: "no-effect", because: `${numbers}.` };
}
