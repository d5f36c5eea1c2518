import { NO_KNOWN_DAEMON_SETS } from "../../domain/cluster-changes";
import type { Ingest } from "../../store/types";

/** A store that keeps nothing, for a collector whose observations are all that is wanted. */
export const nowhere = (): Ingest => ({
  write: () => ({ seq: 0, skippedSamples: 0 }),
  maintain: () => false,
  loadViews: () => [],
  loadDaemonSets: () => NO_KNOWN_DAEMON_SETS,
  loadIncidents: () => ({ items: [], lastId: 0, lastLookMs: undefined }),
  verifications: { unseen: () => [], seen: () => {}, giveUp: () => {}, due: () => [], record: () => {}, interrupt: () => 0 },
  exceptions: () => [],
  work: { waiting: () => [], taken: () => [], take: () => false, told: () => false, expire: () => 0 },
  kubeletKeys: () => new Map(),
  sizeBytes: () => undefined,
  close: () => {},
});
