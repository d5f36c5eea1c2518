import { fork, type ChildProcess, type StdioOptions } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { Clock } from "../clock";
import { ConfigError, WEB_VARIABLE, type Environment } from "../config";
import type { UnwrittenMessage } from "../http/unwritten";
import { WEB_LOG_FD, type Log } from "../log";
import { cleanText } from "../sources/kube-api/text";
import type { CollectorStatus } from "../store/types";
import { recordForeignText } from "./foreign-text";

/** How long pages may take to come up before the start counts as failed. */
const START_TIMEOUT_MS = 60_000;
const HEALTH_POLL_MS = 100;
/** Streams end at once; this is for a request in flight. */
const STOP_TIMEOUT_MS = 4_000;
const MAX_RESTARTS_PER_MINUTE = 5;
const RESTART_DELAY_MS = 500;
/** How long an end waits for the last lines of a process that is gone. */
const LAST_LINES_MS = 1_000;
const MAX_TOLD_CHARS = 200;

export interface WebChild {
  /** The collector wrote something. */
  notify(): void;
  /** The collector's status, which the store does not take; nothing: it takes everything again. */
  tellUnwritten(status: CollectorStatus | undefined): void;
  stop(): Promise<void>;
  /** Settles when the pages cannot be kept up. */
  readonly failed: Promise<Error>;
}

/** Throws a sentence where the port cannot be had, before anything else is started. */
export async function requireFreePort(port: number, host: string): Promise<void> {
  if (port === 0) return;
  const probe = createServer();
  try {
    probe.listen(port, host);
    await once(probe, "listening");
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    if (code === "EADDRINUSE") throw new ConfigError(`Port ${port} is in use. Stop what holds it, or choose another with --port.`, { cause });
    if (code === "EACCES") throw new ConfigError(`Port ${port} may not be opened by this user. Choose one above 1023 with --port.`, { cause });
    throw new ConfigError(`Port ${port} cannot be opened on ${host} (${code ?? "unknown reason"}).`, { cause });
  } finally {
    probe.close();
  }
}

