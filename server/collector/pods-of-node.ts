import { z } from "zod";
import { MAX_NODE_PODS, type NodePods } from "../domain/actions/work-order";
import type { Clock } from "../clock";
import type { NodeName } from "../domain/ids";
import type { Log } from "../log";
import type { Connection } from "../sources/kube-api/connection";
import { KubeError } from "../sources/kube-api/errors";
import { request } from "../sources/kube-api/request";

/** Asked again by the same node within this, the list of before serves. */
const KEPT_MS = 5_000;
const MAX_KEPT_NODES = 64;
const TIMEOUT_MS = 10_000;
/** The uid that the runtime knows of a static pod is the hash of its config; the API knows its mirror by another. */
const MIRROR = "kubernetes.io/config.mirror";
const HASH = "kubernetes.io/config.hash";

const Pods = z.object({
  metadata: z.object({ continue: z.string().optional() }),
  items: z.array(z.object({ metadata: z.object({ uid: z.string(), annotations: z.record(z.string(), z.string()).optional() }) })),
});

/**
 * The pods that the API server binds to a node at this moment, by a list of its own rather than by the watch: what is removed on its
 * word cannot be brought back. Undefined, with the reason in the log, where it cannot be had or is cut off.
 */
export function podsOfNode(connection: Connection, clock: Clock, log: Log): (node: NodeName) => Promise<NodePods | undefined> {
  const kept = new Map<NodeName, NodePods>();
  return async (node) => {
    const before = kept.get(node);
    if (before !== undefined && Math.abs(clock.now() - before.atMs) < KEPT_MS) return before;
    const atMs = clock.now();
    try {
      const query = { fieldSelector: `spec.nodeName=${node}`, limit: MAX_NODE_PODS };
      const list = Pods.safeParse(await request(connection, { segments: ["api", "v1", "pods"], query, timeoutMs: TIMEOUT_MS }));
      if (!list.success || (list.data.metadata.continue ?? "") !== "") {
        log.warn({ node }, "the list of a node's pods is not whole: nothing is removed on its word");
        return undefined;
      }
      const uids = list.data.items.flatMap(({ metadata: { uid, annotations } }) => [uid, annotations?.[MIRROR], annotations?.[HASH]].filter((one) => one !== undefined && one !== ""));
      const pods = { atMs, uids: [...new Set(uids)].flatMap((uid) => uid ?? []) };
      kept.delete(node);
      kept.set(node, pods);
      for (const [oldest] of kept) if (kept.size > MAX_KEPT_NODES) kept.delete(oldest);
      return pods;
    } catch (err) {
      if (!(err instanceof KubeError)) throw err;
      log.warn({ err, node }, "the pods of a node could not be listed: nothing is removed until they can");
      return undefined;
    }
  };
}
