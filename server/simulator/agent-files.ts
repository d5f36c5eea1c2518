import { readFile } from "node:fs/promises";
import path from "node:path";
import { actionableError } from "../errors";
import type { AgentsOptions } from "./agents";

export interface AgentFiles {
  readonly url?: string | undefined;
  readonly caFile?: string | undefined;
  /** One file NODE.token for each node with an agent, as a collector keeps them. */
  readonly tokens?: string | undefined;
}

/** What agents need, read from files; `undefined` where none are wanted. Throws one sentence where a file is missing or no node has a token. */
export async function agentsFromFiles({ url, caFile, tokens: folder }: AgentFiles, nodes: readonly string[]): Promise<AgentsOptions | undefined> {
  if (url === undefined || caFile === undefined || folder === undefined) return undefined;
  const caPem = await read("--agents-ca", caFile);
  if (caPem === undefined) throw actionableError(`--agents-ca is "${caFile}": there is no such file.`);
  const tokens = new Map<string, string>();
  for (const node of nodes) {
    const token = await read("--agents-tokens", path.join(folder, `${node}.token`));
    if (token !== undefined) tokens.set(node, token.trim());
  }
  if (tokens.size === 0) throw actionableError(`--agents-tokens is "${folder}": it has no token for any of the ${nodes.length} nodes; a node's is in NODE.token.`);
  return { url, caPem, tokenFor: (node) => tokens.get(node) };
}

async function read(option: string, file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return undefined;
    throw actionableError(`${file}, from ${option}, cannot be read (${cause instanceof Error ? cause.message : "unknown reason"}).`, cause);
  }
}
