import type { PluginProcess } from "../agent-readings";
import { agentPart } from "./agent-part";
import type { CauseInput } from "./types";

/** A call of a plugin takes a second or two. */
export const SLOW_CALL_MS = 30_000;

export type LiveCalls = { readonly looked: true; /** Oldest first. */ readonly calls: readonly (PluginProcess & { readonly startedMs: number })[] } | { readonly looked: false; readonly reason: string };

/**
 * Processes of the plugins that the runtime itself calls: each is a call in flight. Those that a daemon runs in turn are not among them,
 * nor those whose age is not told.
 */
export function liveCalls(input: CauseInput): LiveCalls {
  const processes = agentPart(input, "processes");
  if (!processes.looked) return processes;
  const config = agentPart(input, "config");
  if (!config.looked) return config;
  const programs = new Set(config.reading.pluginTypes);
  const calls = processes.items.flatMap((one) => (programs.has(one.program) && one.startedMs !== undefined ? [{ ...one, startedMs: one.startedMs }] : []));
  return { looked: true, calls: calls.sort((a, b) => a.startedMs - b.startedMs) };
}

/** Calls in flight for at least so long. */
export const callsOlderThan = (calls: readonly (PluginProcess & { readonly startedMs: number })[], nowMs: number, ageMs: number): typeof calls => calls.filter(({ startedMs }) => nowMs - startedMs >= ageMs);
