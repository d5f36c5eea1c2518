import { monotonicMs, systemClock, type Clock } from "../../clock";
import type { KubeletPage, Observation, Observe } from "../../domain/observation";
import type { Log } from "../../log";
import type { NodeTarget } from "./address";
import type { WantedPod } from "./cadvisor-page";
import type { FailureRecords } from "./failure-records";
import { explain, KubeletError, refusal } from "./failures";
import type { KubeletFetch } from "./fetch";
import { readCadvisorMetrics, readConfigz, readKubeletMetrics } from "./read-page";
import { nextDueMs, offsetMs } from "./schedule";
import type { Slots } from "./slots";

export interface TaskDeps {
  readonly fetch: KubeletFetch;
  readonly observe: Observe;
  readonly clock: Clock;
  readonly log: Log;
  readonly failures: Pick<FailureRecords, "tell">;
  readonly wanted: WantedPod;
  readonly maxPageBytes: number;
  readonly slots: Slots;
  readonly suspects: Slots;
}

/** Either on a grid that the node's name is hashed into, or so long after the last reading began. */
export type TaskSchedule =
  | { readonly gridMs: number; readonly everyNth?: () => number; readonly onRestart?: () => void }
  | { readonly everyMs: () => number };

export interface PageTask {
  start(): void;
  stop(): void;
  /** Reads as soon as there is room, then goes on as scheduled. */
  soon(): void;
  readonly lastFailed: "not-read-yet" | "no" | "may-heal" | "lasting";
  readonly skipped: number;
  /** How late the last reading began, against its schedule. */
  readonly lateMs: number;
}

/** Real time, as all time-outs of sockets; shorter than every period. */
export const PAGE_TIMEOUT_MS = 10_000;
/** A clock that runs fast has short periods; below this no page could be read at all. */
const LEAST_TIMEOUT_MS = 1_000;
const TIMEOUT_SHARE_OF_PERIOD = 2 / 3;
/** The first `/configz` of a fleet is spread over this. */
const CONFIGZ_SPREAD_MS = 10_000;
/** A timer that fires this much early shows a clock that was set back. */
const CLOCK_STEP_MS = 5_000;
/** One for all: without a reason each abort makes an error of its own, with its stack. */
const OVER = new KubeletError("the reading is over");
/** An answer that is not 200 is read to its end up to this, which keeps the connection. */
const MAX_REFUSAL_BYTES = 64 * 1024;

