import type { KindPlan } from "./kind-plan";
import { AnswerError, connectionError, KubeError } from "./errors";
import type { WatchLimits } from "./limits";
import { NotAList } from "./list-splitter";
import type { WatchInput } from "./watch-machine";

/** How a list or a stream came out. */
export interface Outcome {
  readonly input: WatchInput;
  /** For people; absent where all is well. */
  readonly reason?: string;
  readonly retryAfterMs?: number;
}

export const tooMany = (plan: KindPlan, limits: WatchLimits): string => `There are more than ${limits.maxObjects[plan.kind]} ${plan.kind}, the most that are kept`;

const UNAUTHORIZED = 401;
const FORBIDDEN = 403;
const NOT_FOUND = 404;
const GONE = 410;
const TOO_LARGE = /too large resource version/i;

/** What an answer of 400 and above, or a Status inside a stream, means for the loop. */
export function refusal(error: KubeError, plan: KindPlan): Outcome {
  const waits = error.retryAfterMs === undefined ? {} : { retryAfterMs: error.retryAfterMs };
  if (error.status === GONE || error.reason === "Expired" || error.reason === "Gone") return { input: "gone", reason: error.message, ...waits };
  // We ask for a version that this server has not reached: it was restored from a backup.
  if (TOO_LARGE.test(error.message)) return { input: "went-back", reason: error.message, ...waits };
  if (error.status === FORBIDDEN) return { input: "forbidden", reason: `The right to ${plan.right} is missing (${error.message})`, ...waits };
  if (error.status === NOT_FOUND) return { input: "absent", reason: `The API server has no ${plan.segments.slice(1).join("/")}`, ...waits };
  if (error.status === UNAUTHORIZED) return { input: "failed", reason: `The API server does not accept our credentials any more (${error.message})`, ...waits };
  return { input: "failed", reason: `The API server answered ${error.status} (${error.message})`, ...waits };
}

/** What a thrown error means for the loop. */
export function failure(error: unknown, server: string): Outcome {
  if (error instanceof NotAList) return { input: "failed", reason: `${server} gave no Kubernetes list: ${error.message}` };
  if (error instanceof SyntaxError) return { input: "failed", reason: `${server} gave broken JSON` };
  if (error instanceof AnswerError || error instanceof KubeError) return { input: "failed", reason: error.message };
  return { input: "failed", reason: connectionError(error, server).message };
}
