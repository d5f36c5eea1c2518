import { createHash } from "node:crypto";
import { realpath } from "node:fs/promises";
import { createServer } from "node:net";
import { codeOf } from "../host-fs";

/**
 * Holds a folder for this process alone, for as long as it lives: while one agent replaces another both may run for a moment, and the
 * new one must not take for left behind what the old one is at. An abstract socket is let go by the kernel, whatever ends a process.
 * Undefined where another process has it.
 */
export async function holdAlone(dir: string): Promise<{ release(): Promise<void> } | undefined> {
  const name = createHash("sha256").update(await realpath(dir)).digest("hex");
  const server = createServer((socket) => socket.destroy());
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(`\0sandglass-agent-${name}`, resolve);
    });
  } catch (error) {
    if (codeOf(error) === "EADDRINUSE") return undefined;
    throw error;
  }
  server.unref();
  return { release: () => new Promise((resolve) => server.close(() => resolve())) };
}
