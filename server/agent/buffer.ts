/**
 * Reports that wait for a server that is away. Bounded by age and by bytes; when it is full, every second report of the older
 * half goes, so that what is left still spans the whole time, only coarser the older it is.
 */
export interface Held {
  readonly atMs: number;
  readonly sequence: number;
  readonly body: Buffer;
}

export type LossReason = "too old" | "thinned";

export interface ReportBuffer {
  add(held: Held): void;
  /** The oldest, which is sent first. While it is on its way it may give way like any other, and counts as lost only if it does not arrive. */
  first(): Held | undefined;
  /** Takes one out again, after it was sent or refused. */
  remove(sequence: number): void;
  /** It could not be sent; it stays where there is room. */
  unsent(sequence: number): void;
  readonly length: number;
  readonly bytes: number;
}

export interface BufferLimits {
  readonly maxAgeMs: number;
  readonly maxBytes: number;
}

/** `lost` hears which reports went and why. */
export function reportBuffer(limits: BufferLimits, lost: (gone: readonly Held[], reason: LossReason) => void): ReportBuffer {
  let held: Held[] = [];
  let bytes = 0;
  let underWay: number | undefined;
  let gaveWay: { readonly one: Held; readonly reason: LossReason } | undefined;
  const keep = (kept: Held[], reason: LossReason): void => {
    const left = new Set(kept);
    const gone = held.filter((one) => !left.has(one));
    held = kept;
    bytes = kept.reduce((sum, one) => sum + one.body.length, 0);
    const onItsWay = gone.find(({ sequence }) => sequence === underWay);
    if (onItsWay !== undefined) gaveWay = { one: onItsWay, reason };
    const lostNow = gone.filter((one) => one !== onItsWay);
    if (lostNow.length > 0) lost(lostNow, reason);
  };
  const arrived = (): void => {
    underWay = undefined;
    gaveWay = undefined;
  };
  return {
    add: (one) => {
      held.push(one);
      bytes += one.body.length;
      const oldest = held[0];
      if (oldest !== undefined && one.atMs - oldest.atMs > limits.maxAgeMs) keep(held.filter((other) => one.atMs - other.atMs <= limits.maxAgeMs), "too old");
      while (bytes > limits.maxBytes && held.length > 1) keep(thin(held), "thinned");
    },
    first: () => {
      underWay = held[0]?.sequence;
      return held[0];
    },
    unsent: (sequence) => {
      if (gaveWay?.one.sequence === sequence) lost([gaveWay.one], gaveWay.reason);
      arrived();
    },
    remove: (sequence) => {
      arrived();
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
