import { z } from "zod";
import type { Clock } from "../../clock";
import { discard } from "./body";
import type { Connection, WireResponse } from "./connection";
import { KubeError } from "./errors";
import type { KindPlan, WatchCounts } from "./kind-plan";
import type { WatchLimits } from "./limits";
import { LineSplitter } from "./lines";
import { failure, refusal, tooMany, type Outcome } from "./outcome";
import { pathOf, queryOf } from "./path";
import { errorOf } from "./request";
import { isOlder, versionOf } from "./resource-version";
import { cleanText } from "./text";

const eventSchema = z.object({ type: z.enum(["ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"]), object: z.unknown() });
const statusSchema = z.object({ code: z.number().optional(), reason: z.string().optional(), message: z.string().optional(), details: z.object({ retryAfterSeconds: z.number().nonnegative().optional() }).nullish() });
const MAX_MESSAGE_CHARS = 1_024;

export interface StreamRun {
  readonly connection: Connection;
  readonly plan: KindPlan;
  readonly limits: WatchLimits;
  readonly counts: WatchCounts;
  readonly clock: Clock;
  readonly random: () => number;
  readonly signal: AbortSignal;
  /** Where to go on; absent where the list had none. */
  readonly version: string | undefined;
  /** The API server took the watch. */
  readonly onOpen: () => void;
  readonly onChange: (type: "ADDED" | "MODIFIED" | "DELETED", raw: unknown) => void;
  /** More objects than the bound. */
  readonly isFull: () => boolean;
  /** After each event and bookmark: how far we are. */
  readonly onProgress: (version: string | undefined) => void;
}

/** One stream from its opening to its end, however it ends. */
export async function watchOnce(run: StreamRun): Promise<Outcome> {
  const { connection, plan, limits, clock } = run;
  const cut = new AbortController();
  let stall: StallWatch | undefined;
  const openedMs = clock.now();
  const state: StreamState = { version: run.version, told: 0 };
  try {
    const answer = await connection.send({
      method: "GET",
      path: pathOf(plan.segments) + queryOf({ ...plan.query, watch: 1, allowWatchBookmarks: true, resourceVersion: run.version, timeoutSeconds: Math.round(limits.streamSeconds * (0.5 + run.random() / 2)) }),
      signal: AbortSignal.any([run.signal, cut.signal]),
      headersTimeoutMs: limits.answerTimeoutMs,
      bodyTimeoutMs: 0,
    });
    if (answer.status >= 400) return refusal(await errorOf(answer, connection.server), plan);
    run.counts.streams += 1;
    run.onOpen();
    stall = stallWatch(clock, limits.stallMs, () => cut.abort(new Error("stalled")));
    const broken = await readStream(run, answer, state, stall.touch);
    if (broken !== undefined) return broken;
  } catch (error) {
    if (run.signal.aborted) return { input: "stopped" };
    if (cut.signal.aborted) {
      run.counts.stalls += 1;
      return { input: state.told > 0 && plan.bookmarks ? "stalled" : "silent" };
    }
    // It worked until then: go on at once, as after any other end.
    if (state.told > 0) return { input: "ended" };
    return failure(error, connection.server);
  } finally {
    stall?.stop();
  }
  if (state.told === 0 && clock.now() - openedMs < limits.shortStreamMs) return { input: "failed", reason: `${connection.server} ended the watch of ${plan.kind} at once` };
  return { input: "ended" };
}

interface StallWatch {
  touch(): void;
  stop(): void;
}

interface StreamState {
  version: string | undefined;
  told: number;
}

async function readStream(run: StreamRun, answer: WireResponse, state: StreamState, touch: () => void): Promise<Outcome | undefined> {
  const counts = { tooLong: 0, halfLines: 0 };
  const lines = new LineSplitter(run.limits.maxObjectBytes, counts);
  try {
    for await (const chunk of answer.body as AsyncIterable<Buffer>) { // undici's body gives Buffers while no encoding is set
      touch();
      for (const line of lines.feed(chunk)) {
        const outcome = readLine(run, line, state);
        if (outcome !== undefined) {
          discard(answer);
          return outcome;
        }
      }
    }
    return undefined;
  } finally {
    lines.end();
    run.counts.tooLong += counts.tooLong;
    run.counts.halfLines += counts.halfLines;
  }
}

function readLine(run: StreamRun, line: Buffer, state: StreamState): Outcome | undefined {
  const event = parseLine(line);
  if (event === undefined) {
    run.counts.garbage += 1;
    return { input: "failed", reason: `${run.connection.server} sent a line that is no watch event` };
  }
  if (event.type === "ERROR") return refusal(statusOf(event.object), run.plan);
  const version = versionOf(event.object);
  if (version !== undefined && state.version !== undefined && isOlder(version, state.version)) {
    return { input: "went-back", reason: `resourceVersion ${cleanText(version, 40)} came after ${cleanText(state.version, 40)}: the API server tells another history` };
  }
  if (event.type !== "BOOKMARK") run.onChange(event.type, event.object);
  if (run.isFull()) return { input: "too-many", reason: tooMany(run.plan, run.limits) };
  state.version = version ?? state.version;
  state.told += 1;
  run.onProgress(state.version);
  return undefined;
}

function parseLine(line: Buffer): z.infer<typeof eventSchema> | undefined {
  try {
    return eventSchema.safeParse(JSON.parse(line.toString("utf8"))).data;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined; // counted by the caller
    throw error;
  }
}

function statusOf(raw: unknown): KubeError {
  const status = statusSchema.safeParse(raw).data;
  return new KubeError(status?.code ?? 0, status?.reason ?? "Unknown", cleanText(status?.message ?? "an error without a text", MAX_MESSAGE_CHARS), status?.details?.retryAfterSeconds === undefined ? undefined : status.details.retryAfterSeconds * 1000);
}

/** Calls `onStall` once after `ms` without a touch. */
function stallWatch(clock: Clock, ms: number, onStall: () => void): StallWatch {
  let lastMs = clock.now();
  let cancel = clock.after(ms, check);
  function check(): void {
    const leftMs = lastMs + ms - clock.now();
    if (leftMs <= 0) onStall();
    else cancel = clock.after(leftMs, check);
  }
  return {
    touch: () => {
      lastMs = clock.now();
    },
    stop: () => cancel(),
  };
}
