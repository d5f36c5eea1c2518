import { constants, existsSync } from "node:fs";
import { open } from "node:fs/promises";
import { HostFileError } from "../host-fs";

/** The kernel's files about processes. They have no size and end where they end, so they are read up to a bound. */
const CHUNK_BYTES = 64 * 1024;

/** Throws where the file cannot be opened, or holds more than `maxBytes`. */
export async function readProcFile(path: string, maxBytes: number): Promise<Buffer> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const chunks: Buffer[] = [];
    let length = 0;
    for (;;) {
      const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, maxBytes + 1));
      const { bytesRead } = await file.read(chunk, 0, chunk.length, null);
      if (bytesRead === 0) return chunks.length === 1 ? (chunks[0] ?? Buffer.alloc(0)) : Buffer.concat(chunks, length);
      chunks.push(chunk.subarray(0, bytesRead));
      length += bytesRead;
      if (length > maxBytes) throw new HostFileError(`${path} holds more than the ${String(maxBytes)} bytes that are read`);
    }
  } finally {
    await file.close();
  }
}

/** Where the node's processes are seen: below the node's root where that holds them, else as this process sees them. */
export const procRoot = (hostRoot: string): string => (hostRoot !== "" && existsSync(`${hostRoot}/proc/uptime`) ? `${hostRoot}/proc` : "/proc");
