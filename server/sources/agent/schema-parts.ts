import { z } from "zod";
import { MAX_END_UNIX_SECONDS, MAX_READING_NAME_CHARS, MAX_READING_TIME_MS } from "@/server/domain/agent-readings";
import { MAX_PATH_CHARS, MAX_TEXT_CHARS } from "@/server/domain/agent-report";

/** Pieces of which a report's schema is made; each has its bound. */
export const MAX_ID_CHARS = 128;
export const MAX_NAME_CHARS = MAX_READING_NAME_CHARS;

export const text = z.string().max(MAX_TEXT_CHARS);
export const name = z.string().max(MAX_NAME_CHARS);
export const givenName = z.string().min(1).max(MAX_NAME_CHARS);
export const path = z.string().max(MAX_PATH_CHARS);
export const id = z.string().max(MAX_ID_CHARS);
export const pluginType = z.string().min(1).max(MAX_ID_CHARS);
/** A time beyond it is a broken clock, and arithmetic with it would leave the safe integers. */
export const timeMs = z.number().int().min(0).max(MAX_READING_TIME_MS);
/** Beyond it nobody can write it as a date. */
export const endUnixSeconds = z.number().int().min(0).max(MAX_END_UNIX_SECONDS);
export const count = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);

/** Either a reading of this shape or the reason why there is none. */
export const looked = <T extends z.ZodRawShape>(shape: T) => z.discriminatedUnion("looked", [z.object({ looked: z.literal(true), ...shape }), z.object({ looked: z.literal(false), reason: text })]);
