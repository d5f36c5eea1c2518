import type { DaemonSetObject } from "../../domain/model";
import { parseNodeName } from "../../domain/ids";
import type { WatchedKind } from "../../domain/observation";
import { z } from "zod";
import type { KindPlan } from "./kind-plan";
import { isInterestingDaemonSet, type Projector } from "./project";

/**
 * Reasons that make up most events of a busy cluster and say nothing about sandboxes. The API server leaves them out,
 * so they cost neither of us anything.
 */
const NOISE = ["Scheduled", "Pulling", "Pulled", "Created", "Started", "SuccessfulCreate", "SuccessfulDelete", "ScalingReplicaSet", "Completed", "LeaderElection"] as const;

const uidSchema = z.object({ metadata: z.object({ uid: z.string() }) });
const nameSchema = z.object({ metadata: z.object({ name: z.string() }) });
const namesSchema = z.object({ metadata: z.object({ namespace: z.string(), name: z.string() }) });
const uidOf = (raw: unknown) => uidSchema.safeParse(raw).data?.metadata.uid;

export interface KindContext {
  readonly projector: Projector;
  /** DaemonSets that are kept, by "namespace/name". */
  readonly daemonSets: Map<string, DaemonSetObject>;
  readonly isInteresting?: ((daemonSet: DaemonSetObject) => boolean) | undefined;
}

/** How each kind is watched. */
export function kindPlans({ projector, daemonSets, isInteresting = isInterestingDaemonSet }: KindContext): Readonly<Record<WatchedKind, KindPlan>> {
  return {
    nodes: {
      kind: "nodes",
      segments: ["api", "v1", "nodes"],
      bookmarks: true,
      query: {},
      right: "list and watch nodes",
      overflow: "fail",
      keepsVersions: true,
      project: (raw, atMs) => {
        const object = projector.node(raw);
        return object && { key: object.name, observation: { source: "api", type: "node", atMs, object } };
      },
      keyOf: (raw) => nameSchema.safeParse(raw).data?.metadata.name,
      gone: (key, atMs) => {
        const name = parseNodeName(key);
        if (name === undefined) throw new Error("a node was kept under a name that is none");
        return { source: "api", type: "node-gone", atMs, name };
      },
    },
    pods: {
      kind: "pods",
      segments: ["api", "v1", "pods"],
      bookmarks: true,
      // Finished ones stay: their dead sandboxes are no backlog.
      query: {},
      right: "list and watch pods in all namespaces",
      overflow: "fail",
      keepsVersions: false,
      project: (raw, atMs) => {
        const object = projector.pod(raw);
        if (object === undefined) return undefined;
        // One that is not bound waits for the scheduler and is no node's, unless a daemon's DaemonSet made it for one.
        if (object.node === undefined && object.daemon?.unscheduled?.forNode === undefined) return "ignored";
        return { key: object.uid, observation: { source: "api", type: "pod", atMs, object } };
      },
      keyOf: uidOf,
      gone: (uid, atMs) => ({ source: "api", type: "pod-gone", atMs, uid }),
    },
    events: {
      kind: "events",
      segments: ["api", "v1", "events"],
      bookmarks: false, // the API server keeps no watch cache of events
      query: { fieldSelector: NOISE.map((reason) => `reason!=${reason}`).join(",") },
      right: "list and watch events in all namespaces",
      overflow: "cut",
      keepsVersions: true,
      project: (raw, atMs) => {
        const object = projector.event(raw);
        return object === undefined || object === "ignored" ? object : { key: object.uid, observation: { source: "api", type: "event", atMs, object } };
      },
      keyOf: uidOf,
    },
    daemonsets: {
      kind: "daemonsets",
      segments: ["apis", "apps", "v1", "daemonsets"],
      bookmarks: true,
      query: {},
      right: "list and watch daemonsets.apps in all namespaces",
      overflow: "fail",
      keepsVersions: true,
      project: (raw, atMs) => {
        const object = projector.daemonSet(raw);
        if (object === undefined) return undefined;
        const key = `${object.namespace}/${object.name}`;
        if (!isInteresting(object)) {
          if (daemonSets.get(key)?.uid === object.uid) daemonSets.delete(key);
          return "ignored";
        }
        daemonSets.set(key, object);
        return { key: object.uid, observation: { source: "api", type: "daemonset", atMs, object } };
      },
      keyOf: uidOf,
      gone: (uid, atMs) => {
        for (const [key, daemonSet] of daemonSets) if (daemonSet.uid === uid) daemonSets.delete(key);
        return { source: "api", type: "daemonset-gone", atMs, uid };
      },
    },
    nads: {
      kind: "nads",
      segments: ["apis", "k8s.cni.cncf.io", "v1", "network-attachment-definitions"],
      bookmarks: true,
      query: {},
      right: "list and watch network-attachment-definitions.k8s.cni.cncf.io in all namespaces",
      overflow: "fail",
      keepsVersions: true,
      project: (raw, atMs) => {
        const nad = projector.nad(raw);
        return nad && { key: nad.key, observation: { source: "api", type: "nad", atMs, ...nad } };
      },
      keyOf: (raw) => {
        const metadata = namesSchema.safeParse(raw).data?.metadata;
        return metadata && `${metadata.namespace}/${metadata.name}`;
      },
      gone: (key, atMs) => ({ source: "api", type: "nad-gone", atMs, key }),
    },
  };
}
