/**
 * Texts of a cluster without what a credential looks like. Observations hold none by themselves; an event, a termination
 * message or a changed config may quote one. What a message says stays readable: names, ids and addresses are no secrets here.
 */
const REMOVED = "(removed)";

/** Most texts hold none of these, and are left alone after one look. */
const SIGNS = /-----BEGIN|eyJ|\/\/|bearer|basic|token|passw|passphrase|secret|key|authorization/i;

const PEM_BEGINS = "-----BEGIN";
const PEM_ENDS = "-----END";
const WEB_TOKEN = /eyJ[\w-]{8,}(?:\.[\w-]+){0,2}/g;
const USER_IN_URL = /\/\/[^/\s@]{1,256}@/g;
const SCHEME = /\b(bearer|basic)([ :=]{1,3})[\w.~+/=-]{8,}/gi;
/** Whatever stands after one of these is a secret. */
const PASSWORD = /(passw(?:or)?d|passphrase|client[-_]?secret|api[-_]?key|access[-_]?key|private[-_]?key|client-key-data|client-certificate-data|(?:token|secret)(?==))(["']?[ \t]{0,4}[:=][ \t]{0,4}["']?)[^\s"',;&}]{1,8192}/gi;
/** After these a word may say what became of it ("token: Unauthorized"), so only what looks like a credential goes. */
const TOKEN = /(token|secret|authorization)(["']?[ \t]{0,4}:[ \t]{0,4}["']?)([\w.~+/=-]{16,8192})/gi;

export function withoutSecrets(text: string): string {
  if (!SIGNS.test(text)) return text;
  return withoutPem(text)
    .replace(WEB_TOKEN, REMOVED)
    .replace(USER_IN_URL, `//${REMOVED}@`)
    .replace(SCHEME, `$1$2${REMOVED}`)
    .replace(PASSWORD, `$1$2${REMOVED}`)
    .replace(TOKEN, (whole, key: string, between: string, value: string) => (/\d/.test(value) ? `${key}${between}${REMOVED}` : whole));
}

/** Keys and certificates, also one that was cut before its end. */
function withoutPem(text: string): string {
  let clean = "";
  let from = 0;
  for (let begins = text.indexOf(PEM_BEGINS); begins >= 0; begins = text.indexOf(PEM_BEGINS, from)) {
    clean += text.slice(from, begins) + REMOVED;
    const ends = text.indexOf(PEM_ENDS, begins);
    if (ends < 0) return clean;
    const closes = text.indexOf("-----", ends + PEM_ENDS.length);
    if (closes < 0) return clean;
    from = closes + "-----".length;
  }
  return clean + text.slice(from);
}
