import { createScanner } from "./scanner";

/** What the operating system or the network said. */
export type Errno = "absent" | "refused" | "cut" | "timeout" | "denied" | "exists" | "in-use" | "no-device" | "unsupported" | "busy" | "none";

/** One call that failed: "dial unix /run/multus/multus.sock: connect: connection refused". */
export interface Call {
  readonly kind: "unix" | "tcp" | "file";
  /** Path of a file or socket; "host:port" or a name of a host. */
  readonly subject: string;
  readonly errno: Errno;
  readonly verb: string;
  /** Folded positions: from the call's verb to behind the error. */
  readonly from: number;
  readonly to: number;
  /** Where `subject` stands. */
  readonly subjectAt: number;
  /** Said by who listens there: the caller went away before it had its answer. */
  readonly served?: true;
}

const ERRNO_MARKS: readonly (readonly [errno: Errno, mark: string])[] = [
  ["absent", "no such file or directory"],
  ["absent", "no such file"],
  ["absent", "cannot find the file specified"],
  ["absent", "does not exist"],
  ["refused", "connection refused"],
  ["refused", "actively refused"],
  ["cut", "connection reset by peer"],
  ["cut", "broken pipe"],
  ["cut", ": eof"],
  ["cut", "unexpected eof"],
  ["cut", "client connection lost"],
  ["cut", "server closed idle connection"],
  ["timeout", "i/o timeout"],
  ["timeout", "connection timed out"],
  ["timeout", "operation timed out"],
  ["timeout", "tls handshake timeout"],
  ["timeout", "client.timeout"],
  ["timeout", "timeout awaiting response headers"],
  ["timeout", "request canceled while waiting"],
  ["timeout", "context deadline exceeded"],
  ["timeout", "no route to host"],
  ["timeout", "host is unreachable"],
  ["timeout", "network is unreachable"],
  ["timeout", "host is down"],
  ["timeout", "no such host"],
  ["timeout", "server misbehaving"],
  ["timeout", "temporary failure in name resolution"],
  ["timeout", "name or service not known"],
  ["denied", "permission denied"],
  ["denied", "operation not permitted"],
  ["denied", "read-only file system"],
  ["exists", "file exists"],
  ["in-use", "address already in use"],
  ["no-device", "no such device"],
  ["unsupported", "operation not supported"],
  ["busy", "device or resource busy"],
];

export const ERRNO_TEXTS: readonly string[] = ERRNO_MARKS.map(([, mark]) => mark);

const VERBS: readonly string[] = ["dial unix ", "dial tcp", "dial udp", "listen unix ", "bind unix", "read unix ", "write unix ", "read tcp ", "read udp ", "write tcp "];
const scanner = createScanner([...ERRNO_TEXTS, ...VERBS]);

/** How far before an error its subject is looked for. */
const WINDOW_CHARS = 600;
/** Most calls that are read of one text. */
export const MAX_CALLS = 24;

/** The failed calls that a text tells of, in the order in which they stand. */
export function callsOf(body: string, from: number, to: number): readonly Call[] {
  const seen = scanner.scan(body, from, to);
  const calls: Call[] = [];
  const add = (call: Call | undefined): void => {
    if (call !== undefined && calls.length < MAX_CALLS && !calls.some((known) => known.from === call.from && known.to === call.to)) calls.push(call);
  };
  for (const [errno, mark] of ERRNO_MARKS) {
    const first = seen.first(mark);
    if (first < 0) continue;
    add(callBefore(body, from, first, first + mark.length, errno));
    const last = seen.last(mark);
    if (last !== first) add(callBefore(body, from, last, last + mark.length, errno));
  }
  // A text that was cut within or behind the address still says what was called.
  for (const verb of VERBS) {
    const at = seen.last(verb);
    if (at >= 0 && !calls.some((call) => call.from <= at && at < call.to)) add(openCall(body, at, to, verb));
  }
  return calls.sort((a, b) => a.from - b.from);
}

function callBefore(body: string, from: number, errorAt: number, errorTo: number, errno: Errno): Call | undefined {
  const start = Math.max(from, errorAt - WINDOW_CHARS);
  const window = body.slice(start, errorAt);
  for (const verb of VERBS) {
    const at = window.lastIndexOf(verb);
    if (at >= 0 && reaches(window, at + verb.length)) return { ...addressed(body, start + at, start + at + verb.length, errorAt, verb), errno, to: errorTo };
  }
  const url = urlBefore(window);
  if (url !== undefined) return { kind: "tcp", subject: url.host, subjectAt: start + url.at, errno, verb: "get", from: start + url.at, to: errorTo };
  const path = pathBefore(window);
  if (path !== undefined) return { kind: "file", subject: path.text, subjectAt: start + path.at, errno, verb: path.verb, from: start + path.from, to: errorTo };
  const behind = pathBehind(body, errorTo);
  return behind === undefined ? undefined : { kind: "file", subject: behind.text, subjectAt: behind.at, errno, verb: "", from: errorAt, to: behind.at + behind.text.length };
}

