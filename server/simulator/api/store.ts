import type { KubeObject } from "../objects/json";
import { gone } from "./status";

/** Changes that are kept of each kind, for watches that come back; older ones answer 410. */
export const MAX_HISTORY = 5_000;
const FIRST_VERSION = 1_000;

export interface Change {
  readonly version: number;
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly object: KubeObject;
  /** Before a modification: a selector may have matched then and not now. */
  readonly before?: KubeObject;
}

export type Listener = (change: Change) => void;

interface Collection {
  readonly objects: Map<string, KubeObject>;
  readonly history: Change[];
  /** Version of the newest change that was let go. */
  forgotten: number;
  sorted: readonly KubeObject[] | undefined;
  readonly listeners: Set<Listener>;
}

export const objectKey = (namespace: string | undefined, name: string): string => (namespace === undefined ? name : `${namespace}/${name}`);

/** All objects by kind, with one version counter for the whole, as etcd has it. Single-threaded, so every call is whole. */
export class ObjectStore {
  private version = FIRST_VERSION;
  private readonly collections = new Map<string, Collection>();

  get currentVersion(): number {
    return this.version;
  }

  get(resource: string, key: string): KubeObject | undefined {
    return this.collection(resource).objects.get(key);
  }

  /** In the order of their keys, as they stand now; a new array after each change, so a page may be kept. */
  list(resource: string): readonly KubeObject[] {
    const collection = this.collection(resource);
    collection.sorted ??= [...collection.objects].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object);
    return collection.sorted;
  }

  /** Adds or replaces; what comes back carries its new version. An object that did not change keeps its old one. */
  put(resource: string, object: KubeObject): KubeObject {
    const collection = this.collection(resource);
    const key = objectKey(object.metadata.namespace, object.metadata.name);
    const before = collection.objects.get(key);
    if (before !== undefined && sameBut(before, object)) return before;
    const version = ++this.version;
    const stored: KubeObject = { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } };
    collection.objects.set(key, stored);
    this.tell(collection, before === undefined ? { version, type: "ADDED", object: stored } : { version, type: "MODIFIED", object: stored, before });
    return stored;
  }

  remove(resource: string, key: string): KubeObject | undefined {
    const collection = this.collection(resource);
    const before = collection.objects.get(key);
    if (before === undefined) return undefined;
    const version = ++this.version;
    collection.objects.delete(key);
    const object: KubeObject = { ...before, metadata: { ...before.metadata, resourceVersion: String(version) } };
    this.tell(collection, { version, type: "DELETED", object });
    return object;
  }

  /** Changes after `version`; throws 410 where some of them are no longer known. */
  since(resource: string, version: number): readonly Change[] {
    const collection = this.collection(resource);
    if (version < collection.forgotten) throw gone(String(version), collection.forgotten);
    return collection.history.filter((change) => change.version > version);
  }

  listen(resource: string, listener: Listener): () => void {
    const { listeners } = this.collection(resource);
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  /** As after a compaction: watches from before now get 410. */
  forgetHistory(): void {
    for (const collection of this.collections.values()) {
      collection.history.length = 0;
      collection.forgotten = this.version;
    }
  }

  private tell(collection: Collection, change: Change): void {
    collection.sorted = undefined;
    collection.history.push(change);
    if (collection.history.length > MAX_HISTORY) {
      // A tenth at once: dropping one by one would move the whole array each time.
      const dropped = collection.history.splice(0, MAX_HISTORY / 10);
      collection.forgotten = dropped.at(-1)?.version ?? collection.forgotten;
    }
    for (const listener of collection.listeners) listener(change);
  }

  private collection(resource: string): Collection {
    let found = this.collections.get(resource);
    if (found === undefined) {
      found = { objects: new Map(), history: [], forgotten: 0, sorted: undefined, listeners: new Set() };
      this.collections.set(resource, found);
    }
    return found;
  }
}

function sameBut(before: KubeObject, after: KubeObject): boolean {
  const { resourceVersion: _, ...metadata } = before.metadata;
  const { resourceVersion: __, ...next } = after.metadata;
  return JSON.stringify({ ...before, metadata }) === JSON.stringify({ ...after, metadata: next });
}