/** Reads one page of one node again and again. */
export function createPageTask(deps: TaskDeps, target: () => NodeTarget, page: KubeletPage, schedule: TaskSchedule): PageTask {
  const { clock } = deps;
  let lastFailed: PageTask["lastFailed"] = "not-read-yet";
  let timedOutLast = false;
  let skipped = 0;
  let lateMs = 0;
  let stopped = false;
  let processStartSeconds: number | undefined;
  let cancelTimer = (): void => {};
  let cancelWaiting = (): void => {};
  let underWay: AbortController | "waiting" | undefined;

  const timeoutMs = Math.max(LEAST_TIMEOUT_MS, Math.min(PAGE_TIMEOUT_MS, "gridMs" in schedule ? (schedule.gridMs * TIMEOUT_SHARE_OF_PERIOD) / clock.rate : PAGE_TIMEOUT_MS));

  const plan = (first: boolean): void => {
    const now = clock.now();
    const key = `${target().name} ${page}`;
    if ("gridMs" in schedule) arm(nextDueMs(now, offsetMs(key, schedule.gridMs), schedule.gridMs));
    else arm(now + (first ? offsetMs(key, CONFIGZ_SPREAD_MS) : schedule.everyMs()));
  };

  const arm = (dueMs: number): void => {
    cancelTimer();
    cancelTimer = clock.after(dueMs - clock.now(), () => {
      const earlyMs = dueMs - clock.now();
      if (earlyMs > CLOCK_STEP_MS) return plan(false); // the clock was set back
      if (earlyMs > 1) return arm(dueMs); // timers are whole milliseconds of real time
      if (isTurn(dueMs)) begin(dueMs);
      if ("gridMs" in schedule) plan(false);
    });
  };

  const isTurn = (dueMs: number): boolean => {
    if (!("gridMs" in schedule) || lastFailed === "not-read-yet") return true;
    const nth = schedule.everyNth?.() ?? 1;
    // Which of the turns is this node's, so that a fleet of slow pages is spread over the long period too.
    return nth === 1 || (Math.floor(dueMs / schedule.gridMs) + offsetMs(target().name, nth)) % nth === 0;
  };

  const begin = (dueMs: number): void => {
    if (underWay !== undefined) {
      skipped += 1;
      return;
    }
    underWay = "waiting";
    const slots = timedOutLast ? deps.suspects : deps.slots;
    cancelWaiting = slots.request(() => {
      lateMs = Math.max(0, clock.now() - dueMs);
      void read()
        .catch((err: unknown) => deps.log.error({ err, node: target().name, page }, "what a kubelet page gave could not be handed on"))
        .finally(() => {
          underWay = undefined;
          slots.release();
          if (!stopped && !("gridMs" in schedule)) plan(false);
        });
    });
  };

  const read = async (): Promise<void> => {
    const controller = new AbortController();
    underWay = controller;
    let answered = false;
    const cancelTimeout = systemClock.after(timeoutMs, () => {
      const seconds = timeoutMs / 1000;
      controller.abort(new KubeletError(answered ? `the page was not whole within ${seconds} s` : `no answer within ${seconds} s`, { timedOut: true }));
    });
    const startedMs = monotonicMs();
    try {
      const answer = await orAborted(deps.fetch.get(target(), page, controller.signal), controller.signal);
      answered = true;
      const atMs = clock.now();
      if (answer.status !== 200) {
        await orAborted(drain(answer.body), controller.signal);
        throw refusal(answer.status, page, deps.fetch.mode);
      }
      const content = await orAborted(observationOf(answer, atMs, startedMs), controller.signal);
      lastFailed = "no";
      timedOutLast = false;
      if (!stopped) deps.observe(content);
      noteRestart(content);
    } catch (error) {
      if (!stopped) fail(error);
    } finally {
      cancelTimeout();
      controller.abort(OVER); // ends a body that was left half read
    }
  };

  const observationOf = async (answer: Awaited<ReturnType<KubeletFetch["get"]>>, atMs: number, startedMs: number): Promise<Observation> => {
    const node = target().name;
    const base = { source: "kubelet", node, atMs } as const;
    const took = (): number => monotonicMs() - startedMs;
    switch (page) {
      case "metrics": {
        const metrics = await readKubeletMetrics(answer, deps.maxPageBytes);
        return { ...base, type: "metrics", metrics, tookMs: took() };
      }
      case "cadvisor": {
        const metrics = await readCadvisorMetrics(answer, deps.wanted, deps.maxPageBytes);
        return { ...base, type: "cadvisor", metrics, tookMs: took() };
      }
      case "configz":
        return { ...base, type: "configz", runtimeRequestTimeoutSeconds: await readConfigz(answer) };
    }
  };

  const fail = (error: unknown): void => {
    const { message, hint, timedOut, lasting, cause } = explain(error);
    const node = target().name;
    if (lastFailed === "no" || lastFailed === "not-read-yet") deps.failures.tell({ node, page, reason: message, cause });
    lastFailed = lasting ? "lasting" : "may-heal";
    timedOutLast = timedOut;
    deps.observe({ source: "kubelet", type: "failed", node, atMs: clock.now(), page, reason: message, ...(hint === undefined ? {} : { hint }), ...(timedOut ? { timedOut } : {}) });
  };

  const noteRestart = (content: Observation): void => {
    if (content.source !== "kubelet" || content.type !== "metrics" || !("gridMs" in schedule)) return;
    const started = content.metrics.processStartSeconds;
    if (started !== undefined && processStartSeconds !== undefined && started !== processStartSeconds) schedule.onRestart?.();
    processStartSeconds = started ?? processStartSeconds;
  };

  return {
    start: () => plan(true),
    stop: () => {
      stopped = true;
      cancelTimer();
      cancelWaiting();
      if (underWay instanceof AbortController) underWay.abort(new KubeletError("stopped"));
    },
    soon: () => {
      if (!stopped && underWay === undefined) {
        cancelTimer();
        begin(clock.now());
      }
    },
    get lastFailed() {
      return lastFailed;
    },
    get skipped() {
      return skipped;
    },
    get lateMs() {
      return lateMs;
    },
  };
}

/** Does not rest on the other side to end with the signal. */
async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  work.catch(() => {}); // reported by the race; where the signal was first, its own end is no news
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

async function drain(body: AsyncIterable<Uint8Array>): Promise<void> {
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > MAX_REFUSAL_BYTES) return;
  }
}
