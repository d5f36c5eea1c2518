import { z } from "zod";
import { KubeletError } from "./failures";

/** Only what is used: `{"kubeletconfig":{"runtimeRequestTimeout":"2m0s", …}}`. */
const ConfigzSchema = z.object({ kubeletconfig: z.object({ runtimeRequestTimeout: z.string() }) });

const UNIT_SECONDS: Readonly<Record<string, number>> = { ns: 1e-9, us: 1e-6, "µs": 1e-6, "μs": 1e-6, ms: 1e-3, s: 1, m: 60, h: 3600 };
const DURATION = /^(?:\d+(?:\.\d*)?(?:ns|us|µs|μs|ms|s|m|h))+$/;
const PART = /(\d+(?:\.\d*)?)(ns|us|µs|μs|ms|s|m|h)/g;

/** A duration as Go writes it, "2m0s" or "1h30m", in seconds; `undefined` where it is none, or negative. */
export function parseGoDuration(text: string): number | undefined {
  if (text === "0") return 0;
  if (!DURATION.test(text)) return undefined;
  return [...text.matchAll(PART)].reduce((sum, [, amount, unit]) => sum + Number(amount) * (UNIT_SECONDS[unit ?? ""] ?? NaN), 0);
}

/** The runtime request timeout from the text of `/configz`, in seconds. Throws KubeletError where it is not there. */
export function readRuntimeRequestTimeout(text: string): number {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new KubeletError("wrong content: /configz is not JSON", { cause: error });
  }
  const parsed = ConfigzSchema.safeParse(json);
  if (!parsed.success) throw new KubeletError("wrong content: /configz has no kubeletconfig.runtimeRequestTimeout", { cause: parsed.error });
  const seconds = parseGoDuration(parsed.data.kubeletconfig.runtimeRequestTimeout);
  if (seconds === undefined || seconds <= 0) throw new KubeletError(`wrong content: runtimeRequestTimeout is ${JSON.stringify(parsed.data.kubeletconfig.runtimeRequestTimeout.slice(0, 40))}`);
  return seconds;
}
