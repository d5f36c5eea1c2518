/**
 * Runs in the web process before Next's own server. A web process whose collector is gone must not stay behind with the port; and Next
 * answers a path whose percent-encoding is broken with 500, where it is the request that is wrong. Text, since it must be there before any module of ours is.
 */
const SOURCE = `
import { Server } from "node:http";
process.on("disconnect", () => process.exit(0));
const emit = Server.prototype.emit;
Server.prototype.emit = function (name, request, response, ...rest) {
  if (name !== "request" || decodes(request.url)) return emit.call(this, name, request, response, ...rest);
  const problem = { type: "urn:sandglass:problem:invalid", title: "The request is not valid", status: 400, detail: "The path's percent-encoding is broken.", code: "invalid" };
  response.writeHead(400, { "content-type": "application/problem+json", "cache-control": "no-store", "x-content-type-options": "nosniff" });
  response.end(JSON.stringify(problem));
  return true;
};
function decodes(url) {
  const query = url.indexOf("?");
  try {
    decodeURIComponent(query < 0 ? url : url.slice(0, query));
    return true;
  } catch {
    return false;
  }
}
`;

export const WEB_PRELOAD = `data:text/javascript,${encodeURIComponent(SOURCE)}`;
