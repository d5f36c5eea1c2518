import { z } from "zod";

/** What a service-account token says of itself. Nobody has checked it: it only spares questions that can have one answer. */
export interface AccountClaims {
  readonly subject: string;
  readonly audiences: readonly string[];
  readonly expiresMs: number;
}

const MAX_TOKEN_CHARS = 4_096;
const MAX_AUDIENCES = 16;
const PARTS = 3;
const Claims = z.object({ sub: z.string().max(512), aud: z.union([z.string().max(512), z.array(z.string().max(512)).max(MAX_AUDIENCES)]), exp: z.number().positive() });

/** Whether this is such a token at all, by its form; the tokens of files have no dot. */
export const looksLikeAccountToken = (token: string): boolean => token.length <= MAX_TOKEN_CHARS && token.split(".", PARTS + 1).length === PARTS;

/** The claims of a token of three parts; undefined where it is none. */
export function accountClaims(token: string): AccountClaims | undefined {
  if (!looksLikeAccountToken(token)) return undefined;
  try {
    const parsed = Claims.safeParse(JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8")));
    if (!parsed.success) return undefined;
    const { sub, aud, exp } = parsed.data;
    return { subject: sub, audiences: typeof aud === "string" ? [aud] : aud, expiresMs: exp * 1_000 };
  } catch {
    return undefined; // what a stranger sends need not be JSON
  }
}
