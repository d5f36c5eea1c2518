import { parseArgs } from "node:util";
import { z } from "zod";
import { ConfigError, serveConfig, type Environment, type ServeConfig } from "../config";

export interface RecordOptions {
  readonly out: string;
  readonly minutes: number;
  readonly maxMib: number;
  readonly pastMinutes: number;
  readonly serve: ServeConfig;
}

const OWN = { out: { type: "string" }, minutes: { type: "string" }, "max-mib": { type: "string" }, "past-minutes": { type: "string" } } as const;
/** Options of `serve` that mean nothing here. */
const NOT_HERE = ["port", "metrics-port", "allow-actions"];

export const MAX_MINUTES = 1_440;
export const MAX_MIB = 65_536;
export const MAX_PAST_MINUTES = 120;

const whole = (name: string, min: number, max: number) =>
  z.string().transform((text, context) => {
    const value = Number(text);
    if (/^\d{1,9}$/.test(text) && value >= min && value <= max) return value;
    context.addIssue({ code: "custom", message: `${name} is "${text}": it must be a whole number from ${min} to ${max}` });
    return z.NEVER;
  });
const Own = z.object({
  out: z.string({ error: "Name the file to record to with --out FILE" }).min(1, "Name the file to record to with --out FILE"),
  minutes: whole("--minutes", 1, MAX_MINUTES),
  maxMib: whole("--max-mib", 1, MAX_MIB),
  pastMinutes: whole("--past-minutes", 0, MAX_PAST_MINUTES),
});

/** Options of `record`: its own, and of `serve` those that say which cluster and how it is reached. Throws ConfigError with one sentence per fault. */
export function recordOptions(args: readonly string[], env: Environment): RecordOptions {
  const own: Record<string, string> = {};
  const rest: string[] = [];
  // Not strict: what is not known here is looked at by `serveConfig`, which refuses it with its own words.
  for (const token of parseArgs({ args: [...args], options: OWN, strict: false, allowPositionals: true, tokens: true }).tokens) {
    if (token.kind === "option" && Object.hasOwn(OWN, token.name)) own[token.name] = token.value ?? "";
    else if (token.kind === "option") {
      if (NOT_HERE.includes(token.name)) throw new ConfigError(`${token.rawName} means nothing for a recording: nothing is served or changed.`);
      rest.push(token.value === undefined ? token.rawName : `${token.rawName}=${token.value}`);
    } else if (token.kind === "positional") rest.push(token.value);
  }
  const parsed = Own.safeParse({ out: own["out"], minutes: own["minutes"] ?? "30", maxMib: own["max-mib"] ?? "512", pastMinutes: own["past-minutes"] ?? "0" });
  if (!parsed.success) throw new ConfigError(`${parsed.error.issues.map(({ message }) => message).join("; ")}.`);
  const serve = serveConfig(rest, env);
  if (parsed.data.pastMinutes > 0 && !serve.simulate) throw new ConfigError("--past-minutes is for a simulated cluster: nobody can tell the past of a real one. Leave it away, or add --simulate.");
  return { ...parsed.data, serve };
}