/** Between an address and its error stand no more than the names of calls ("connect:", "getsockopt:", "lookup … on …:"). */
const MAX_BETWEEN_CHARS = 200;
const reaches = (window: string, behindVerb: number): boolean => {
  const between = window.slice(behindVerb);
  // Another error in between has used the address up.
  return between.length <= MAX_BETWEEN_CHARS + MAX_ADDRESS_CHARS && !ERRNO_TEXTS.some((text) => between.includes(text));
};
const MAX_ADDRESS_CHARS = 300;

function addressed(body: string, from: number, addressAt: number, limit: number, verb: string): Omit<Call, "errno" | "to"> {
  const kind = verb.includes("unix") ? "unix" : "tcp";
  let at = addressAt;
  while (at < limit && (body.charAt(at) === " " || body.charAt(at) === ":")) at += 1;
  if (body.startsWith("lookup ", at)) at += "lookup ".length;
  let end = addressEnd(body, at, limit);
  if (kind === "tcp" && isBroken(body.slice(at, end)) && end + 1 < limit) end = addressEnd(body, end + 1, limit);
  // "read unix @->/run/x.sock" and "read tcp a:1->b:2": the far end is what was called.
  const arrow = body.slice(at, end).lastIndexOf("->");
  if (body.charAt(end - 1) === ":") end -= 1;
  // "write unix /run/x.sock->@": a caller has no path of its own, so this end is the one that was called.
  const served = arrow > 0 && kind === "unix" && end - (at + arrow + 2) <= 1;
  if (served) end = at + arrow;
  else if (arrow >= 0) at += arrow + 2;
  return { kind, subject: body.slice(at, end).replaceAll(" ", ""), subjectAt: at, verb: verb.trim(), from, ...(served ? { served } : {}) };
}

/** "12 7.0.0.1:50051": a terminal broke the line within the address, so that the piece before the break is a number alone. */
const isBroken = (piece: string): boolean => piece.length > 0 && piece.length <= MAX_NUMBERS_CHARS && [...piece].every((sign) => sign === "." || (sign >= "0" && sign <= "9"));
const MAX_NUMBERS_CHARS = 15;

/** An address ends at a blank, a quote or a ": ". */
function addressEnd(body: string, at: number, limit: number): number {
  let end = at;
  while (end < limit && end - at < MAX_ADDRESS_CHARS && !' "\''.includes(body.charAt(end))) end += 1;
  return end;
}

function openCall(body: string, at: number, to: number, verb: string): Call | undefined {
  const call = addressed(body, at, at + verb.length, to, verb);
  if (call.subject.length < MIN_ADDRESS_CHARS) return undefined;
  return { ...call, errno: "none", to: Math.min(to, call.subjectAt + call.subject.length) };
}

const MIN_ADDRESS_CHARS = 3;

function urlBefore(window: string): { readonly host: string; readonly at: number } | undefined {
  const scheme = Math.max(window.lastIndexOf("https://"), window.lastIndexOf("http://"));
  if (scheme < 0) return undefined;
  const at = window.indexOf("//", scheme) + 2;
  let end = at;
  while (end < window.length && !'/ "\'?<>,'.includes(window.charAt(end))) end += 1;
  // Only where the error follows at once: `Get "https://…": context deadline exceeded`.
  const between = window.slice(end);
  const quoted = between.indexOf('"');
  const rest = quoted >= 0 ? between.slice(quoted + 1) : between.slice(Math.max(0, between.indexOf(": ")));
  return rest.length > MAX_BETWEEN_CHARS || end === at ? undefined : { host: window.slice(at, end), at };
}

/** The last path before an error, with the word before it: `open /run/x`, `failed to Statfs "/proc/1/ns/net"`, `cp: can't create '/x'`. */
function pathBefore(window: string): { readonly text: string; readonly at: number; readonly verb: string; readonly from: number } | undefined {
  for (let slash = window.lastIndexOf("/"), tries = 0; slash >= 0 && tries < MAX_TRIES; slash = window.lastIndexOf("/", slash - 1), tries += 1) {
    const before = slash === 0 ? " " : window.charAt(slash - 1);
    if (!STARTS_PATH.includes(before)) continue;
    const end = pathEnd(window, slash);
    if (window.length - end > MAX_BETWEEN_CHARS / 2) return undefined;
    const text = window.slice(slash, end);
    const lead = window.slice(0, Math.max(0, slash - (before === " " ? 0 : 1))).trimEnd();
    const blank = lead.lastIndexOf(" ");
    return { text, at: slash, verb: lead.slice(blank + 1), from: blank + 1 };
  }
  return undefined;
}

const STARTS_PATH = " \"'`([=:@";
const MAX_TRIES = 24;

function pathEnd(window: string, at: number): number {
  let end = at;
  while (end < window.length && !" \"'`),]".includes(window.charAt(end)) && !window.startsWith(": ", end)) end += 1;
  return window.charAt(end - 1) === ":" ? end - 1 : end;
}

/** "No such file or directory: '/run/x'", as Python and others say it. */
function pathBehind(body: string, at: number): { readonly text: string; readonly at: number } | undefined {
  const slash = body.indexOf("/", at);
  if (slash < 0 || slash - at > 4) return undefined;
  return { text: body.slice(slash, pathEnd(body.slice(slash, slash + MAX_ADDRESS_CHARS), 0) + slash), at: slash };
}
