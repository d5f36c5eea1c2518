/** The note that the Go linker leaves in a program: its module and version. Format of Go 1.18 and later, whose texts lie in the note itself. Pure. */
export const GO_NOTE = Buffer.from("\xff Go buildinf:", "latin1");
/** How much of the file from the note on is needed: the modules of a plugin take a few kilobytes, and the version stands first. */
export const GO_NOTE_BYTES = 16 * 1024;

const HEADER_BYTES = 32;
const FLAGS_AT = 15;
const TEXTS_INSIDE = 2;
/** Marks that surround the module texts. */
const MARK_BYTES = 16;
const MAX_VARINT_BYTES = 5;
const REVISION_CHARS = 12;

/**
 * "github.com/containernetworking/plugins v1.10.0"; a build from a checkout has "(devel)" and the revision where it was
 * kept. Undefined where the bytes hold no such note.
 */
export function goVersion(bytes: Buffer): string | undefined {
  if (bytes.length < HEADER_BYTES || !bytes.subarray(0, GO_NOTE.length).equals(GO_NOTE) || ((bytes[FLAGS_AT] ?? 0) & TEXTS_INSIDE) === 0) return undefined;
  const go = textAt(bytes, HEADER_BYTES);
  if (go === undefined || !go.text.startsWith("go")) return undefined;
  const modules = textAt(bytes, go.end)?.text.slice(MARK_BYTES) ?? "";
  const lines = modules.split("\n");
  const [, path, version] = lines.find((line) => line.startsWith("mod\t"))?.split("\t") ?? [];
  if (path === undefined || version === undefined) return go.text;
  const revision = lines.find((line) => line.startsWith("build\tvcs.revision="))?.split("=")[1];
  return `${path} ${version}${version === "(devel)" && revision !== undefined ? ` ${revision.slice(0, REVISION_CHARS)}` : ""}`;
}

/** A text behind its length. One that is longer than the bytes is cut: its beginning is what is wanted. */
function textAt(bytes: Buffer, start: number): { readonly text: string; readonly end: number } | undefined {
  let length = 0;
  let at = start;
  for (let shift = 0; ; shift += 7, at += 1) {
    const byte = bytes[at];
    if (byte === undefined || at - start >= MAX_VARINT_BYTES) return undefined;
    length += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) break;
  }
  const end = at + 1 + length;
  return { text: bytes.toString("latin1", at + 1, Math.min(end, bytes.length)), end };
}
