import type { NodeAction } from "../../domain/actions/work-order";
import { moveBusyShimAside } from "./move-busy-shim-aside";
import { purgeDeadSandboxes } from "./purge-dead-sandboxes";
import { removeBrokenCacheEntry } from "./remove-broken-cache-entry";
import type { Doer } from "./types";

/** What this agent can do; an order for anything else is refused. */
export const DOERS: Readonly<Record<NodeAction, Doer>> = {
  "purge-dead-sandboxes": purgeDeadSandboxes,
  "move-busy-shim-aside": moveBusyShimAside,
  "remove-broken-cache-entry": removeBrokenCacheEntry,
};
