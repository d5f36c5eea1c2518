import { openIngest } from "../ingest";
import { openReader } from "../reader";
import { openState } from "../state";
import type { State } from "../state-types";
import type { Ingest, Reader } from "../types";
import { T0, tempStore } from "./temp-store";

/** A data file of its own, with the collector's half of the store and a reader open on it. */
export interface OpenStore {
  readonly store: ReturnType<typeof tempStore>;
  readonly ingest: Ingest;
  readonly reader: Reader;
}

export function openStore(): OpenStore {
  const store = tempStore();
  return { store, ingest: openIngest({ file: store.file, nowMs: T0 }), reader: openReader({ file: store.file }) };
}

/** With the web process's half besides. */
export function openWholeStore(): OpenStore & { readonly state: State } {
  const open = openStore();
  return { ...open, state: openState({ file: open.store.file }) };
}

/** Closes what is open by now, which a test may have opened anew, and takes the file away. */
export async function closeStore({ store, ingest, reader, state }: OpenStore & { readonly state?: State }): Promise<void> {
  await state?.close();
  reader.close();
  ingest.close();
  store.remove();
}
