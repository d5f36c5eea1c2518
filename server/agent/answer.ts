import { z } from "zod";
import { MAX_CNI_DAEMON_SETS, MAX_NAD_PLUGIN_TYPES, MAX_TOLD_PERIOD_SECONDS, MIN_TOLD_PERIOD_SECONDS, type PushAnswer } from "../domain/agent-report";
import { isPluginType } from "./conflist";

/**
 * What the server answered to a push, held to its bounds. A name that cannot be a plugin's leads nowhere: it would be made
 * part of a path. Parts that make no sense are left out by themselves, so that a later server's answer still serves.
 */
const Answer = z.object({
  version: z.number().int(),
  nadPluginTypes: z.array(z.unknown()).optional().catch(undefined),
  cniDaemonSets: z.array(z.unknown()).optional().catch(undefined),
  periodSeconds: z.number().min(MIN_TOLD_PERIOD_SECONDS).max(MAX_TOLD_PERIOD_SECONDS).optional().catch(undefined),
  orders: z.boolean().optional().catch(undefined),
});
const DAEMON_SET = /^[a-z0-9-]{1,63}\/[a-z0-9.-]{1,253}$/;

/** Undefined where the text is no answer of a server that knows more than taking reports. */
export function parseAnswer(text: string): PushAnswer | undefined {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return undefined; // a proxy's page, or a server that says nothing
  }
  const parsed = Answer.safeParse(json);
  if (!parsed.success) return undefined;
  const { version, nadPluginTypes, cniDaemonSets, periodSeconds, orders } = parsed.data;
  return {
    version,
    ...(nadPluginTypes === undefined ? {} : { nadPluginTypes: texts(nadPluginTypes, isPluginType).slice(0, MAX_NAD_PLUGIN_TYPES) }),
    ...(cniDaemonSets === undefined ? {} : { cniDaemonSets: texts(cniDaemonSets, (one) => DAEMON_SET.test(one)).slice(0, MAX_CNI_DAEMON_SETS) }),
    ...(periodSeconds === undefined ? {} : { periodSeconds }),
    ...(orders === undefined ? {} : { orders }),
  };
}

const texts = (values: readonly unknown[], valid: (text: string) => boolean): readonly string[] => values.filter((value): value is string => typeof value === "string" && valid(value));
