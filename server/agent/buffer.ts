/**
 * Reports that wait for a server that is away. Bounded by age and by bytes; when it is full, every second report of the older
 * half goes, so that what is left still spans the whole time, only coarser the older it is.
 */
export interface Held {
  readonly atMs: number;
  readonly sequence: number;
  readonly body: Buffer;
}

export interface ReportBuffer {
  add(held: Held): void;
  /** The oldest, which is sent first. */
  first(): Held | undefined;
  /** Takes one out again, after it was sent or refused. */
  remove(sequence: number): void;
  readonly length: number;
  readonly bytes: number;
}

export interface BufferLimits {
  readonly maxAgeMs: number;
  readonly maxBytes: number;
}

/** `lost` hears how many reports went and why. */
export function reportBuffer(limits: BufferLimits, lost: (count: number, reason: "too old" | "thinned") => void): ReportBuffer {
  let held: Held[] = [];
  let bytes = 0;
  const keep = (kept: Held[], reason: "too old" | "thinned"): void => {
    const count = held.length - kept.length;
    held = kept;
    bytes = kept.reduce((sum, one) => sum + one.body.length, 0);
    if (count > 0) lost(count, reason);
  };
  return {
    add: (one) => {
      held.push(one);
      bytes += one.body.length;
      const oldest = held[0];
      if (oldest !== undefined && one.atMs - oldest.atMs > limits.maxAgeMs) keep(held.filter((other) => one.atMs - other.atMs <= limits.maxAgeMs), "too old");
      while (bytes > limits.maxBytes && held.length > 1) keep(thin(held), "thinned");
    },
    first: () => held[0],
    remove: (sequence) => {
      const at = held.findIndex((one) => one.sequence === sequence);
      const gone = at < 0 ? undefined : held.splice(at, 1)[0];
      bytes -= gone?.body.length ?? 0;
    },
    get length() {
      return held.length;
    },
    get bytes() {
      return bytes;
    },
  };
}

const thin = (held: readonly Held[]): Held[] => {
  const half = Math.ceil(held.length / 2);
  return held.filter((_, index) => index >= half || index % 2 === 1);
};
