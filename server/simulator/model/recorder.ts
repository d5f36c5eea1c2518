import type { ChangeSink, EventRecord, PodRecord } from "./records";
import type { Random } from "./random";

/** How long the API server keeps an event. */
export const EVENT_TTL_MS = 3_600_000;
/** client-go's correlator: this many different texts of one reason are told apart, then they are put together. */
const MAX_SIMILAR_TEXTS = 10;
const SIMILAR_WINDOW_MS = 600_000;
/** client-go's spam filter, per object: a burst, then one every five minutes. */
const SPAM_BURST = 25;
const SPAM_REFILL_MS = 300_000;

type About = EventRecord["about"];

/** One component's event recorder, with the counting and dropping that the real one does. */
export class EventRecorder {
  private readonly kept = new Map<string, EventRecord>();
  private readonly similar = new Map<string, { texts: Set<string>; lastMs: number }>();
  private readonly tokens = new Map<string, { left: number; atMs: number }>();

  constructor(
    private readonly random: Random,
    private readonly component: string,
    private readonly host: string | undefined,
    private readonly sink: ChangeSink,
  ) {}

  record(atMs: number, about: About, type: "Normal" | "Warning", reason: string, text: string): void {
    const message = this.aggregated(atMs, about, reason, text);
    if (!this.allowed(atMs, about)) return;
    const key = `${about.uid}/${reason}/${about.fieldPath ?? ""}/${message.startsWith(COMBINED) ? COMBINED : message}`;
    const known = this.kept.get(key);
    if (known !== undefined && atMs - known.lastMs <= EVENT_TTL_MS) {
      known.count += 1;
      known.lastMs = atMs;
      known.message = message;
      this.sink.event(known);
      return;
    }
    const event: EventRecord = {
      uid: this.random.uuid(),
      name: `${about.name}.${this.random.hex(16)}`,
      namespace: about.namespace ?? "default",
      reason,
      type,
      message,
      count: 1,
      firstMs: atMs,
      lastMs: atMs,
      about,
      component: this.component,
      host: this.host,
    };
    this.kept.set(key, event);
    this.sink.event(event);
  }

  /** Lets go of what is older than an hour. */
  forget(atMs: number): void {
    for (const [key, event] of this.kept) if (atMs - event.lastMs > EVENT_TTL_MS) this.kept.delete(key);
    for (const [key, entry] of this.similar) if (atMs - entry.lastMs > SIMILAR_WINDOW_MS) this.similar.delete(key);
    for (const [key, bucket] of this.tokens) if (atMs - bucket.atMs > EVENT_TTL_MS) this.tokens.delete(key);
  }

  private aggregated(atMs: number, about: About, reason: string, text: string): string {
    const key = `${about.uid}/${reason}`;
    let entry = this.similar.get(key);
    if (entry === undefined || atMs - entry.lastMs > SIMILAR_WINDOW_MS) {
      entry = { texts: new Set(), lastMs: atMs };
      this.similar.set(key, entry);
    }
    entry.lastMs = atMs;
    if (entry.texts.size < MAX_SIMILAR_TEXTS) entry.texts.add(text);
    return entry.texts.size >= MAX_SIMILAR_TEXTS ? `${COMBINED}${text}` : text;
  }

  private allowed(atMs: number, about: About): boolean {
    const bucket = this.tokens.get(about.uid) ?? { left: SPAM_BURST, atMs };
    const left = Math.min(SPAM_BURST, bucket.left + (atMs - bucket.atMs) / SPAM_REFILL_MS);
    const allowed = left >= 1;
    this.tokens.set(about.uid, { left: allowed ? left - 1 : left, atMs });
    return allowed;
  }
}

const COMBINED = "(combined from similar events): ";

export const aboutPod = (pod: PodRecord, container?: string): About => ({
  kind: "Pod",
  apiVersion: "v1",
  namespace: pod.namespace,
  name: pod.name,
  uid: pod.uid,
  ...(container === undefined ? {} : { fieldPath: `spec.containers{${container}}` }),
});

/** The kubelet gives a node's name as its uid. */
export const aboutNode = (name: string): About => ({ kind: "Node", apiVersion: "v1", name, uid: name });
