import { Server, type IncomingMessage, type ServerResponse } from "node:http";
import path from "node:path";
import { answerPacked, readPackedFiles } from "../http/packed-files";

/*
 * Runs in the web process before Next's own server, as a file of its own (server/dev/bundle.mjs). A web process whose collector is gone must not
 * stay behind with the port. Next answers a path whose percent-encoding is broken with 500, where it is the request that is wrong. And it would
 * compress each script anew for each visitor, and less well than the build can once.
 */
process.on("disconnect", () => process.exit(0));

const packed = readPackedFiles(path.join(process.cwd(), "packed"));
const emit = Server.prototype.emit as (this: Server, name: string | symbol, ...args: unknown[]) => boolean; // of its many forms the widest

Server.prototype.emit = function (this: Server, name: string | symbol, ...args: unknown[]): boolean {
  if (name === "request") {
    const [request, response] = args as [IncomingMessage, ServerResponse]; // what "request" brings
    if (!decodes(request.url ?? "")) return refuse(response);
    if (answerPacked(packed, request, response)) return true;
  }
  return emit.call(this, name, ...args);
};

function refuse(response: ServerResponse): true {
  const problem = { type: "urn:sandglass:problem:invalid", title: "The request is not valid", status: 400, detail: "The path's percent-encoding is broken.", code: "invalid" };
  response.writeHead(400, { "content-type": "application/problem+json", "cache-control": "no-store", "x-content-type-options": "nosniff" });
  response.end(JSON.stringify(problem));
  return true;
}

function decodes(url: string): boolean {
  const query = url.indexOf("?");
  try {
    decodeURIComponent(query < 0 ? url : url.slice(0, query));
    return true;
  } catch {
    return false;
  }
}
