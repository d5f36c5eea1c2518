import type { NodeAction } from "../../domain/actions/work-order";
import { purgeDeadSandboxes } from "./purge-dead-sandboxes";
import { removeBrokenCacheEntry } from "./remove-broken-cache-entry";
import type { Doer } from "./types";

/** What this agent can do; an order for anything else is refused. */
export const DOERS: Readonly<Partial<Record<NodeAction, Doer>>> = {
  "purge-dead-sandboxes": purgeDeadSandboxes,
  "remove-broken-cache-entry": removeBrokenCacheEntry,
};
