import { AGENT_USAGE, agentOptions } from "../agent/options";
import { runAgent } from "../agent/run";
import { systemClock } from "../clock";
import { logLevel } from "../config";
import { createLog } from "../log";
import type { CommandIo } from "../main";

/** Runs the node agent. Returns the exit code: 2 for options that cannot be used. */
export async function agent(args: readonly string[], io: CommandIo): Promise<number> {
  if (args.includes("--help")) {
    io.stdout.write(`${AGENT_USAGE}\n`);
    return 0;
  }
  const options = agentOptions(args);
  if (!options.ok) {
    io.stderr.write(`sandglass agent: ${options.problems.join("\nsandglass agent: ")}\n`);
    return 2;
  }
  return runAgent(options.value, { clock: systemClock, log: createLog(logLevel(io.env, "info"), "agent"), stdout: io.stdout, signal: io.signal });
}
