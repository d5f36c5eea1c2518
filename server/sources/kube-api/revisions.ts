import { z } from "zod";
import type { Clock } from "../../clock";
import { sameParts, type KnownDaemonSets } from "../../domain/cluster-changes";
import type { DaemonSetObject } from "../../domain/model";
import type { Observe, RevisionsReading } from "../../domain/observation";
import { diffTemplates } from "../../domain/template-diff";
import type { Connection } from "./connection";
import { KubeError } from "./errors";
import { revisionTemplate } from "./project/template";
import { request } from "./request";

/** Most rollouts whose revisions wait to be read; more at once are not read, which their entries say. */
export const MAX_WAITING = 50;
/** Most revisions of one DaemonSet that are asked for; the API server keeps ten of each unless told otherwise. */
const MAX_REVISIONS = 50;
const MAX_ANSWER_BYTES = 8 * 1_048_576;
/** Most DaemonSets whose generation is remembered. */
const MAX_KNOWN = 10_000;

const listSchema = z.object({ items: z.array(z.unknown()) });
const revisionSchema = z.object({ revision: z.number(), metadata: z.object({ creationTimestamp: z.string().optional(), ownerReferences: z.array(z.object({ uid: z.string(), controller: z.boolean().optional() })).optional() }) });

export interface RevisionsOptions {
  readonly connection: Connection;
  readonly observe: Observe;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly known: KnownDaemonSets;
}

/** What was seen before a pause in which a rollout began. */
export interface BeforePause {
  readonly lastMs: number;
  /** Whether all that is kept of the DaemonSet is the same: then an old revision that is the newest again may be the very one. */
  readonly samePartsNow: boolean;
}

/**
 * Reads the two newest revisions of a DaemonSet once its controller has taken in a new generation, and tells what differs between them.
 * They are not watched: a revision holds a whole template, a cluster keeps ten for each DaemonSet and StatefulSet, and nearly none is ever needed.
 */
export class RevisionReader {
  readonly #generations = new Map<string, number>();
  readonly #due = new Map<string, DaemonSetObject>();
  readonly #remembered: Map<string, DaemonSetObject>;
  #running: Promise<void> | undefined;

  constructor(private readonly options: RevisionsOptions) {
    this.#remembered = new Map(options.known.items.map((daemonSet) => [daemonSet.uid, daemonSet]));
  }

  /** Every DaemonSet as the watch tells it. */
  saw(daemonSet: DaemonSetObject): void {
    const { uid, generation, observedGeneration } = daemonSet;
    const known = this.#generations.get(uid) ?? this.#remembered.get(uid)?.generation ?? generation;
    if (this.#generations.has(uid) || this.#generations.size < MAX_KNOWN) this.#generations.set(uid, known);
    if (known === generation) this.#remembered.delete(uid);
    if (known === generation || observedGeneration === undefined || observedGeneration < generation) return;
    this.#generations.set(uid, generation);
    if (this.#due.size >= MAX_WAITING) {
      this.#tell(daemonSet, { looked: false, reason: `more than ${MAX_WAITING} rollouts began at once` });
      return;
    }
    this.#due.set(uid, daemonSet);
    this.#running ??= this.#readAll();
  }

  gone(uid: string): void {
    this.#generations.delete(uid);
    this.#remembered.delete(uid);
    this.#due.delete(uid);
  }

  /** Resolves once nothing is being read; the signal ends what is. */
  async ended(): Promise<void> {
    await this.#running;
  }

  async #readAll(): Promise<void> {
    for (let next = this.#due.values().next().value; next !== undefined && !this.options.signal.aborted; next = this.#due.values().next().value) {
      this.#due.delete(next.uid);
      const reading = await this.#read(next);
      if (reading !== undefined) this.#tell(next, reading);
    }
    this.#running = undefined;
  }

  async #read(daemonSet: DaemonSetObject): Promise<RevisionsReading | undefined> {
    const { uid, namespace, matchLabels } = daemonSet;
    const { connection, signal, known } = this.options;
    const remembered = this.#remembered.get(uid);
    this.#remembered.delete(uid);
    try {
      const labelSelector = Object.entries(matchLabels).map(([key, value]) => `${key}=${value}`).join(",");
      const answer = await request(connection, { segments: ["apis", "apps", "v1", "namespaces", namespace, "controllerrevisions"], query: { labelSelector, limit: MAX_REVISIONS }, maxBodyBytes: MAX_ANSWER_BYTES, signal });
      return compared(answer, uid, remembered === undefined ? undefined : { lastMs: known.lastMs, samePartsNow: sameParts(remembered, daemonSet) });
    } catch (error) {
      if (signal.aborted) return undefined;
      if (!(error instanceof KubeError)) throw error;
      return { looked: false, reason: error.status === 403 ? "the right to list controllerrevisions.apps is missing" : error.message };
    }
  }

  #tell({ uid, generation }: DaemonSetObject, reading: RevisionsReading): void {
    this.options.observe({ source: "api", type: "revisions", atMs: this.options.clock.now(), uid, generation, reading });
  }
}

/**
 * What differs between the newest revision and the one before it; after a pause, the newest of those that were there when
 * somebody last looked. A rollback makes an old revision the newest again, under its old time.
 */
export function compared(answer: unknown, uid: string, pause?: BeforePause): RevisionsReading {
  const list = listSchema.safeParse(answer);
  if (!list.success) return { looked: false, reason: "the API server's list of revisions cannot be read" };
  const own = list.data.items.flatMap((raw) => {
    const parsed = revisionSchema.safeParse(raw);
    return parsed.success && parsed.data.metadata.ownerReferences?.some((owner) => owner.uid === uid && owner.controller === true) === true ? [{ revision: parsed.data.revision, raw, madeMs: Date.parse(parsed.data.metadata.creationTimestamp ?? "") }] : [];
  });
  const [after, ...earlier] = own.sort((a, b) => b.revision - a.revision);
  const wasThere = ({ madeMs }: { readonly madeMs: number }): boolean => pause === undefined || !(madeMs > pause.lastMs);
  const before = earlier.find(wasThere);
  if (after !== undefined && pause?.samePartsNow === true && wasThere(after)) return { looked: false, reason: "the newest revision was there before the pause, so which one it replaced cannot be told" };
  if (after === undefined || before === undefined) return { looked: false, reason: "no earlier revision is kept" };
  const templates = [revisionTemplate(before.raw), revisionTemplate(after.raw)] as const;
  if (templates[0] === undefined || templates[1] === undefined) return { looked: false, reason: "a revision holds no template" };
  return { looked: true, from: before.revision, to: after.revision, ...(pause === undefined || wasThere(after) ? {} : { madeMs: after.madeMs }), ...diffTemplates(templates[0], templates[1]) };
}
