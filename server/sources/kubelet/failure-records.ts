import { systemClock, type Clock } from "../../clock";
import type { Log } from "../../log";

/** What stops every node alike (a missing right, a certificate) is one record, and in this time, real time, how many more it stopped is another. */
const GATHERED_MS = 20_000;
/** Reasons that are gathered at once; what comes beyond is one more, without its words. */
const MAX_REASONS = 64;
const BEYOND = "various reasons";

export interface Failed {
  readonly node: string;
  readonly page: string;
  readonly reason: string;
  readonly cause?: unknown;
}

export interface FailureRecords {
  tell(failed: Failed): void;
  stop(): void;
}

/** Records of pages that turned from read to not read: the first node of a reason by name, the others as a count. */
export function createFailureRecords(log: Log, clock: Pick<Clock, "after"> = systemClock): FailureRecords {
  const gathering = new Map<string, { more: number; readonly cancel: () => void }>();

  const flush = (key: string, page: string, reason: string): void => {
    const more = gathering.get(key)?.more ?? 0;
    gathering.delete(key);
    if (more > 0) log.warn({ page, reason, nodes: more }, "kubelet page not read on more nodes");
  };

  return {
    tell: ({ node, page, reason, cause }) => {
      const kept = gathering.has(`${page} ${reason}`) || gathering.size < MAX_REASONS ? reason : BEYOND;
      const key = `${page} ${kept}`;
      const known = gathering.get(key);
      if (known !== undefined) {
        known.more += 1;
        log.debug({ node, page, reason }, "kubelet page not read");
        return;
      }
      log.warn({ node, page, reason, err: cause }, "kubelet page not read");
      gathering.set(key, { more: 0, cancel: clock.after(GATHERED_MS, () => flush(key, page, kept)) });
    },
    stop: () => {
      for (const { cancel } of gathering.values()) cancel();
      gathering.clear();
    },
  };
}
