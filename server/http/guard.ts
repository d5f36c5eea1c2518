import { ServiceError } from "../errors";
import { isLocalHost, OTHER_HOST_REFUSED } from "../local-host";

/**
 * Who may reach a server without sign-in: the person at the loopback, and no page of another site that the person's
 * browser happens to show. A name that resolves to 127.0.0.1 elsewhere (DNS rebinding) fails on the Host.
 */
export function requireLocalHost(headers: Headers): void {
  if (!isLocalHost(headers.get("host"))) throw new ServiceError("bad-host", OTHER_HOST_REFUSED);
}

/**
 * Writes need the same origin and JSON: a form of another site can send neither. What only reads (`readsOnly`) is open to clients that name no
 * origin at all: every browser names one with a POST.
 */
export function requireSameOriginJson(headers: Headers, readsOnly = false): void {
  const origin = headers.get("origin");
  const host = headers.get("host");
  const site = headers.get("sec-fetch-site");
  if (site !== null && site !== "same-origin") throw new ServiceError("cross-site", "This request comes from another site.");
  if (!(readsOnly && origin === null && site === null) && (origin === null || host === null || origin !== `http://${host}`)) {
    throw new ServiceError("cross-site", "A request that changes something must carry the Origin of Sandglass's own page.");
  }
  const type = headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json") throw new ServiceError("not-json", `The content type is "${(type ?? "missing").slice(0, 100)}": it must be application/json.`);
}

/** Largest body of any request; the largest real one is a plan's parameters, well under 4 KiB. */
export const MAX_BODY_BYTES = 64 * 1024;

/** Reads at most `maxBytes`, whatever Content-Length says. */
export async function readJsonBody(request: Request, maxBytes = MAX_BODY_BYTES): Promise<unknown> {
  const declared = Number(request.headers.get("content-length") ?? "0");
  const tooLarge = new ServiceError("too-large", `The body is over ${maxBytes} bytes.`);
  if (declared > maxBytes) throw tooLarge;
  if (request.body === null) throw new ServiceError("invalid", "The body is empty: send JSON.");
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of request.body as unknown as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw tooLarge;
    chunks.push(chunk);
  }
  const text = decoded(Buffer.concat(chunks));
  let loneHalf = false;
  const value = parsed(text, (key, part: unknown) => {
    if (!key.isWellFormed() || (typeof part === "string" && !part.isWellFormed())) loneHalf = true;
    return part;
  });
  if (loneHalf) throw new ServiceError("invalid", "The body is not Unicode text: a string in it has half of a surrogate pair alone.");
  return value;
}

/** Nothing is replaced in what a person sent: it is taken as it is, or not at all. */
function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new ServiceError("invalid", "The body is not UTF-8.", { cause });
  }
}

function parsed(text: string, look: (key: string, part: unknown) => unknown): unknown {
  try {
    return JSON.parse(text, look);
  } catch (cause) {
    throw new ServiceError("invalid", "The body is not JSON.", { cause });
  }
}
