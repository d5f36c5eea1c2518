import { monotonicMs } from "../clock";

/** A step of the start as a person reads it: what, and how long it took. */
export interface Progress {
  step<T>(title: string, run: () => Promise<T> | T): Promise<T>;
  say(line: string): void;
}

export function createProgress(out: NodeJS.WritableStream): Progress {
  return {
    say: (line) => void out.write(`${line}\n`),
    step: async (title, run) => {
      const startedMs = monotonicMs();
      const result = await run();
      out.write(`  ${title.padEnd(44)} ${((monotonicMs() - startedMs) / 1_000).toFixed(1)} s\n`);
      return result;
    },
  };
}
