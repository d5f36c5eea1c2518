import { Sentence, stopAll } from "./steps.mjs";
import { watchNpm } from "./watch-npm.mjs";

/** Exit codes of a process that a signal ended, as shells count them. */
export const SIGNAL_CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

/** Runs work that a signal may interrupt: what it started is ended first. A Sentence is printed as it is. */
export async function runToEnd(work) {
  let stopping = false;
  for (const signal of Object.keys(SIGNAL_CODES)) {
    process.on(signal, () => {
      if (stopping) return;
      stopping = true;
      void stopAll().then(() => process.exit(SIGNAL_CODES[signal]));
    });
  }
  watchNpm(() => process.kill(process.pid, "SIGTERM"));
  try {
    return await work();
  } catch (error) {
    if (stopping) return undefined;
    process.stderr.write(`${error instanceof Sentence ? error.message : (error.stack ?? error)}\n`);
    process.exitCode = 1;
    return undefined;
  }
}
