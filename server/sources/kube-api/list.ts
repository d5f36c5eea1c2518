import { z } from "zod";
import { discard } from "./body";
import type { Connection, WireResponse } from "./connection";
import type { KindPlan, WatchCounts } from "./kind-plan";
import type { WatchLimits } from "./limits";
import { ListSplitter } from "./list-splitter";
import { failure, refusal, tooMany, type Outcome } from "./outcome";
import { pathOf, queryOf } from "./path";
import { errorOf } from "./request";

const metadataSchema = z.object({ resourceVersion: z.string().optional(), continue: z.string().optional() });
/** A list of more pages than this is a server that sends us in a circle. */
const MAX_PAGES = 100_000;

export interface ListRun {
  readonly connection: Connection;
  readonly plan: KindPlan;
  readonly limits: WatchLimits;
  readonly counts: WatchCounts;
  readonly signal: AbortSignal;
  /** Without `limit` and `continue`: the last resort where tokens end sooner than we read. */
  readonly paged: boolean;
  /** Called for each object as it arrives; the number of objects kept so far comes back. */
  readonly onItem: (raw: unknown) => number;
}

/** Reads the whole list, page by page. With "listed" comes the version from which to watch. */
export async function listAll(run: ListRun): Promise<Outcome & { readonly resourceVersion?: string }> {
  const { connection, plan, counts } = run;
  counts.lists += 1;
  let token: string | undefined;
  let version: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const late = AbortSignal.timeout(run.paged ? run.limits.pageTimeoutMs : run.limits.listTimeoutMs);
    try {
      const answer = await connection.send({
        method: "GET",
        path: pathOf(plan.segments) + queryOf({ ...plan.query, ...(run.paged ? { limit: run.limits.pageSize, continue: token } : {}) }),
        signal: AbortSignal.any([run.signal, late]),
        headersTimeoutMs: run.limits.answerTimeoutMs,
        bodyTimeoutMs: run.limits.answerTimeoutMs,
      });
      if (answer.status >= 400) return refusal(await errorOf(answer, connection.server), plan);
      const read = await readPage(run, answer);
      if (read.overflow) {
        if (plan.overflow === "fail") return { input: "too-many", reason: tooMany(plan, run.limits) };
        return { input: "listed", reason: `Only the first ${run.limits.maxObjects[plan.kind]} ${plan.kind} of the list are kept`, ...versioned(version ?? read.version) };
      }
      // Where a server mixes versions, the earliest is the one that misses nothing.
      version ??= read.version;
      if (read.next === undefined || read.next === "") return { input: "listed", ...versioned(version) };
      if (read.next === token) return { input: "failed", reason: `${connection.server} gave the same page twice` };
      token = read.next;
    } catch (error) {
      if (run.signal.aborted) return { input: "stopped" };
      if (late.aborted) return { input: "failed", reason: `${connection.server} did not finish a page of ${plan.kind} in time` };
      return failure(error, connection.server);
    }
  }
  return { input: "failed", reason: `The list of ${plan.kind} did not end after ${MAX_PAGES} pages` };
}

const versioned = (version: string | undefined) => (version === undefined ? {} : { resourceVersion: version });

async function readPage(run: ListRun, answer: WireResponse): Promise<{ readonly version?: string; readonly next?: string; readonly overflow: boolean }> {
  const counts = { tooLong: 0 };
  const splitter = new ListSplitter(run.limits.maxObjectBytes, counts);
  run.counts.pages += 1;
  try {
    for await (const chunk of answer.body as AsyncIterable<Buffer>) { // undici's body gives Buffers while no encoding is set
      for (const bytes of splitter.feed(chunk)) {
        if (run.onItem(JSON.parse(bytes.toString("utf8"))) > run.limits.maxObjects[run.plan.kind]) {
          discard(answer);
          return { overflow: true };
        }
      }
    }
  } finally {
    run.counts.tooLong += counts.tooLong;
  }
  const metadata = metadataSchema.parse(splitter.end());
  return { overflow: false, ...(metadata.resourceVersion === undefined ? {} : { version: metadata.resourceVersion }), ...(metadata.continue === undefined ? {} : { next: metadata.continue }) };
}
