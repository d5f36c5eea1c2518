import { constants, existsSync } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { HostFileError } from "../host-fs";

/** The kernel's files about processes. They have no size and end where they end, so they are read up to a bound. */
const CHUNK_BYTES = 64 * 1024;
/** Some hundred of them are read in a round, a few at a time: with a buffer of its own for each, megabytes would wait to be collected. */
const spare: Buffer[] = [];
const MAX_SPARE = 4;

/** Throws where the file cannot be opened, or holds more than `maxBytes`. */
export async function readProcFile(path: string, maxBytes: number): Promise<Buffer> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const chunk = spare.pop() ?? Buffer.allocUnsafeSlow(CHUNK_BYTES);
    try {
      return await readInto(chunk, file, path, maxBytes);
    } finally {
      if (spare.length < MAX_SPARE) spare.push(chunk);
    }
  } finally {
    await file.close();
  }
}

/** A copy of what the file holds. `chunk` is what it is read into first; a file that is longer gets a larger one. */
async function readInto(chunk: Buffer, file: FileHandle, path: string, maxBytes: number): Promise<Buffer> {
  let buffer = chunk;
  let length = 0;
  for (;;) {
    const { bytesRead } = await file.read(buffer, length, buffer.length - length, null);
    length += bytesRead;
    if (length > maxBytes) throw new HostFileError(`${path} holds more than the ${String(maxBytes)} bytes that are read`);
    if (bytesRead === 0) return Buffer.from(buffer.subarray(0, length));
    if (length < buffer.length) continue;
    const larger = Buffer.allocUnsafeSlow(Math.min(2 * buffer.length, maxBytes + 1));
    buffer.copy(larger, 0, 0, length);
    buffer = larger;
  }
}

/** Where the node's processes are seen: below the node's root where that holds them, else as this process sees them. */
export const procRoot = (hostRoot: string): string => (hostRoot !== "" && existsSync(`${hostRoot}/proc/uptime`) ? `${hostRoot}/proc` : "/proc");