export async function startWebChild(options: {
  readonly root: string;
  /** `web-preload.ts` as it was built. */
  readonly preload: string;
  readonly host: string;
  readonly port: number;
  readonly encodedConfig: string;
  readonly env: Environment;
  readonly clock: Clock;
  readonly log: Log;
  /** The web process ended by itself: what it had begun for a person is not carried on by the next one. */
  readonly onEnded: () => void;
  /** Aborted when the product is told to stop, which may be before the pages are up. */
  readonly signal: AbortSignal;
}): Promise<WebChild> {
  let child: ChildProcess | undefined;
  let telling: ChildProcess | undefined;
  let stopping = false;
  let restarts: number[] = [];
  let lastLines: Promise<void> = Promise.resolve();
  let fail: (error: Error) => void = () => {};
  const failed = new Promise<Error>((resolve) => {
    fail = resolve;
  });

  const start = (): ChildProcess => {
    const started = fork(path.join(options.root, ".next/standalone/server.js"), [], {
      cwd: path.join(options.root, ".next/standalone"),
      execArgv: ["--import", pathToFileURL(options.preload).href],
      env: {
        // Whole: actions find the cluster and its credential plugins by the same variables as the collector.
        ...options.env,
        NODE_ENV: "production",
        NEXT_TELEMETRY_DISABLED: "1",
        HOSTNAME: options.host,
        PORT: String(options.port),
        TZ: "UTC",
        [WEB_VARIABLE]: options.encodedConfig,
      },
      stdio: stdioOfChild(),
    });
    started.stdout?.resume(); // Next's own "ready" lines
    if (started.stderr !== null) lastLines = recordForeignText(started.stderr, options.clock, options.log);
    started.on("error", (err) => options.log.error({ err }, "web process"));
    started.on("message", (message) => tellOfOtherHost(message, options.log));
    started.on("exit", (code, signal) => {
      if (stopping || options.signal.aborted || started !== child) return; // a signal to the whole group may end it first
      options.onEnded();
      const nowMs = options.clock.now();
      restarts = [...restarts.filter((ms) => nowMs - ms < 60_000), nowMs];
      if (restarts.length > MAX_RESTARTS_PER_MINUTE) {
        fail(new Error(`The web process ended ${restarts.length} times within a minute (last: ${signal ?? `exit code ${code}`}).`));
        return;
      }
      options.log.warn({ code, signal }, "web process ended; starting it again");
      setTimeout(() => {
        if (!stopping && !options.signal.aborted) child = start();
      }, RESTART_DELAY_MS);
    });
    return started;
  };

  const stop = async (): Promise<void> => {
    stopping = true;
    const last = child;
    if (last === undefined || last.exitCode !== null || last.signalCode !== null) return;
    const ended = once(last, "exit");
    tell(last, { type: "stop" });
    last.kill("SIGTERM");
    const timer = setTimeout(() => last.kill("SIGKILL"), STOP_TIMEOUT_MS);
    await ended;
    clearTimeout(timer);
  };

  child = start();
  try {
    await waitForPages(`http://${options.host}:${options.port}/healthz`, child, options.signal);
  } catch (error) {
    await stop(); // or one that is started again would stay behind with the port
    await Promise.race([lastLines, new Promise((resolve) => setTimeout(resolve, LAST_LINES_MS))]); // the error is told below them
    throw error;
  }
  return {
    failed,
    notify: () => {
      if (child !== undefined) tell(child, { type: "changed" });
    },
    tellUnwritten: (status) => {
      const message: UnwrittenMessage = { type: "unwritten", ...(status === undefined ? {} : { status }) };
      // One at a time to a child that hangs; the word that it is over goes out in any case.
      if (child?.connected !== true || (child === telling && status !== undefined)) return;
      const told = child;
      telling = told;
      told.send(message, (err) => {
        if (telling === told) telling = undefined;
        if (err !== null) options.log.debug({ err }, "the web process was not told of the store; the next tick tells it again");
      });
    },
    stop,
  };
}

async function waitForPages(url: string, child: ChildProcess, stopped: AbortSignal): Promise<void> {
  const deadline = AbortSignal.timeout(START_TIMEOUT_MS);
  while (!deadline.aborted) {
    if (stopped.aborted) throw new Error("Told to stop while the pages were starting.");
    if (child.exitCode !== null) throw new Error(`The web process ended with exit code ${child.exitCode} while starting; its own lines are above.`);
    try {
      const answer = await fetch(url, { signal: AbortSignal.timeout(2_000) });
      await answer.body?.cancel();
      if (answer.ok) return;
    } catch {
      // not listening yet: that is what this loop waits for
    }
    await new Promise((resolve) => setTimeout(resolve, HEALTH_POLL_MS));
  }
  throw new Error(`The pages did not come up within ${START_TIMEOUT_MS / 1_000} s.`);
}

/** One that is gone, or goes just now, is told nothing; its "exit" says what there is to say. */
function tell(child: ChildProcess, message: { readonly type: "stop" | "changed" }): void {
  if (child.connected) child.send(message, () => {}); // without the callback a failure would be an "error" of the process
}

/** Its own records go where the collector's go; what Next prints does not. */
function stdioOfChild(): StdioOptions {
  const stdio: Exclude<StdioOptions, string> = ["ignore", "pipe", "pipe", "ipc"];
  stdio[WEB_LOG_FD] = 2;
  return stdio;
}

/** `web-preload.ts` says once a minute at most that it refused requests by another host's name. */
function tellOfOtherHost(message: unknown, log: Log): void {
  if (typeof message !== "object" || message === null || !("type" in message) || message.type !== "other-host") return;
  const { host, method, url, untold } = message as { readonly host?: unknown; readonly method?: unknown; readonly url?: unknown; readonly untold?: unknown };
  const told = (value: unknown): string => cleanText(String(value), MAX_TOLD_CHARS);
  log.warn({ host: told(host), method: told(method), url: told(url), untoldBefore: Number(untold) }, "a request by another host's name was refused");
}
