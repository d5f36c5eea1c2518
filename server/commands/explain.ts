import { open } from "node:fs/promises";
import { parseArgs } from "node:util";
import { ConfigError } from "../config";
import type { CommandIo } from "../main";
import { explainText } from "../services/explain-text";
import { explanationWords } from "./explain-words";

const HELP = `Usage: sandglass explain [TEXT …] [--file FILE] [--output text|json]
       kubectl get events -A -o json | sandglass explain

Says what the text of an event, a log or a list of objects tells: the cause, what in the text says so, what to look at and what to
do. Takes the text from its arguments, from a file, or from standard input. Asks no cluster and needs no data file.
`;

/** Most that is read of a file or of standard input. A text is read up to its first 1,048,576 characters; in a list of kubectl each message is. */
export const MAX_INPUT_BYTES = 64 * 1_048_576;

/** Returns the exit code: 0 whatever the text says, undecided included. */
export async function explainCommand(args: readonly string[], io: CommandIo): Promise<number> {
  const { values, positionals } = optionsOf(args);
  if (values.help === true) {
    io.stdout.write(HELP);
    return 0;
  }
  const output = values.output ?? "text";
  if (output !== "text" && output !== "json") throw new ConfigError(`--output is "${output.slice(0, 40)}": it must be text or json.`);
  if (positionals.length > 0 && values.file !== undefined) throw new ConfigError("Name a text or --file, not both.");
  const text = await textOf(positionals, values.file, io);
  if (text.trim() === "") throw new ConfigError("There is no text to explain: give it as an argument, with --file, or on standard input. Try --help.");
  const explained = explainText({ input: { text } });
  io.stdout.write(output === "json" ? `${JSON.stringify(explained, undefined, 1)}\n` : explanationWords(explained));
  return 0;
}

function optionsOf(args: readonly string[]) {
  const text = { type: "string" } as const;
  try {
    return parseArgs({ args: [...args], options: { file: text, output: text, help: { type: "boolean" } }, allowPositionals: true });
  } catch (cause) {
    throw new ConfigError(`${cause instanceof Error ? cause.message.split(". ")[0] : "The options cannot be read"}. A text that begins with "-" goes behind "--". Try --help.`, { cause });
  }
}

async function textOf(positionals: readonly string[], file: string | undefined, io: CommandIo): Promise<string> {
  if (positionals.length > 0) return positionals.join(" ");
  if (file !== undefined) return fileText(file);
  return io.stdin.isTTY ? "" : readBounded(io.stdin, "Standard input");
}

async function fileText(file: string): Promise<string> {
  let handle;
  try {
    handle = await open(file);
  } catch (cause) {
    throw new ConfigError(`The file ${file} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}.`, { cause });
  }
  try {
    return await readBounded(handle.createReadStream({ autoClose: false }), `The file ${file}`);
  } finally {
    await handle.close();
  }
}

async function readBounded(stream: AsyncIterable<string | Buffer>, what: string): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    const piece = Buffer.from(chunk);
    bytes += piece.byteLength;
    if (bytes > MAX_INPUT_BYTES) throw new ConfigError(`${what} holds more than ${String(MAX_INPUT_BYTES)} bytes. Select fewer objects, by namespace or by field.`);
    chunks.push(piece);
  }
  return Buffer.concat(chunks).toString("utf8");
}
