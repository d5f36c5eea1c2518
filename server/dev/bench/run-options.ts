import { z } from "zod";

/** What bench.mjs found out and hands over; it has checked the limits. */
export const BenchOptions = z.object({
  nodes: z.number().int().positive(),
  agents: z.number().int().positive(),
  minutes: z.number().positive(),
  hours: z.number().positive(),
  only: z.array(z.enum(["start", "collector", "store", "ui", "agents", "agent"])).readonly(),
  writeDocs: z.boolean(),
  /** What makes the same figures again. */
  command: z.string(),
  json: z.string().optional(),
  /** The checkout. */
  root: z.string(),
  /** An empty folder that goes away with the run. */
  scratch: z.string(),
  loadBefore: z.array(z.number()).readonly(),
  /** Absent: there is none here, or it is not needed. */
  chromium: z.string().optional(),
});
export type BenchOptions = z.infer<typeof BenchOptions>;
