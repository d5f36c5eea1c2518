import { randomUUID } from "node:crypto";
import { AGENT_REPORT_VERSION, MAX_SOCKETS, type AgentReport, type LostReports, type PushAnswer, type SocketReading, type UnseenSocket } from "../domain/agent-report";
import type { Clock } from "../clock";
import type { Log } from "../log";
import { lookAtConfig, type ConfigLook } from "./config";
import { isOlder } from "./conf/config-files";
import { confDirReader } from "./conf/read-dir";
import { hostFs } from "./host-fs";
import { laterReader } from "./later";
import type { AgentOptions } from "./options";
import { partRunner } from "./parts";
import { blindLook, runtimeReader, type RuntimeLook } from "./runtime";
import { PROBE_TIMEOUT_MS, chooseTargets, lookAtSockets } from "./sockets";
import { AGENT_VERSION } from "./version";

export interface Reporter {
  report(): Promise<AgentReport>;
  /** What the server answered to a report: what it wants to be looked at in the next ones. */
  told(answer: PushAnswer): void;
  /** The newest one; undefined before the first. */
  last(): AgentReport | undefined;
  /** Path on this side of the runtime's socket, as far as it was found. */
  criSocketHere(): string | undefined;
  close(): void;
}

/** For a part whose file calls hang (a dead network mount): the rest of the report does not wait for it. */
const PART_TIMEOUT_MS = 12_000;

/** `lost`: what was given up so far; absent where nothing is kept to be sent later. */
export function createReporter(options: AgentOptions, clock: Clock, log: Log, lost?: () => LostReports): Reporter {
  const fs = hostFs(options.hostRoot);
  const runtime = runtimeReader(fs, options.criSocket, log);
  const confDir = confDirReader(fs);
  const startId = randomUUID();
  const seenSockets = new Set<string>();
  const ending = new AbortController();
  const part = partRunner(PART_TIMEOUT_MS, ending.signal);
  const later = laterReader(fs, part, { hostRoot: options.hostRoot, clock, once: options.mode === "once" });
  let sequence = 0;
  let last: AgentReport | undefined;
  let lastHints: RuntimeLook["hints"] = {};
  // Whether the runtime has loaded a file that was just written is known only when it is asked again.
  let askWhole = false;

  return {
    report: async () => {
      const atMs = clock.now();
      // The config waits for the runtime's word only the first time: a runtime that hangs must not hide it.
      const runtimePart = part("runtime", () => runtime.look(atMs, { whole: askWhole }), blindLook);
      if (lastHints.name === undefined) lastHints = { ...lastHints, ...(await runtimePart).hints };
      const config = await part(
        "config",
        () => lookAtConfig(fs, { binDirs: options.binDirs, ...(options.confDir === undefined ? {} : { confDir: options.confDir }), runtime: lastHints }, confDir),
        (reason): ConfigLook => ({ reading: { looked: false, reason }, sockets: [] }),
      );
      const sockets = await part(
        "sockets",
        async () => lookAtSockets(fs, await chooseTargets(fs, options.sockets, config.sockets, seenSockets), PROBE_TIMEOUT_MS, ending.signal),
        (reason) => ({ reason }),
      );
      const runtimeLook = await runtimePart;
      const { runtime: runtimeReading, sandboxes, socket, hints } = runtimeLook;
      lastHints = { ...lastHints, ...hints };
      askWhole = runtimeLook.loaded !== undefined && isOlder(runtimeLook.loaded, config.dir?.files.find(({ name }) => name === config.dir?.effectiveFile));
      const laterParts = await later.look({ atMs, config, runtime: runtimeLook, sockets: "reason" in sockets ? { looked: false, reason: sockets.reason } : { looked: true, paths: sockets.items.map(({ path }) => path) } });
      sequence += 1;
      last = {
        version: AGENT_REPORT_VERSION,
        node: options.node,
        startId,
        sequence,
        atMs,
        agentVersion: AGENT_VERSION,
        ...(options.work === undefined ? {} : { actions: options.work.actions }),
        ...(lost === undefined ? {} : { lostReports: lost() }),
        runtime: runtimeReading,
        sandboxes,
        sockets: "reason" in sockets ? { looked: false, reason: sockets.reason } : { looked: true, ...withRuntime(sockets, socket) },
        config: config.reading,
        ...laterParts,
      };
      return last;
    },
    told: (answer) => {
      later.told(answer);
    },
    last: () => last,
    criSocketHere: () => runtime.socketHere(),
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
