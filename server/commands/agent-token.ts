import path from "node:path";
import { parseArgs } from "node:util";
import { ConfigError } from "../config";
import type { CommandIo } from "../main";
import { issueAgentToken } from "../sources/agent/tokens";

const HELP = `Usage: sandglass agent-token NODE [--data DIR] [--renew]

Makes the token with which the agent of one node reports, and prints the file that holds it. Copy that file to the node.
--renew replaces a token that is there; the old one is refused from then on.
`;

export async function agentToken(args: readonly string[], io: CommandIo): Promise<number> {
  if (args.includes("--help")) {
    io.stdout.write(HELP);
    return 0;
  }
  let parsed;
  try {
    parsed = parseArgs({ args: [...args], options: { data: { type: "string" }, renew: { type: "boolean" } }, allowPositionals: true });
  } catch (cause) {
    throw new ConfigError(`${cause instanceof Error ? cause.message.split(". ")[0] : "The options cannot be read"}. Try --help.`, { cause });
  }
  const [node, ...more] = parsed.positionals;
  if (node === undefined || more.length > 0) throw new ConfigError("Name one node: sandglass agent-token NODE.");
  const { file, made } = await issueAgentToken(path.resolve(parsed.values.data ?? io.env.SANDGLASS_DATA ?? "data"), node, { renew: parsed.values.renew ?? false });
  io.stdout.write(`${file}\n`);
  if (!made) io.stderr.write("The token was there already; --renew makes a new one.\n");
  return 0;
}
