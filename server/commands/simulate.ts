import { logLevel } from "../config";
import type { CommandIo } from "../main";
import { parseSimulateOptions, SIMULATE_USAGE, SimulateUsageError } from "../simulator/options";
import { runSimulate } from "../simulator/run";

/** A pretend cluster in a process of its own. Returns the exit code: 2 for options that cannot be used. */
export async function simulate(args: readonly string[], io: CommandIo): Promise<number> {
  try {
    const options = parseSimulateOptions(args);
    if (options === "help") {
      io.stdout.write(SIMULATE_USAGE);
      return 0;
    }
    await runSimulate(options, { stdout: io.stdout, signal: io.signal, logLevel: logLevel(io.env, "warn") });
    return 0;
  } catch (error) {
    if (!(error instanceof SimulateUsageError)) throw error;
    io.stderr.write(`sandglass simulate: ${error.message}\n`);
    return 2;
  }
}
