import { clockOf, type Clock } from "../clock";
import { processEnvironment, systemUser, webConfig, type WebConfig } from "../config";
import type { Actor } from "../domain/permit";
import { createLog, WEB_LOG_FD, type Log } from "../log";
import { openReader } from "../store/reader";
import { openState } from "../store/state";
import type { State } from "../store/state-types";
import type { Reader } from "../store/types";
import { OpenRuns } from "../services/actions/open-runs";
import { honestReader } from "../services/honest-reader";
import type { ClusterPort } from "../services/cluster-port";
import { createClusterPort } from "./cluster";
import { hearUnwritten, unwrittenStatus } from "./unwritten";
import { createStreamHub, type StreamHub } from "./stream";

/** What the web process has one of. Next gives routes and pages their own copies of a module, so it hangs on globalThis. */
export interface WebRuntime {
  readonly config: WebConfig;
  readonly clock: Clock;
  readonly log: Log;
  readonly reader: Reader;
  readonly actor: Actor;
  readonly hub: StreamHub;
  readonly state: State;
  readonly cluster: ClusterPort;
  readonly openRuns: OpenRuns;
}

const KEY = Symbol.for("sandglass.web-runtime");
const holder = globalThis as { [KEY]?: WebRuntime };

export function webRuntime(): WebRuntime {
  holder[KEY] ??= createRuntime(webConfig(processEnvironment()));
  return holder[KEY];
}

/** For tests that call route handlers without a server. */
export function setWebRuntime(runtime: WebRuntime): void {
  holder[KEY] = runtime;
}

function createRuntime(config: WebConfig): WebRuntime {
  const log = createLog(config.logLevel, "web", WEB_LOG_FD);
  const clock = clockOf(config.clock);
  const reader = honestReader(openReader({ file: config.file }), clock, unwrittenStatus);
  const hub = createStreamHub({ reader, clock, log, version: config.version, actionsAllowed: config.actionsAllowed });
  process.on("message", (message: unknown) => {
    const type = typeof message === "object" && message !== null && "type" in message ? message.type : undefined;
    if (type === "changed") hub.notify();
    if (hearUnwritten(message)) hub.statusChanged();
    // Next waits for open streams to end, so they are ended before it is asked to stop.
    if (type === "stop") hub.close();
  });
  process.once("SIGTERM", () => hub.close());
  const env = processEnvironment();
  const state = openState({ file: config.file });
  return { config, clock, log, reader, hub, state, openRuns: new OpenRuns(state, log), cluster: createClusterPort(config.cluster, env), actor: { kind: "local", systemUser: systemUser() } };
}
