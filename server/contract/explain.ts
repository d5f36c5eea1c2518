import { z } from "zod";
import { MESSAGE_CODES } from "../domain/causes/codes";
import { MAX_EXPLAINED_CHARS } from "../domain/messages/types";

const code = z.enum(MESSAGE_CODES);

/** What a text says. */
export const ExplanationSchema = z.object({
  cause: code,
  detail: z.string().optional(),
  /** The cause's name in words. */
  title: z.string(),
  plugin: z.string(),
  confidence: z.enum(["high", "medium", "low"]),
  because: z.array(z.object({ text: z.string(), says: z.string() })),
  lookAt: z.array(z.string()),
  fix: z.array(z.string()),
  docs: z.string(),
  /** Path of the cause's page here, where there is one. */
  page: z.string().optional(),
  facts: z.object({
    pluginType: z.string().optional(),
    binDirs: z.array(z.string()).optional(),
    network: z.string().optional(),
    socketPath: z.string().optional(),
    file: z.string().optional(),
    reservedFor: z.string().optional(),
  }),
  /** Who wrapped whose error, outermost first. */
  layers: z.array(z.object({ who: z.string(), text: z.string() })),
});

/** Texts of one list that mean the same. */
export const ExplainedGroupSchema = ExplanationSchema.extend({
  text: z.string(),
  reasons: z.array(z.string()),
  about: z.array(z.string()),
  texts: z.number().int(),
  count: z.number().int(),
});

/** The answer of the text as a whole, and one for each of the things that its records say. */
export const ExplainedTextSchema = ExplanationSchema.extend({
  /** `list`: Kubernetes objects as kubectl prints them; `log`: several records; `text`: one. */
  kind: z.enum(["text", "log", "list"]),
  messages: z.array(ExplainedGroupSchema),
  leftOut: z.number().int(),
});

export const ExplainBodySchema = z.object({
  text: z.string().superRefine((text, ctx) => {
    if (text.trim() === "") ctx.addIssue({ code: "custom", message: "is empty: send the text of an event, a log line, or what kubectl get events -o json prints" });
    if (text.length > MAX_EXPLAINED_CHARS) ctx.addIssue({ code: "custom", message: `has ${String(text.length)} characters: it may have at most ${String(MAX_EXPLAINED_CHARS)}` });
  }),
});

export type ExplanationOut = z.infer<typeof ExplanationSchema>;
export type ExplainedGroup = z.infer<typeof ExplainedGroupSchema>;
export type ExplainedText = z.infer<typeof ExplainedTextSchema>;
