import type { IncomingMessage } from "node:http";
import { promisify } from "node:util";
import { gunzip, gunzipSync } from "node:zlib";
import { Dropped } from "./drops";
import { tooMuchJson } from "./json-shape";

/** A report of 20,000 sandboxes is about 5 MB of JSON, 1.5 MB of it compressed. */
export const MAX_BODY_BYTES = 2 * 1024 * 1024;
export const MAX_UNPACKED_BYTES = 8 * 1024 * 1024;
const SHAPE = { maxDepth: 16, maxContainers: 25_000, maxItems: 400_000 };

/** A report of an ordinary node, 10 KB packed and 60 KB unpacked, is unpacked at once: handing it to another thread and back costs more, and memory of that thread's own. */
const SMALL_BODY_BYTES = 64 * 1024;
const SMALL_UNPACKED_BYTES = 512 * 1024;

const unpackAside = promisify(gunzip);

/** What the headers promise, before a byte of the body is read. */
export function checkHeaders(request: IncomingMessage): void {
  const type = (request.headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json") throw new Dropped("media-type", "content-type has to be application/json");
  const encoding = request.headers["content-encoding"]?.trim().toLowerCase();
  if (encoding !== undefined && encoding !== "gzip" && encoding !== "identity") throw new Dropped("media-type", "content-encoding has to be gzip or absent");
  if (Number(request.headers["content-length"] ?? 0) > MAX_BODY_BYTES) throw new Dropped("too-large", `content-length is over ${String(MAX_BODY_BYTES)} bytes`);
}

/** The body as it came, never more than the bound. */
export function readBody(request: IncomingMessage, maxBytes: number = MAX_BODY_BYTES): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    request.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length > maxBytes) {
        chunks.length = 0;
        request.pause();
        reject(new Dropped("too-large", `the body is over ${String(maxBytes)} bytes`));
      } else chunks.push(chunk);
    });
    request.on("end", () => {
      resolve(Buffer.concat(chunks, length));
    });
    const cut = (): void => {
      reject(new Dropped("incomplete", "the connection ended before the body did"));
    };
    request.on("error", cut);
    request.on("close", cut); // no effect after "end"
    // Its sender may have gone while its token was checked: then nothing more is told of it.
    if (request.destroyed) cut();
  });
}

/** Unpacked and parsed within bounds of bytes, depth and count; what comes out is any JSON value. */
export async function parseBody(body: Buffer, gzipped: boolean): Promise<unknown> {
  const text = gzipped ? await unpacked(body) : body;
  if (text.length > MAX_UNPACKED_BYTES) throw new Dropped("too-large", `the report is over ${String(MAX_UNPACKED_BYTES)} bytes`);
  const excess = tooMuchJson(text, SHAPE);
  if (excess !== undefined) throw new Dropped("too-large", excess);
  try {
    return JSON.parse(text.toString("utf8"));
  } catch {
    throw new Dropped("malformed", "the body is not JSON"); // the parser's own words would quote the body
  }
}

const codeOf = (error: unknown): unknown => (error instanceof Error && "code" in error ? error.code : undefined);

async function unpacked(body: Buffer): Promise<Buffer> {
  try {
    return unpackedAtOnce(body) ?? (await unpackAside(body, { maxOutputLength: MAX_UNPACKED_BYTES }));
  } catch (error) {
    const code = codeOf(error);
    if (code === "ERR_BUFFER_TOO_LARGE") throw new Dropped("too-large", `the report unpacks to over ${String(MAX_UNPACKED_BYTES)} bytes`);
    throw new Dropped("malformed", "the body is not gzip");
  }
}

/** `undefined` where it is too large for that. */
function unpackedAtOnce(body: Buffer): Buffer | undefined {
  if (body.length > SMALL_BODY_BYTES) return undefined;
  try {
    return gunzipSync(body, { maxOutputLength: SMALL_UNPACKED_BYTES });
  } catch (error) {
    if (codeOf(error) === "ERR_BUFFER_TOO_LARGE") return undefined;
    throw error;
  }
}
