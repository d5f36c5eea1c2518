import type { EventRecord } from "../model/records";
import { iso, isoMicro, type KubeObject } from "./json";

/** The scheduler uses the newer API of events: an eventTime and an action, no counts. */
const NEWER_API = "default-scheduler";

export function eventObject(event: EventRecord): KubeObject {
  const base = {
    apiVersion: "v1",
    kind: "Event",
    metadata: { name: event.name, namespace: event.namespace, uid: event.uid, creationTimestamp: iso(event.firstMs) },
    involvedObject: event.about,
    reason: event.reason,
    message: event.message,
    type: event.type,
    reportingComponent: event.component,
    reportingInstance: event.host ?? "",
  };
  if (event.component === NEWER_API) {
    return { ...base, action: "Binding", eventTime: isoMicro(event.firstMs), firstTimestamp: null, lastTimestamp: null, reportingInstance: `${NEWER_API}-simulated`, source: {} };
  }
  return {
    ...base,
    count: event.count,
    eventTime: null,
    firstTimestamp: iso(event.firstMs),
    lastTimestamp: iso(event.lastMs),
    source: { component: event.component, ...(event.host === undefined ? {} : { host: event.host }) },
  };
}
