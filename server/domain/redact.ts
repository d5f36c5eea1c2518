/**
 * A config without what must not leave the node. Only JSON can be shown at all: of any other text nobody can say where a
 * secret in it begins. See docs/decisions/0062.
 */
const REMOVED = "(removed)";
const MAX_DEPTH = 16;
const MAX_TEXT_CHARS = 200;

/** Keys whose values are secrets, in the spelling that is left when a key loses all but its letters. */
const SECRET_KEY = /token|passw(?:or)?d|passphrase|secret|credential|apikey|accesskey|privatekey|clientkey|keydata|certificate|certdata|cadata|bearer|cookie|^auth|authorization|^key$|^cert$|^ca$|^user(?:name)?$/;
/** Keys that name a file, whose path may be shown. */
const FILE_KEY = /(?:file|path|dir|kubeconfig)$/;
const PLAIN_PATH = /^\/[\w./@:+-]{1,255}$/;

const PEM = /-----BEGIN/;
const WEB_TOKEN = /eyJ[\w-]{8,}/;
const USER_IN_URL = /\/\/[^/\s@]*@/;
/** A run without a break that is a key, a digest or a certificate sooner than a name: long, or shorter and of letters of both cases and digits. */
const LONG_RUN = /[A-Za-z0-9+=]{32,}/;
const MIXED_RUN = /[\w+=-]{20,}/g;
const isMixed = (run: string): boolean => /[a-z]/.test(run) && /[A-Z]/.test(run) && /\d/.test(run);

/** The value with secrets replaced by a word that says so. */
export function redact(value: unknown, key = "", depth = 0): unknown {
  const letters = key.toLowerCase().replace(/[^a-z]/g, "");
  if (FILE_KEY.test(letters)) return typeof value === "string" && PLAIN_PATH.test(value) ? value : REMOVED;
  if (SECRET_KEY.test(letters)) return value === "" || value === null ? value : REMOVED;
  if (typeof value === "string") return shown(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth >= MAX_DEPTH) return REMOVED;
  if (Array.isArray(value)) return value.map((item: unknown) => redact(item, "", depth + 1));
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [shown(name), redact(inner, name, depth + 1)]));
}

function shown(text: string): string {
  if (PEM.test(text) || WEB_TOKEN.test(text) || USER_IN_URL.test(text) || LONG_RUN.test(text) || (text.match(MIXED_RUN) ?? []).some(isMixed)) return REMOVED;
  return text.length > MAX_TEXT_CHARS ? `${text.slice(0, MAX_TEXT_CHARS)}…` : text;
}
