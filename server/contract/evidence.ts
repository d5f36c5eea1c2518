import { z } from "zod";
import { SOURCES } from "../domain/sources";

export const EvidenceSchema = z.object({
  what: z.string(),
  look: z.enum(["seen", "not-seen", "could-not-look"]),
  value: z.union([z.number(), z.string()]).optional(),
  unit: z.string().optional(),
  at: z.iso.datetime().optional(),
  source: z.enum(SOURCES),
  reason: z.string().optional(),
});

export type EvidenceOut = z.infer<typeof EvidenceSchema>;
