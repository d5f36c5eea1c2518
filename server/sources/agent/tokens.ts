import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { readFile, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { monotonicMs } from "@/server/clock";
import { parseNodeName, type NodeName } from "@/server/domain/ids";
import { actionableError } from "@/server/errors";
import type { Log } from "@/server/log";
import { makeFolder } from "@/server/make-folder";

/**
 * Who an agent is: one file `<node>.token` per node in a folder of the server's data. The file's copy on the node is what the
 * agent shows. Only hashes are kept in memory. Files that come, change or go are noticed without a restart.
 */
export interface AgentTokens {
  /** The one node whose token this is. */
  nodeOf(token: string): Promise<NodeName | undefined>;
}

const SUFFIX = ".token";
const TOKEN_BYTES = 32;
const MIN_TOKEN_CHARS = 32;
const MAX_TOKEN_CHARS = 4_096;
const MAX_TOKENS = 20_000;
const MAX_FILE_NAME_BYTES = 255;
/** How often at most the folder is looked at for a change, and how often it is read again in any case (a file written in place). */
const LOOK_AGAIN_MS = 1_000;
const READ_AGAIN_MS = 60_000;
const FILES_AT_ONCE = 16;

const hash = (token: string): Buffer => createHash("sha256").update(token).digest();

export function agentTokens(folder: string, log: Log): AgentTokens {
  let known = new Map<string, { readonly digest: Buffer; readonly node: NodeName }>();
  let stamp: string | undefined;
  let lookedMs = Number.NEGATIVE_INFINITY;
  let readMs = Number.NEGATIVE_INFINITY;
  let refreshing: Promise<void> | undefined;

  const refresh = async (): Promise<void> => {
    const nowMs = monotonicMs();
    if (nowMs - lookedMs < LOOK_AGAIN_MS) return;
    lookedMs = nowMs;
    try {
      const found = await stat(folder);
      const newStamp = `${String(found.ino)} ${String(found.mtimeMs)}`;
      if (newStamp === stamp && nowMs - readMs < READ_AGAIN_MS) return;
      known = await readTokens(folder, log);
      stamp = newStamp;
      readMs = nowMs;
    } catch (error) {
      // The tokens read before stay good: a folder that cannot be read for a moment is not a revocation.
      log.warn({ folder, err: error }, "agent tokens could not be read");
    }
  };

  return {
    nodeOf: async (token) => {
      refreshing ??= refresh().finally(() => {
        refreshing = undefined;
      });
      await refreshing;
      const digest = hash(token);
      // Found by its hash, whose bytes a guess cannot steer, so the look-up's own timing tells nothing about any token.
      const found = known.get(digest.toString("hex"));
      return found !== undefined && timingSafeEqual(found.digest, digest) ? found.node : undefined;
    },
  };
}

async function readTokens(folder: string, log: Log): Promise<Map<string, { digest: Buffer; node: NodeName }>> {
  const known = new Map<string, { digest: Buffer; node: NodeName }>();
  const shared = new Set<string>();
  const files = (await readdir(folder)).filter((file) => file.endsWith(SUFFIX)).sort();
  if (files.length > MAX_TOKENS) log.error({ folder, files: files.length, limit: MAX_TOKENS }, "too many agent tokens; the last ones are left out");
  const queue = files.slice(0, MAX_TOKENS);
  const worker = async (): Promise<void> => {
    for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
      const node = parseNodeName(file.slice(0, -SUFFIX.length));
      const token = await readToken(path.join(folder, file), log);
      if (token === undefined) continue;
      if (node === undefined) {
        log.warn({ file }, "an agent token for what is not a node name is left out");
        continue;
      }
      const digest = hash(token);
      const key = digest.toString("hex");
      if (known.has(key)) shared.add(key);
      else known.set(key, { digest, node });
    }
  };
  await Promise.all(Array.from({ length: FILES_AT_ONCE }, worker));
  for (const key of shared) {
    log.error({ node: known.get(key)?.node }, "two nodes have the same agent token: it is good for neither");
    known.delete(key);
  }
  return known;
}

async function readToken(file: string, log: Log): Promise<string | undefined> {
  try {
    const { size } = await stat(file);
    const token = size > MAX_TOKEN_CHARS ? "" : (await readFile(file, "utf8")).trim();
    if (token.length >= MIN_TOKEN_CHARS) return token;
    log.warn({ file, minChars: MIN_TOKEN_CHARS, maxChars: MAX_TOKEN_CHARS }, "an agent token of the wrong length is left out");
  } catch (error) {
    log.warn({ file, err: error }, "an agent token could not be read");
  }
  return undefined;
}

/** The folder of agent tokens, and of the authority that agents trust, in a data folder. */
export const agentFolder = (dataDir: string): string => path.join(dataDir, "agents");

/**
 * Makes the node's token file, or keeps the one that is there unless `renew`; a renewed token ends the old one within a second.
 * Throws where the node's name is not one or the file cannot be written.
 */
export async function issueAgentToken(dataDir: string, node: string, options: { readonly renew?: boolean } = {}): Promise<{ readonly file: string; readonly made: boolean }> {
  if (parseNodeName(node) === undefined) throw actionableError(`"${node.slice(0, 300)}" is not a possible node name: give it as kubectl get nodes shows it.`);
  const name = `${node}${SUFFIX}`;
  if (name.length > MAX_FILE_NAME_BYTES) throw actionableError(`The node's name is longer than ${String(MAX_FILE_NAME_BYTES - SUFFIX.length)} characters, so it cannot have a token file: let its agent use a service account's token.`);
  const folder = agentFolder(dataDir);
  const file = path.join(folder, name);
  makeFolder(folder);
  if (options.renew !== true && (await exists(file))) return { file, made: false };
  await writePrivately(file, `${randomBytes(TOKEN_BYTES).toString("base64url")}\n`);
  return { file, made: true };
}

/** Whole or not at all, and readable by this user alone from the first byte. */
export async function writePrivately(file: string, text: string): Promise<void> {
  const draft = `${file}.${randomBytes(6).toString("hex")}.new`;
  try {
    await writeFile(draft, text, { mode: 0o600, flag: "wx" });
    await rename(draft, file);
  } finally {
    await rm(draft, { force: true });
  }
}

async function exists(file: string): Promise<boolean> {
  try {
    await stat(file);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return false;
    throw error;
  }
}
