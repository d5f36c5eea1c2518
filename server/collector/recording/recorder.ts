import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";
import type { Observation } from "../../domain/observation";
import { actionableError } from "../../errors";
import { MAX_LINE_BYTES, type RecordingEnd, type RecordingHeader, type RecordingLine } from "./format";
import { lineText } from "./schema";
import { withoutSecrets } from "./without-secrets";

/** Lines are handed to the system together, at the latest when this much waits. */
const WRITE_BYTES = 1024 * 1024;
/** Kept free for the line that says how the recording ended. */
const END_BYTES = 128;

/** Where a collector lets a recording have what it takes and when it judges. Neither throws. */
export interface Tap {
  observe(observation: Observation, receivedMs: number): void;
  judged(atMs: number): void;
}

export interface RecorderOptions {
  /** Must not exist yet. */
  readonly file: string;
  readonly header: RecordingHeader;
  readonly maxBytes: number;
  /** Nothing more is taken: the bound is reached, or the file cannot be written. Called once. */
  readonly onFull: (failure?: Error) => void;
}

/** Writes a recording as it happens. Whole lines alone go to the file, so that it can be read whatever ends this process. */
export class Recorder implements Tap {
  readonly #fd: number;
  #waiting: string[] = [];
  #waitingBytes = 0;
  #bytes = 0;
  #observations = 0;
  #leftOut = 0;
  #full = false;
  #closed = false;

  constructor(private readonly options: RecorderOptions) {
    const { file } = options;
    try {
      // What is recorded names the machines and workloads of a cluster: for this user's eyes.
      this.#fd = openSync(file, "wx", 0o600);
    } catch (cause) {
      const code = (cause as NodeJS.ErrnoException).code ?? "unknown reason";
      throw actionableError(code === "EEXIST" ? `${file} exists already. Choose another file with --out, or remove it.` : `The file ${file} cannot be made (${code}). Choose another with --out.`, cause);
    }
    this.#write(JSON.stringify(options.header, (_, value: unknown) => (typeof value === "string" ? withoutSecrets(value) : value)));
    this.#flush();
  }

  get bytes(): number {
    return this.#bytes;
  }
  get observations(): number {
    return this.#observations;
  }
  /** Observations that would have made a line longer than can be read. */
  get leftOut(): number {
    return this.#leftOut;
  }

  observe(observation: Observation, receivedMs: number): void {
    if (this.#take({ kind: "seen", atMs: receivedMs, observation })) this.#observations += 1;
  }

  judged(atMs: number): void {
    this.#take({ kind: "judged", atMs });
    this.#flush();
  }

  end(because: RecordingEnd, atMs: number): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#write(lineText({ kind: "end", atMs, because }, withoutSecrets));
    this.#flush();
    try {
      fsyncSync(this.#fd);
    } finally {
      closeSync(this.#fd);
    }
  }

  #take(line: RecordingLine): boolean {
    if (this.#full || this.#closed) return false;
    const text = lineText(line, withoutSecrets);
    const bytes = Buffer.byteLength(text) + 1;
    if (bytes > MAX_LINE_BYTES) {
      this.#leftOut += 1;
      return false;
    }
    if (this.#bytes + bytes > this.options.maxBytes - END_BYTES) {
      this.#fill();
      return false;
    }
    this.#write(text);
    if (this.#waitingBytes >= WRITE_BYTES) this.#flush();
    return true;
  }

  #write(text: string): void {
    const line = `${text}\n`;
    const bytes = Buffer.byteLength(line);
    this.#waiting.push(line);
    this.#waitingBytes += bytes;
    this.#bytes += bytes;
  }

  #flush(): void {
    if (this.#waiting.length === 0) return;
    const block = Buffer.from(this.#waiting.join(""));
    this.#waiting = [];
    this.#waitingBytes = 0;
    try {
      for (let at = 0; at < block.length; ) at += writeSync(this.#fd, block, at);
    } catch (cause) {
      const code = (cause as NodeJS.ErrnoException).code ?? "unknown reason";
      this.#fill(actionableError(`The file ${this.options.file} cannot be written (${code}); what was recorded until then can be read.`, cause));
    }
  }

  #fill(failure?: Error): void {
    if (this.#full) return;
    this.#full = true;
    this.options.onFull(failure);
  }
}
