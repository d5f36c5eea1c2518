import type { Call } from "./calls";
import { type Folded, quote } from "./fold";
import type { MessageFacts } from "./types";

/** Longest name or path that is taken as a fact. */
export const MAX_FACT_CHARS = 512;
/** Most folders that are listed. */
export const MAX_BIN_DIRS = 16;

/** The names that a text holds: read from its structure, given as they were written. */
export function factsOf(folded: Folded, body: string, calls: readonly Call[]): MessageFacts {
  const piece = (range: Range | undefined): string | undefined => {
    if (range === undefined || range.to <= range.from || range.to - range.from > MAX_FACT_CHARS) return undefined;
    const text = quote(folded, range.from, range.to, MAX_FACT_CHARS);
    return text === "" ? undefined : text;
  };
  const missing = missingPlugin(body);
  const program = calls.find((call) => call.kind === "file" && call.errno === "absent" && PROGRAM_VERBS.includes(call.verb));
  const programPath = program === undefined ? undefined : piece({ from: program.subjectAt, to: program.subjectAt + program.subject.length });
  const socket = calls.findLast((call) => call.kind === "unix" || (call.kind === "file" && call.subject.endsWith(".sock")));
  const file = calls.findLast((call) => call.kind === "file" && call.errno !== "none" && call !== program && !call.subject.endsWith(".sock"));
  const pluginType = piece(missing?.type) ?? baseName(programPath) ?? piece(innermostType(body));
  const binDirs = missing?.dirs === undefined ? (programPath === undefined ? undefined : [folderOf(programPath)]) : foldersOf(piece(missing.dirs));
  return withoutAbsent({
    pluginType,
    binDirs: binDirs === undefined || binDirs.length === 0 ? undefined : binDirs,
    network: networkOf(body, piece),
    socketPath: socket === undefined ? undefined : piece({ from: socket.subjectAt, to: socket.subjectAt + socket.subject.length }),
    file: programPath ?? (file === undefined ? undefined : piece({ from: file.subjectAt, to: file.subjectAt + file.subject.length })),
    reservedFor: piece(quotedAfter(body, "is reserved for ")),
  });
}

interface Range {
  readonly from: number;
  readonly to: number;
}

type Loose = { readonly [Key in keyof MessageFacts]: MessageFacts[Key] | undefined };
function withoutAbsent(facts: Loose): MessageFacts {
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined)) as MessageFacts;
}

const PROGRAM_VERBS: readonly string[] = ["fork/exec", "exec:", "exec"];
const baseName = (path: string | undefined): string | undefined => path?.slice(path.lastIndexOf("/") + 1);
const folderOf = (path: string): string => path.slice(0, Math.max(1, path.lastIndexOf("/")));

/** `failed to find plugin "bridge" in path [/opt/cni/bin /usr/libexec/cni]`, and the same with `in paths`. */
function missingPlugin(body: string): { readonly type?: Range; readonly dirs?: Range } | undefined {
  const mark = "find plugin ";
  const at = body.lastIndexOf(mark);
  if (at < 0) return undefined;
  const type = quotedAt(body, at + mark.length) ?? wordAt(body, at + mark.length);
  const open = body.indexOf("[", at);
  const near = open >= 0 && open - at < MAX_FACT_CHARS ? open : -1;
  const close = near < 0 ? -1 : body.indexOf("]", near);
  return { ...(type === undefined ? {} : { type }), ...(near < 0 || close < 0 ? {} : { dirs: { from: near + 1, to: close } }) };
}

function foldersOf(list: string | undefined): readonly string[] | undefined {
  return list
    ?.split(/[ ,]/u)
    .filter((folder) => folder !== "")
    .slice(0, MAX_BIN_DIRS);
}

/** The last `plugin type="…"`, which is the innermost; the kubelet of old wrote `networkType="…"`. */
function innermostType(body: string): Range | undefined {
  return quotedAfter(body, "plugin type=") ?? quotedAfter(body, "networktype=");
}

/** Ways to name a network, the most telling first. */
function networkOf(body: string, piece: (range: Range | undefined) => string | undefined): string | undefined {
  const nad = attachmentOf(body, piece);
  if (nad !== undefined) return nad;
  for (const mark of ["adding container to network ", "networkattachmentdefinition.k8s.cni.cncf.io ", "network-attachment-definitions.k8s.cni.cncf.io ", "to cni network ", "from cni network ", "for cni network ", "failed to get network ", "failed to get clusternetwork ", "for network:"]) {
    const at = body.lastIndexOf(mark);
    if (at < 0) continue;
    const name = piece(quotedAt(body, at + mark.length) ?? wordAt(body, at + mark.length));
    if (name !== undefined && name !== "resource") return name;
  }
  return undefined;
}

/** "cannot find a network-attachment-definition (N) in namespace (S)". */
function attachmentOf(body: string, piece: (range: Range | undefined) => string | undefined): string | undefined {
  const mark = "network-attachment-definition (";
  const at = body.lastIndexOf(mark);
  if (at < 0) return undefined;
  const name = piece(upTo(body, at + mark.length, ")"));
  const inNamespace = "in namespace (";
  const namespaceAt = body.indexOf(inNamespace, at);
  const namespace = namespaceAt < 0 || namespaceAt - at > MAX_FACT_CHARS ? undefined : piece(upTo(body, namespaceAt + inNamespace.length, ")"));
  return name === undefined || namespace === undefined ? name : `${namespace}/${name}`;
}

function quotedAfter(body: string, mark: string): Range | undefined {
  const at = body.lastIndexOf(mark);
  return at < 0 ? undefined : quotedAt(body, at + mark.length);
}

function quotedAt(body: string, at: number): Range | undefined {
  const sign = body.charAt(at);
  return sign === '"' || sign === "'" ? upTo(body, at + 1, sign) : undefined;
}

function upTo(body: string, from: number, end: string): Range | undefined {
  const to = body.indexOf(end, from);
  return to < 0 || to - from > MAX_FACT_CHARS ? undefined : { from, to };
}

function wordAt(body: string, from: number): Range | undefined {
  let to = from;
  while (to < body.length && to - from <= MAX_FACT_CHARS && !" ,;'\"[]()".includes(body.charAt(to)) && !body.startsWith(": ", to)) to += 1;
  return to === from ? undefined : { from, to };
}
