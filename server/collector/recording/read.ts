import { createReadStream } from "node:fs";
import { actionableError } from "../../errors";
import { LineSplitter, type LineCounts } from "../../sources/kube-api/lines";
import { MAX_LINE_BYTES, type RecordingEnd, type RecordingHeader, type RecordingLine } from "./format";
import { parseHeader, parseLine } from "./schema";

/** Lines that cannot be read are passed over and counted; with more than these the file is no recording. */
export const MAX_BAD_LINES = 100;

export interface RecordingReading {
  readonly header: RecordingHeader;
  readonly lines: AsyncGenerator<RecordingLine, void, void>;
  /** What was found so far; whole once the lines have ended. */
  readonly found: Found;
}

export interface Found {
  lines: number;
  badLines: number;
  /** "line 12: see.object.uid: Invalid input". */
  firstBad?: string;
  /** Absent where the recording broke off. */
  end?: RecordingEnd;
}

/** Opens a recording; its first line is read at once. Throws an error for a person where the file is no recording that can be read. */
export async function readRecording(file: string): Promise<RecordingReading> {
  const counts: LineCounts = { tooLong: 0, halfLines: 0 };
  const lines = linesOf(file, counts);
  const first = await lines.next();
  if (first.done === true) throw actionableError(`${file} holds no whole line: it is no recording, or ended as it began.`);
  const found: Found = { lines: 1, badLines: 0 };
  const header = parseHeader(first.value);
  if (header.ok) return { header: header.value, lines: parsedLines(file, lines, found, counts), found };
  await lines.return(); // nobody reads on, so the file would stay open
  throw actionableError(`${file} is no recording that can be read: ${header.reason}.`);
}

async function* parsedLines(file: string, lines: AsyncGenerator<string, void, void>, found: Found, counts: LineCounts): AsyncGenerator<RecordingLine, void, void> {
  for await (const text of lines) {
    found.lines += 1;
    const line = parseLine(text);
    if (!line.ok) {
      spoil(file, found, `line ${found.lines}: ${line.reason}`);
      continue;
    }
    if (line.value.kind === "end") found.end = line.value.because;
    yield line.value;
  }
  if (counts.tooLong > 0) spoil(file, found, `a line of more than ${MAX_LINE_BYTES} bytes`);
}

function spoil(file: string, found: Found, what: string): void {
  found.badLines += 1;
  found.firstBad ??= what;
  if (found.badLines > MAX_BAD_LINES) throw actionableError(`${file} is no recording that can be read: ${found.badLines} lines are broken, the first is ${found.firstBad}.`);
}

/** Half a line at the end is what a process leaves that was killed while it wrote. */
async function* linesOf(file: string, counts: LineCounts): AsyncGenerator<string, void, void> {
  const splitter = new LineSplitter(MAX_LINE_BYTES, counts);
  try {
    for await (const chunk of createReadStream(file)) for (const line of splitter.feed(chunk as Buffer)) yield line.toString("utf8");
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    if (code === undefined) throw cause;
    throw actionableError(`${file} cannot be read (${code}).`, cause);
  }
  splitter.end();
}
