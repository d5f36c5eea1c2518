import { Server, type IncomingMessage, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import path from "node:path";
import { monotonicMs } from "../clock";
import { answerRefused, refusalOf } from "../http/front-door";
import { hearUnwritten } from "../http/unwritten";
import { answerPacked, readPackedFiles } from "../http/packed-files";

/*
 * Runs in the web process before Next's own server, as a file of its own (server/dev/bundle.mjs). A web process whose collector is gone must not
 * stay behind with the port. What is not Next's to answer is refused here: `server/http/front-door.ts` says what and why. And Next would compress
 * each script anew for each visitor, and less well than the build can once.
 */
process.on("disconnect", () => process.exit(0));
// From the first message on: without a listener they would be kept until somebody opens a page.
process.on("message", hearUnwritten);

const packed = readPackedFiles(path.join(process.cwd(), "packed"));
const emit = Server.prototype.emit as (this: Server, name: string | symbol, ...args: unknown[]) => boolean; // of its many forms the widest

Server.prototype.emit = function (this: Server, name: string | symbol, ...args: unknown[]): boolean {
  if (name === "request") {
    const [request, response] = args as [IncomingMessage, ServerResponse]; // what "request" brings
    const refusal = refusalOf(request);
    if (refusal !== undefined) {
      if (refusal.error.code === "bad-host") tellOfOtherHost(request);
      answerRefused(refusal, response);
      return true;
    }
    if (answerPacked(packed, request, response)) return true;
  }
  if (name === "upgrade") {
    const [, socket] = args as [IncomingMessage, Duplex]; // what "upgrade" brings
    socket.on("error", () => socket.destroy()); // it is ended either way
    socket.end("HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"); // no page and no route speaks another protocol
    return true;
  }
  return emit.call(this, name, ...args);
};

/** A name of DNS rebinding is worth a record, and no page may fill the log with them. */
const OTHER_HOST_EVERY_MS = 60_000;
let toldAtMs = -Infinity;
let untold = 0;

function tellOfOtherHost({ headers, method, url }: IncomingMessage): void {
  const nowMs = monotonicMs();
  if (nowMs - toldAtMs < OTHER_HOST_EVERY_MS) {
    untold += 1;
    return;
  }
  process.send?.({ type: "other-host", host: headers.host ?? "", method, url, untold }, undefined, undefined, () => {}); // a collector that is gone ends this process anyway
  toldAtMs = nowMs;
  untold = 0;
}
