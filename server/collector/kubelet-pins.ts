import type { Clock } from "../clock";
import type { KubeletPins } from "../sources/kubelet/tls";
import type { KubeletKey } from "../store/types";

/** How often it is looked whether a person accepted a key meanwhile. */
const KEYS_EVERY_MS = 10_000;

export interface KubeletPinsOptions {
  readonly clock: Clock;
  /** The keys as the store has them now, accepted ones included. */
  readonly storedKeys: () => ReadonlyMap<string, KubeletKey>;
  /** A key was seen first, another one is offered, or is no longer. */
  readonly onKey: (key: KubeletKey) => void;
}

/** The keys of kubelets between the connections that show them and the store, where people accept them. */
export function kubeletPins({ clock, storedKeys, onKey }: KubeletPinsOptions): KubeletPins {
  let keys = new Map(storedKeys());
  let readMs = clock.now();
  const put = (key: KubeletKey): void => {
    keys.set(key.node, key);
    onKey(key);
  };
  return {
    known: (node) => {
      if (Math.abs(clock.now() - readMs) > KEYS_EVERY_MS) {
        readMs = clock.now();
        keys = new Map([...keys, ...storedKeys()]);
      }
      return keys.get(node)?.sha256;
    },
    firstSeen: (node, sha256) => put({ node, sha256, seenMs: clock.now() }),
    shown: (node) => {
      const known = keys.get(node);
      if (known?.offeredSha256 === undefined) return;
      const { offeredSha256: _withdrawn, ...accepted } = known;
      put(accepted);
    },
    changed: (node, offeredSha256) => {
      const known = keys.get(node);
      if (known !== undefined && known.offeredSha256 !== offeredSha256) put({ ...known, offeredSha256 });
    },
  };
}
