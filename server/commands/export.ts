import { readdirSync } from "node:fs";
import { randomUUID } from "node:crypto";
import path from "node:path";
import { parseArgs } from "node:util";
import { systemClock } from "../clock";
import { ConfigError, logLevel, systemUser } from "../config";
import { parseNodeName } from "../domain/ids";
import { ServiceError } from "../errors";
import { TimeParam } from "../http/routes";
import { createLog } from "../log";
import type { CommandIo } from "../main";
import { exportMarkdown } from "../services/export-markdown";
import { exportNode } from "../services/export-node";
import { openReader } from "../store/reader";
import { PRODUCT_VERSION } from "../version";

const HELP = `Usage: sandglass export NODE [--from TIME] [--to TIME] [--format json|markdown] [--data DIR] [--file F]

Writes what the data file knows of a node over a range (default: its newest hour) to standard output. Works while
Sandglass runs and while it does not. TIME is ISO 8601 or milliseconds since 1970.
`;

/** The same document as the page's and the API's, from the data file. Returns the exit code. */
export async function exportCommand(args: readonly string[], io: CommandIo): Promise<number> {
  if (args.includes("--help")) {
    io.stdout.write(HELP);
    return 0;
  }
  let parsed;
  try {
    const text = { type: "string" } as const;
    parsed = parseArgs({ args: [...args], options: { from: text, to: text, format: text, data: text, file: text }, allowPositionals: true });
  } catch (cause) {
    throw new ConfigError(`${cause instanceof Error ? cause.message.split(". ")[0] : "The options cannot be read"}. Try --help.`, { cause });
  }
  const { values, positionals } = parsed;
  const name = parseNodeName(positionals[0] ?? "");
  if (name === undefined || positionals.length !== 1) throw new ConfigError(`Name one node: "${(positionals[0] ?? "").slice(0, 80)}" is not a node name.`);
  const format = values.format ?? "json";
  if (format !== "json" && format !== "markdown") throw new ConfigError(`--format is "${format}": it must be json or markdown.`);
  const file = values.file ?? onlyDataFile(path.resolve(values.data ?? io.env.SANDGLASS_DATA ?? "data"));
  const reader = openReader({ file });
  try {
    const newestMs = reader.status()?.atMs ?? systemClock.now();
    const clock = { ...systemClock, now: () => newestMs };
    const made = await exportNode({
      ctx: { actor: { kind: "local", systemUser: systemUser() }, requestId: randomUUID(), clock, reader, log: createLog(logLevel(io.env, "warn"), "export"), version: PRODUCT_VERSION, actionsAllowed: false },
      input: { name, fromMs: time("--from", values.from), toMs: time("--to", values.to) },
    });
    io.stdout.write(format === "markdown" ? exportMarkdown(made) : `${JSON.stringify(made, undefined, 1)}\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    io.stderr.write(`sandglass export: ${error.message}\n`);
    return 1;
  } finally {
    reader.close();
  }
}

function time(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const parsed = TimeParam.safeParse(text);
  if (!parsed.success) throw new ConfigError(`${option}: ${parsed.error.issues[0]?.message ?? "not a time"}.`);
  return parsed.data;
}

function onlyDataFile(folder: string): string {
  let files: string[];
  try {
    files = readdirSync(folder).filter((name) => name.endsWith(".db"));
  } catch (cause) {
    throw new ConfigError(`The data folder ${folder} cannot be read. Choose another with --data.`, { cause });
  }
  const [only, ...others] = files;
  if (only === undefined) throw new ConfigError(`There is no data file in ${folder}. Choose another folder with --data.`);
  if (others.length > 0) throw new ConfigError(`There are ${files.length} data files in ${folder} (${files.slice(0, 5).join(", ")}): name one with --file.`);
  return path.join(folder, only);
}
