import { randomUUID } from "node:crypto";
import { AGENT_REPORT_VERSION, MAX_SOCKETS, type AgentReport, type SocketReading, type UnseenSocket } from "../domain/agent-report";
import type { Clock } from "../clock";
import type { Log } from "../log";
import { lookAtConfig, type ConfigLook } from "./config";
import { hostFs, reasonOf } from "./host-fs";
import type { AgentOptions } from "./options";
import { runtimeReader, type RuntimeLook } from "./runtime";
import { PROBE_TIMEOUT_MS, chooseTargets, lookAtSockets } from "./sockets";
import { AGENT_VERSION } from "./version";

export interface Reporter {
  report(): Promise<AgentReport>;
  close(): void;
}

/** For a part whose file calls hang (a dead network mount): the rest of the report does not wait for it. */
const PART_TIMEOUT_MS = 12_000;

export function createReporter(options: AgentOptions, clock: Clock, log: Log): Reporter {
  const fs = hostFs(options.hostRoot);
  const runtime = runtimeReader(fs, options.criSocket, log);
  const startId = randomUUID();
  const seenSockets = new Set<string>();
  const ending = new AbortController();
  const part = <T, F>(look: Promise<T>, instead: (reason: string) => F): Promise<T | F> => within(PART_TIMEOUT_MS, ending.signal, look, instead);
  let sequence = 0;
  let lastHints: RuntimeLook["hints"] = {};

  return {
    report: async () => {
      const atMs = clock.now();
      // The config waits for the runtime's word only the first time: a runtime that hangs must not hide it.
      const runtimePart = part(runtime.look(atMs), (reason): RuntimeLook => ({ runtime: { looked: false, reason }, sandboxes: { looked: false, reason }, hints: {} }));
      if (lastHints.name === undefined) lastHints = { ...lastHints, ...(await runtimePart).hints };
      const config = await part(
        lookAtConfig(fs, { binDirs: options.binDirs, ...(options.confDir === undefined ? {} : { confDir: options.confDir }), runtime: lastHints }),
        (reason): ConfigLook => ({ reading: { looked: false, reason }, sockets: [] }),
      );
      const sockets = await part(
        chooseTargets(fs, options.sockets, config.sockets, seenSockets).then((targets) => lookAtSockets(fs, targets, PROBE_TIMEOUT_MS, ending.signal)),
        (reason) => ({ reason }),
      );
      const { runtime: runtimeReading, sandboxes, socket, hints } = await runtimePart;
      lastHints = { ...lastHints, ...hints };
      sequence += 1;
      return {
        version: AGENT_REPORT_VERSION,
        node: options.node,
        startId,
        sequence,
        atMs,
        agentVersion: AGENT_VERSION,
        runtime: runtimeReading,
        sandboxes,
        sockets: "reason" in sockets ? { looked: false, reason: sockets.reason } : { looked: true, ...withRuntime(sockets, socket) },
        config: config.reading,
      };
    },
    close: () => {
      ending.abort();
      runtime.close();
    },
  };
}

function withRuntime(looks: { readonly items: readonly SocketReading[]; readonly unseen: readonly UnseenSocket[] }, socket: RuntimeLook["socket"]) {
  const items = socket !== undefined && "reading" in socket ? [socket.reading, ...looks.items] : looks.items;
  const unseen = socket !== undefined && "unseen" in socket ? [socket.unseen, ...looks.unseen] : looks.unseen;
  return { items: items.slice(0, MAX_SOCKETS), ...(unseen.length === 0 ? {} : { unseen: unseen.slice(0, MAX_SOCKETS) }) };
}

/** The part, or what stands for it when it fails, takes too long, or is not waited for any more. */
function within<T, F>(timeoutMs: number, signal: AbortSignal, look: Promise<T>, instead: (reason: string) => F): Promise<T | F> {
  return new Promise((resolve) => {
    const settle = (value: T | F): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", ended);
      resolve(value);
    };
    const ended = (): void => {
      settle(instead("the agent was told to end"));
    };
    const timer = setTimeout(() => {
      settle(instead(`no answer in ${String(timeoutMs / 1000)} s`));
    }, timeoutMs);
    signal.addEventListener("abort", ended);
    look.then(settle, (error: unknown) => {
      settle(instead(reasonOf(error)));
    });
  });
}
