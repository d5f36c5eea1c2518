import { z } from "zod";
import type { EventObject } from "../../../domain/model";
import { MAX_TEXT_CHARS } from "../text";
import { present, uid, type Lenient } from "./fields";

/** What an event may be about to be kept: pods wait on nodes, and DaemonSets run the daemons. */
const KEPT_KINDS: ReadonlySet<string> = new Set(["Pod", "Node", "DaemonSet"]);
export const IGNORED = "ignored";

/** `IGNORED` for events about other objects; `undefined` for one that lacks what every event has. */
export function eventProjection({ optional, text, time, number }: Lenient, intern: <T extends string>(text: T) => T) {
  const schema = z.object({
    metadata: z.object({ uid, namespace: text(), creationTimestamp: time }),
    involvedObject: z.object({ kind: z.string().min(1), namespace: text(), name: text(), uid: text() }),
    reason: text(),
    message: text(MAX_TEXT_CHARS),
    type: text(),
    count: number,
    firstTimestamp: time,
    lastTimestamp: time,
    eventTime: time,
    series: optional(z.object({ count: number, lastObservedTime: time })),
    source: optional(z.object({ component: text(), host: text() })),
    reportingComponent: text(),
    reportingInstance: text(),
  });
  return (raw: unknown): EventObject | undefined | typeof IGNORED => {
    const parsed = schema.safeParse(raw);
    if (!parsed.success) return undefined;
    const event = parsed.data;
    const { metadata, involvedObject } = event;
    if (!KEPT_KINDS.has(involvedObject.kind)) return IGNORED;
    const times = [event.series?.lastObservedTime, event.lastTimestamp, event.eventTime, event.firstTimestamp, metadata.creationTimestamp].filter((ms) => ms !== undefined);
    if (times.length === 0 || involvedObject.name === undefined) return undefined;
    const lastMs = Math.max(...times);
    const count = event.series?.count ?? event.count;
    const component = event.source?.component ?? event.reportingComponent;
    // events.k8s.io has no host; there the kubelet's instance is its node.
    const host = event.source?.host ?? (component === "kubelet" ? event.reportingInstance : undefined);
    return {
      uid: metadata.uid,
      namespace: intern(metadata.namespace ?? involvedObject.namespace ?? ""),
      reason: intern(event.reason ?? ""),
      type: event.type === "Warning" ? "Warning" : "Normal",
      message: event.message ?? "",
      count: count !== undefined && Number.isInteger(count) && count > 0 ? count : 1,
      firstMs: event.firstTimestamp ?? event.eventTime ?? metadata.creationTimestamp ?? lastMs,
      lastMs,
      about: { kind: intern(involvedObject.kind), name: involvedObject.name, ...present({ namespace: involvedObject.namespace, uid: involvedObject.uid }) },
      ...present({ host: host === undefined ? undefined : intern(host), component: component === undefined ? undefined : intern(component) }),
    };
  };
}
