import { readFile, stat } from "node:fs/promises";
import { Agent } from "node:https";
import { reasonOf } from "./host-fs";

/**
 * The agent's connection to the server: one, kept alive, for reports and orders alike, since the server holds a place and memory
 * for each. Token and authority are read again when their files change, as rotation does.
 */
export interface Line {
  /** For the next request. Throws in words where the token or the authority cannot be read. */
  take(): Promise<{ readonly agent: Agent; readonly bearer: string; readonly authority: string }>;
  /** Room for an asking that the server holds, beside the reports. */
  widen(): void;
  close(): void;
}

/** What both sides know each other by; read anew for each request. */
export interface LineSecrets {
  readonly ca: () => Promise<{ readonly text: string; readonly changed: boolean }>;
  readonly token: () => Promise<{ readonly text: string }>;
}

const SOCKETS = 1;
const WIDE_SOCKETS = 2;
const MAX_SECRET_FILE_BYTES = 64 * 1024;

export function createLine({ ca, token }: LineSecrets): Line {
  let agent: Agent | undefined;
  let maxSockets = SOCKETS;
  return {
    take: async () => {
      const authority = await ca();
      if (authority.changed || agent === undefined) {
        agent?.destroy();
        agent = new Agent({ keepAlive: true, maxSockets, ca: authority.text, minVersion: "TLSv1.3" });
      }
      const using = agent;
      return { agent: using, bearer: (await token()).text.trim(), authority: authority.text };
    },
    widen: () => {
      maxSockets = WIDE_SOCKETS;
      if (agent !== undefined) agent.maxSockets = maxSockets;
    },
    close: () => {
      agent?.destroy();
    },
  };
}

export const lineOfFiles = ({ caFile, tokenFile }: { readonly caFile: string; readonly tokenFile: string }): Line => createLine({ ca: cachedFile(caFile), token: cachedFile(tokenFile) });

/** A small file's text, read again when it was replaced or written. */
function cachedFile(path: string): LineSecrets["ca"] {
  let last: { readonly stamp: string; readonly text: string } | undefined;
  return async () => {
    try {
      const found = await stat(path);
      const stamp = `${String(found.ino)} ${String(found.mtimeMs)} ${String(found.size)}`;
      if (last?.stamp === stamp) return { text: last.text, changed: false };
      if (!found.isFile() || found.size > MAX_SECRET_FILE_BYTES) throw new Error(`not a file of at most ${String(MAX_SECRET_FILE_BYTES)} bytes`);
      last = { stamp, text: await readFile(path, "utf8") };
      return { text: last.text, changed: true };
    } catch (error) {
      throw new Error(`${path} could not be read: ${reasonOf(error)}`, { cause: error });
    }
  };
}
