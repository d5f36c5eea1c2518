import { z } from "zod";
import { parseGoDuration } from "@/server/domain/go-duration";
import { KubeletError } from "./failures";

/** Only what is used: `{"kubeletconfig":{"runtimeRequestTimeout":"2m0s", …}}`. */
const ConfigzSchema = z.object({ kubeletconfig: z.object({ runtimeRequestTimeout: z.string() }) });

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
