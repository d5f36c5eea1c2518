import { z } from "zod";
import { CAUSE_CODES } from "../domain/causes/codes";
import { EvidenceSchema } from "./evidence";
import { written } from "./written";

const time = z.iso.datetime();
const code = z.enum(CAUSE_CODES as [(typeof CAUSE_CODES)[number], ...(typeof CAUSE_CODES)[number][]]); // the list is not empty
const certainty = z.enum(["named", "suspected"]);
const severity = z.enum(["blocks", "risks", "notice"]);

/** A firing cause as a list of nodes shows it. */
export const CauseBriefSchema = z.object({ code, detail: z.string().optional(), title: z.string(), certainty, severity, since: time, summary: z.string() });

/** `subjects`: what it is about, where that may be accepted as it is. */
const FiringSchema = CauseBriefSchema.extend({ evidence: z.array(EvidenceSchema), pods: z.array(z.string()), subjects: z.array(z.string()) });

/** What a person accepted as it is, with who, when and why. */
export const CauseExceptionSchema = z.object({ code, subject: z.string(), reason: z.string(), by: z.string(), at: time });
export const CauseExceptionsSchema = z.object({ items: z.array(CauseExceptionSchema) });

/** The same with its evidence, what it brings about, and what is known of it. */
export const CauseSchema = FiringSchema.extend({
  meaning: z.string(),
  impact: z.string(),
  checks: z.array(z.string()),
  lookAlikes: z.array(z.object({ code, title: z.string(), tells: z.string() })),
  mitigation: z.array(z.string()),
  actions: z.array(z.string()),
  docs: z.string(),
  consequences: z.array(FiringSchema),
});

export const DiagnosisSchema = z.object({
  causes: z.array(CauseSchema),
  /** Causes that could not be looked for, by the reason. */
  unknown: z.array(z.object({ reason: z.string(), causes: z.array(z.object({ code, title: z.string() })) })),
  /** What would fire on this node, were it not accepted. */
  accepted: z.array(CauseExceptionSchema.extend({ title: z.string() })),
  /** Fired when they were last seen, and cannot be looked for now. */
  suspended: z.array(z.object({ code, detail: z.string().optional(), title: z.string(), since: time, reason: z.string() })),
});

/** What is known of a cause, whatever any cluster does. */
export const CauseKnowledgeSchema = z.object({
  code,
  title: z.string(),
  severity,
  meaning: z.string(),
  impact: z.string(),
  checks: z.array(z.string()),
  lookAlikes: z.array(z.object({ code, title: z.string(), tells: z.string() })),
  mitigation: z.array(z.string()),
  actions: z.array(z.string()),
  /** Of what a person may say that it is right as it is: "a system daemon". */
  accepts: z.string().optional(),
  bringsAbout: z.array(z.object({ code, title: z.string() })),
  docs: z.string(),
});
export const CauseKnowledgeListSchema = z.object({ causes: z.array(CauseKnowledgeSchema) });

export const MAX_REASON_CHARS = 1_000;
const subject = z.string().max(600).regex(/^[^/\s\p{C}]{1,253}\/[^/\s\p{C}]{1,253}$/u, "must be a namespace and a name: kube-system/csi-node");
export const AcceptExceptionBodySchema = z.strictObject({ subject, reason: written(MAX_REASON_CHARS) });
export const WithdrawExceptionBodySchema = z.strictObject({ subject });
export const WithdrawnExceptionSchema = z.object({ code, subject: z.string() });

export type CauseException = z.infer<typeof CauseExceptionSchema>;
export type CauseExceptions = z.infer<typeof CauseExceptionsSchema>;
export type WithdrawnException = z.infer<typeof WithdrawnExceptionSchema>;
export type CauseKnowledge = z.infer<typeof CauseKnowledgeSchema>;
export type CauseBrief = z.infer<typeof CauseBriefSchema>;
export type CauseOut = z.infer<typeof CauseSchema>;
export type DiagnosisOut = z.infer<typeof DiagnosisSchema>;
