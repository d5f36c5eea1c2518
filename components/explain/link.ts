/** Longest text that goes into an address: longer ones are cut by what people paste addresses into. */
export const MAX_LINK_CHARS = 1_500;

/** Words next to which credentials stand. */
const SECRET_WORDS = ["bearer ", "authorization", "password", "passwd", "secret", "api_key", "apikey", "private key", "client-key-data", "token=", "token:", '"token"', "access_key", "x-api-key", "credential"];
/** A JSON Web Token begins with this, base64 of `{"`. */
const JWT_HEAD = "eyj";

/**
 * The fragment that opens the page with a text, or undefined where it does not belong into an address: too long, or it looks
 * as if it held a credential. A fragment is never sent to a server, but stays in the browser's history.
 */
export function fragmentOf(text: string): string | undefined {
  if (text.trim() === "" || text.length > MAX_LINK_CHARS || looksSecret(text)) return undefined;
  return `#text=${encodeURIComponent(text.toWellFormed())}`;
}

export function looksSecret(text: string): boolean {
  const lower = text.toLowerCase();
  return SECRET_WORDS.some((word) => lower.includes(word)) || lower.split(/[\s"'=,:;]+/u).some((word) => word.startsWith(JWT_HEAD) && word.length > 20);
}

/** The text that a fragment carries; undefined where it carries none that can be read. */
export function textOfFragment(fragment: string): string | undefined {
  if (!fragment.startsWith("#text=")) return undefined;
  try {
    const text = decodeURIComponent(fragment.slice("#text=".length));
    return text.trim() === "" || text.length > MAX_LINK_CHARS ? undefined : text;
  } catch {
    return undefined; // an address that was cut within an escape opens the empty page
  }
}
