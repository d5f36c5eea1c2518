import { NO_DIAGNOSIS } from "../domain/causes/types";
import type { NodeView } from "../domain/node-view";

/** A stored view. One written before there were causes has none: nothing is known of them until it is judged again. */
export function viewFromJson(json: string): NodeView {
  return { ...NO_DIAGNOSIS, ...(JSON.parse(json) as NodeView) }; // written by the ingest from a NodeView; the file's schema guards its shape
}
