import type { DaemonSetObject, EventObject, NodeObject, PodObject } from "../../domain/model";
import { daemonSetProjection } from "./project/daemonset";
import { eventProjection, type IGNORED } from "./project/event";
import { lenient } from "./project/fields";
import { interner } from "./project/intern";
import { nadProjection, type NadProjection } from "./project/nad";
import { nodeProjection } from "./project/node";
import { podProjection, type IsDaemonPod } from "./project/pod";

export { IGNORED } from "./project/event";
export { isInterestingDaemonSet } from "./project/daemonset";
export { DEFAULT_POOL, poolOf } from "./project/node";
export type { IsDaemonPod } from "./project/pod";
export type { NadProjection } from "./project/nad";

/** Kubernetes objects → the plain types of domain/model. `undefined`: it lacks what makes it an object (name, uid). */
export interface Projector {
  node(raw: unknown): NodeObject | undefined;
  pod(raw: unknown): PodObject | undefined;
  event(raw: unknown): EventObject | undefined | typeof IGNORED;
  daemonSet(raw: unknown): DaemonSetObject | undefined;
  nad(raw: unknown): NadProjection | undefined;
  /** Optional fields and list items with a wrong type, so far. */
  droppedFields(): number;
}

export function makeProjector(options: { readonly isDaemonPod: IsDaemonPod; readonly daemonSet?: (key: string) => DaemonSetObject | undefined }): Projector {
  let dropped = 0;
  const onDrop = () => {
    dropped += 1;
  };
  const fields = lenient(onDrop);
  const intern = interner();
  return {
    node: nodeProjection(fields),
    pod: podProjection(fields, { isDaemonPod: options.isDaemonPod, daemonSet: options.daemonSet ?? (() => undefined), intern }),
    event: eventProjection(fields, intern),
    daemonSet: daemonSetProjection(fields),
    nad: nadProjection(fields, onDrop),
    droppedFields: () => dropped,
  };
}
