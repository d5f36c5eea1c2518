/** A bound on how many things run at once. Those that wait are let in in the order in which they came. */
export interface Slots {
  /** Runs `enter` now or once there is room; the returned function takes it off the queue if it still waits. */
  request(enter: () => void): () => void;
  release(): void;
  readonly taken: number;
  readonly waiting: number;
}

export function createSlots(limit: number): Slots {
  let taken = 0;
  const queue = new Set<() => void>();
  return {
    request: (enter) => {
      if (taken < limit) {
        taken += 1;
        enter();
        return () => {};
      }
      const ticket = (): void => enter();
      queue.add(ticket);
      return () => void queue.delete(ticket);
    },
    release: () => {
      const [next] = queue;
      if (next === undefined) taken -= 1;
      else {
        queue.delete(next);
        next();
      }
    },
    get taken() {
      return taken;
    },
    get waiting() {
      return queue.size;
    },
  };
}
