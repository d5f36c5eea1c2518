import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import path from "node:path";

/** How the build packs a file, the smaller first; the suffix is that of `server/dev/pack-static.mjs`. */
const CODINGS = [
  { coding: "br", suffix: ".br" },
  { coding: "gzip", suffix: ".gz" },
] as const;
type Coding = (typeof CODINGS)[number]["coding"];

/** As Next names them. */
const CONTENT_TYPES: Readonly<Record<string, string>> = { ".js": "application/javascript; charset=UTF-8", ".css": "text/css; charset=UTF-8" };
/** As Next says of everything below `/_next/static`: a changed file has another name. */
const CACHE_CONTROL = "public, max-age=31536000, immutable";

interface Packed {
  readonly bytes: Buffer;
  readonly etag: string;
}
interface PackedFile {
  readonly contentType: string;
  readonly as: Partial<Record<Coding, Packed>>;
}
/** By the path under which a file is asked for. */
export type PackedFiles = ReadonlyMap<string, PackedFile>;

/**
 * What the build packed, in memory: some 800 KB. Only these names are ever answered, so no path that is asked for reaches the disk. Empty
 * where nothing was packed: then Next answers everything, as it does with what is not here.
 */
export function readPackedFiles(folder: string): PackedFiles {
  const files = new Map<string, PackedFile>();
  for (const name of namesIn(folder)) {
    const packing = CODINGS.find(({ suffix }) => name.endsWith(suffix));
    if (packing === undefined) continue;
    const asked = name.slice(0, -packing.suffix.length);
    const contentType = CONTENT_TYPES[path.extname(asked)];
    if (contentType === undefined) continue;
    const bytes = readFileSync(path.join(folder, name));
    const url = `/${asked.split(path.sep).join("/")}`;
    // Of the packed bytes, so that the forms of one file are never taken for one another.
    const packed = { bytes, etag: `"${createHash("sha256").update(bytes).digest("base64url")}"` };
    files.set(url, { contentType, as: { ...files.get(url)?.as, [packing.coding]: packed } });
  }
  return files;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: "utf8" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

/** Answers where a packed form is asked for and taken; false leaves the request to Next. */
export function answerPacked(files: PackedFiles, request: IncomingMessage, response: ServerResponse): boolean {
  if (request.method !== "GET" && request.method !== "HEAD") return false;
  const file = files.get((request.url ?? "").split("?", 1)[0] ?? "");
  if (file === undefined) return false;
  if (request.headers.range !== undefined) {
    // A part is one of the plain file. Next would cut it out and then compress it, which gives bytes of nothing.
    delete request.headers["accept-encoding"];
    return false;
  }
  const coding = codingFor(request.headers["accept-encoding"], file);
  const packed = coding === undefined ? undefined : file.as[coding];
  if (coding === undefined || packed === undefined) return false;
  const about = { "cache-control": CACHE_CONTROL, etag: packed.etag, vary: "Accept-Encoding" };
  if (isKnown(request.headers["if-none-match"], packed.etag)) {
    response.writeHead(304, about).end();
    return true;
  }
  response.writeHead(200, { ...about, "content-type": file.contentType, "content-encoding": coding, "content-length": packed.bytes.length });
  response.end(request.method === "HEAD" ? undefined : packed.bytes);
  return true;
}

/** The packed form that the client likes best, the smaller of two that it likes alike; `undefined` where it names none or would rather have the plain file. */
function codingFor(acceptEncoding: string | string[] | undefined, file: PackedFile): Coding | undefined {
  const weights = weightsOf(String(acceptEncoding ?? ""));
  let best: Coding | undefined;
  let bestWeight = 0;
  for (const { coding } of CODINGS) {
    const weight = weights.get(coding) ?? 0;
    if (file.as[coding] === undefined || weight <= bestWeight) continue;
    best = coding;
    bestWeight = weight;
  }
  return (weights.get("identity") ?? 0) > bestWeight ? undefined : best;
}

/** "br, gzip;q=0.5" as weights; one that cannot be read counts as not wanted. */
function weightsOf(acceptEncoding: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const item of acceptEncoding.split(",")) {
    const [coding = "", ...parameters] = item.split(";").map((part) => part.trim().toLowerCase());
    const quality = parameters.find((parameter) => parameter.startsWith("q="));
    const weight = quality === undefined ? 1 : Number(quality.slice(2));
    weights.set(coding, weight >= 0 && weight <= 1 ? weight : 0);
  }
  return weights;
}

const isKnown = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch !== undefined && ifNoneMatch.split(",").some((one) => one.trim() === "*" || one.trim().replace(/^W\//, "") === etag);
