import { createHash } from "node:crypto";

/** A fixed place of a name within a period, so that a fleet's requests lie evenly over it and stay where they are after a restart. */
export function offsetMs(name: string, periodMs: number): number {
  const word = createHash("sha256").update(name).digest().readUInt32BE(0);
  return Math.floor((word / 2 ** 32) * periodMs);
}

/** The first moment after `nowMs` that lies at `offset` within a period. */
export function nextDueMs(nowMs: number, offset: number, periodMs: number): number {
  const due = Math.floor((nowMs - offset) / periodMs) * periodMs + offset;
  return due > nowMs ? due : due + periodMs;
}
