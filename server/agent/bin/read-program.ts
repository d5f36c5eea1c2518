import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { HostFileError } from "../host-fs";
import { HEADER_BYTES, programHeader, type ProgramHeader } from "./elf";
import { GO_NOTE, GO_NOTE_BYTES, goVersion } from "./go-build";

/** What a program's own bytes say. */
export interface ProgramFacts extends ProgramHeader {
  readonly sha256: string;
  readonly version?: string;
}

/** Read at a time; hashing this much takes well under a millisecond. */
const CHUNK_BYTES = 256 * 1024;
const NOTE_ALIGNMENT = 16;

/** Reads the file once from end to end. Throws where it changes size meanwhile: an installer is at it, and the next round will see. */
export async function readProgram(path: string, sizeBytes: number): Promise<ProgramFacts> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const hash = createHash("sha256");
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES + GO_NOTE.length);
    let header: ProgramHeader = {};
    let version: string | undefined;
    let kept = 0; // the end of the chunk before, in which a note may begin
    for (let at = 0; ; ) {
      const { bytesRead } = await file.read(buffer, kept, CHUNK_BYTES, at);
      if (bytesRead === 0) {
        if (at !== sizeBytes) throw new HostFileError("changed while it was read");
        return { ...header, sha256: hash.digest("hex"), ...(version === undefined ? {} : { version }) };
      }
      hash.update(buffer.subarray(kept, kept + bytesRead));
      const seen = buffer.subarray(0, kept + bytesRead);
      if (at === 0) header = programHeader(seen.subarray(0, HEADER_BYTES));
      version ??= await versionIn(seen, at - kept, file);
      at += bytesRead;
      if (at > sizeBytes) throw new HostFileError("grew while it was read");
      kept = Math.min(GO_NOTE.length - 1, seen.length);
      seen.copy(buffer, 0, seen.length - kept);
    }
  } finally {
    await file.close();
  }
}

async function versionIn(seen: Buffer, startsAt: number, file: { read(buffer: Buffer, offset: number, length: number, position: number): Promise<{ bytesRead: number }> }): Promise<string | undefined> {
  for (let found = seen.indexOf(GO_NOTE); found >= 0; found = seen.indexOf(GO_NOTE, found + 1)) {
    const position = startsAt + found;
    if (position % NOTE_ALIGNMENT !== 0) continue; // a program that knows the note's beginning, not the note
    const note = Buffer.alloc(GO_NOTE_BYTES);
    const { bytesRead } = await file.read(note, 0, note.length, position);
    const version = goVersion(note.subarray(0, bytesRead));
    if (version !== undefined) return version;
  }
  return undefined;
}
