import type { IncomingMessage, ServerResponse } from "node:http";
import { ApiError, badRequest } from "./status";

/** As the real server: longest body, and longest path that is looked at. */
const MAX_BODY_BYTES = 3 * 2 ** 20;
const MAX_URL_CHARS = 16_384;

export function send(response: ServerResponse, code: number, body: unknown): void {
  const text = JSON.stringify(body);
  response.writeHead(code, { "content-type": "application/json", "content-length": Buffer.byteLength(text), "cache-control": "no-cache, private" }).end(text);
}

export function readUrl(text: string | undefined): URL {
  const url = (text ?? "").length > MAX_URL_CHARS ? null : URL.parse(text ?? "/", "https://simulated");
  if (url === null) throw badRequest("the path is too long or is none");
  return url;
}

export function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch (error) {
    throw badRequest(`the path is not encoded: ${error instanceof Error ? error.message : String(error)}`);
  }
}

export function parseJson(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch (error) {
    throw badRequest(`couldn't get version/kind; json parse error: ${error instanceof Error ? error.message : String(error)}`);
  }
}

export async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) { // a request without an encoding gives Buffers
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw new ApiError(413, "RequestEntityTooLarge", `Request entity too large: limit is ${MAX_BODY_BYTES}`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
