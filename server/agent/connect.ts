import { connect, type Socket } from "node:net";
import { codeOf } from "./host-fs";
import { monotonicMs } from "../clock";

/** What one connection to a Unix socket met. `sent`: nothing, or a request whose answer was waited for. */
export type Contact =
  | { readonly met: "refused" | "absent" | "queue-full" | "denied"; readonly code: string }
  | { readonly met: "connected" }
  /** Connected; the other side closed without a word. */
  | { readonly met: "closed"; readonly tookMs: number }
  /** Connected; not one byte came in time. */
  | { readonly met: "silent" }
  | { readonly met: "answered"; readonly tookMs: number; readonly firstLine: string };

/** Enough for a status line; nothing after it is kept. */
const MAX_ANSWER_BYTES = 512;
/** `sun_path` of Linux, without its closing NUL. A longer path is cut by some callers and would reach another socket. */
export const MAX_SOCKET_PATH_BYTES = 107;

/**
 * Connects, sends `request` where there is one, and waits for the first line of the answer. Ends after `timeoutMs` whatever
 * the other side does, or when `signal` says so, and always closes.
 */
export function contact(path: string, request: string | undefined, timeoutMs: number, signal?: AbortSignal): Promise<Contact> {
  const startedMs = monotonicMs();
  return new Promise((resolve) => {
    let connected = false;
    let answer = Buffer.alloc(0);
    const socket: Socket = connect({ path });
    const finish = (result: Contact): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", giveUp);
      socket.destroy();
      resolve(result);
    };
    const answered = (): Contact => ({ met: "answered", tookMs: monotonicMs() - startedMs, firstLine: (answer.toString("latin1").split("\n")[0] ?? "").trim() });
    const giveUp = (): void => {
      if (answer.length > 0) finish(answered());
      else finish(connected ? { met: "silent" } : { met: "queue-full", code: "ETIMEDOUT" });
    };
    const timer = setTimeout(giveUp, timeoutMs);
    signal?.addEventListener("abort", giveUp);
    socket.on("connect", () => {
      connected = true;
      if (request === undefined) finish({ met: "connected" });
      else socket.write(request);
    });
    socket.on("data", (chunk: Buffer) => {
      answer = Buffer.concat([answer, chunk]).subarray(0, MAX_ANSWER_BYTES);
      if (answer.includes(0x0a) || answer.length === MAX_ANSWER_BYTES) finish(answered());
    });
    socket.on("end", () => {
      finish(answer.length > 0 ? answered() : { met: "closed", tookMs: monotonicMs() - startedMs });
    });
    socket.on("error", (error) => {
      const code = codeOf(error) ?? "EUNKNOWN";
      if (connected) finish(answer.length > 0 ? answered() : { met: "closed", tookMs: monotonicMs() - startedMs });
      else finish({ met: meaningOf(code), code });
    });
  });
}

function meaningOf(code: string): "refused" | "absent" | "queue-full" | "denied" {
  if (code === "ENOENT" || code === "ENOTDIR") return "absent";
  if (code === "EAGAIN") return "queue-full"; // a Unix listener whose queue is full: nobody has taken a connection for long
  if (code === "EACCES" || code === "EPERM") return "denied";
  return "refused";
}
