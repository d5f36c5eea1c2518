/** The objects of a scripted API server: a store with versions, a log to watch, and its past to be restored. */
export interface ApiObject {
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly uid?: string; resourceVersion?: string; readonly [field: string]: unknown };
  readonly [field: string]: unknown;
}
export interface Change {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly version: number;
  readonly resource: string;
  readonly object: ApiObject;
}

export class World {
  version = 100;
  /** Watches from before it get 410. */
  compacted = 0;
  readonly #stores = new Map<string, Map<string, ApiObject>>();
  #log: Change[] = [];
  readonly #listeners = new Set<(change: Change) => void>();

  put(resource: string, object: ApiObject): void {
    const store = this.#store(resource);
    const key = keyOf(object);
    const stored = { ...object, metadata: { ...object.metadata, resourceVersion: String(++this.version) } };
    const type = store.has(key) ? "MODIFIED" : "ADDED";
    store.set(key, stored);
    this.#tell({ type, version: this.version, resource, object: stored });
  }

  remove(resource: string, object: { readonly metadata: { readonly name: string; readonly namespace?: string } }): void {
    const store = this.#store(resource);
    const stored = store.get(keyOf(object));
    if (stored === undefined) return;
    store.delete(keyOf(object));
    this.version += 1;
    this.#tell({ type: "DELETED", version: this.version, resource, object: { ...stored, metadata: { ...stored.metadata, resourceVersion: String(this.version) } } });
  }

  objects(resource: string): readonly ApiObject[] {
    return [...this.#store(resource).values()].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  }

  since(resource: string, version: number): readonly Change[] {
    return this.#log.filter((change) => change.resource === resource && change.version > version);
  }

  /** Forgets the log: whoever wants to go on from an older version has to list. */
  compact(): void {
    this.compacted = this.version;
    this.#log = [];
  }

  snapshot(): { readonly version: number; readonly stores: ReadonlyMap<string, ReadonlyMap<string, ApiObject>> } {
    return { version: this.version, stores: new Map([...this.#stores].map(([resource, store]) => [resource, new Map(store)])) };
  }

  /** As an etcd restored from a backup: the objects and the versions of then. */
  restore(snapshot: ReturnType<World["snapshot"]>): void {
    this.version = snapshot.version;
    this.#stores.clear();
    for (const [resource, store] of snapshot.stores) this.#stores.set(resource, new Map(store));
    this.#log = this.#log.filter((change) => change.version <= snapshot.version);
  }

  onChange(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #store(resource: string): Map<string, ApiObject> {
    let store = this.#stores.get(resource);
    if (store === undefined) this.#stores.set(resource, (store = new Map()));
    return store;
  }

  #tell(change: Change): void {
    this.#log.push(change);
    for (const listener of this.#listeners) listener(change);
  }
}

export const keyOf = (object: { readonly metadata: { readonly name: string; readonly namespace?: string } }) => `${object.metadata.namespace ?? ""}/${object.metadata.name}`;
