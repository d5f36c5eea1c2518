import path from "node:path";
import { ConfigError, processEnvironment } from "./config";
import { lastWords } from "./errors";

/** The command line. Each command is loaded only when it is asked for, so the agent carries nothing of the server. */
const COMMANDS = {
  serve: "collect from a cluster and serve the pages (what `npm start` runs)",
  simulate: "start a pretend cluster and print its kubeconfig",
  agent: "run on a node: read what only the node can see, print it or push it",
  "agent-token": "make the token with which one node's agent reports",
  record: "write what is seen of a cluster into a file",
  replay: "judge a recording again, and print what came of it",
  export: "write a node's range as JSON or Markdown",
  explain: "say what the text of an event or a log tells, and what to do",
} as const;

type Run = (args: readonly string[], io: CommandIo) => Promise<number>;

export interface CommandIo {
  readonly env: ReturnType<typeof processEnvironment>;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream;
  /** The folder that holds dist, .next and prisma. */
  readonly root: string;
  /** Aborted by SIGINT, SIGTERM and SIGHUP. */
  readonly signal: AbortSignal;
}

const load: Record<keyof typeof COMMANDS, () => Promise<Run>> = {
  serve: async () => (await import("./commands/serve")).serve,
  simulate: async () => (await import("./commands/simulate")).simulate,
  agent: async () => (await import("./commands/agent")).agent,
  "agent-token": async () => (await import("./commands/agent-token")).agentToken,
  record: async () => (await import("./commands/record")).record,
  replay: async () => (await import("./commands/replay")).replay,
  export: async () => (await import("./commands/export")).exportCommand,
  explain: async () => (await import("./commands/explain")).explainCommand,
};

const usage = (): string => `Usage: sandglass COMMAND [OPTIONS]\n\n${Object.entries(COMMANDS).map(([name, text]) => `  ${name.padEnd(12)} ${text}`).join("\n")}\n\nOptions of a command: sandglass COMMAND --help\n`;

async function main(): Promise<number> {
  const [command, ...args] = process.argv.slice(2);
  if (command === undefined || command === "--help" || command === "help") {
    process.stdout.write(usage());
    return command === undefined ? 2 : 0;
  }
  if (!Object.hasOwn(load, command)) {
    process.stderr.write(`sandglass: there is no command "${command.slice(0, 40)}".\n\n${usage()}`);
    return 2;
  }
  const stopping = new AbortController();
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(name, () => stopping.abort(name));
  const run = await load[command as keyof typeof COMMANDS]();
  return run(args, { env: processEnvironment(), stdin: process.stdin, stdout: process.stdout, stderr: process.stderr, root: path.resolve(import.meta.dirname, ".."), signal: stopping.signal });
}

main()
  .then(
    (code) => {
      process.exitCode = code;
    },
    (error: unknown) => {
      process.stderr.write(`sandglass: ${lastWords(error)}\n`);
      process.exitCode = error instanceof ConfigError ? 2 : 1;
    },
  )
  .finally(() => {
    // Whoever started us holds a channel, which would keep this process alive with nothing left to do.
    if (process.connected) process.disconnect();
  });
