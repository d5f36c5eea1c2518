const NEWLINE = 10;

export interface LineCounts {
  /** Lines longer than the bound, passed over up to their end. */
  tooLong: number;
  /** Bytes after the last newline when the stream ended: half a line. */
  halfLines: number;
}

/** Cuts a stream of bytes into lines, holding at most one line of `maxBytes`. */
export class LineSplitter {
  #parts: Buffer[] = [];
  #bytes = 0;
  #skipping = false;

  constructor(
    private readonly maxBytes: number,
    private readonly counts: LineCounts,
  ) {}

  /** The complete lines, without their newline; empty ones are left out. */
  *feed(chunk: Buffer): Generator<Buffer> {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      const line = this.#take(chunk.subarray(from, at));
      from = at + 1;
      if (line !== undefined && line.length > 0) yield line;
    }
    this.#keep(chunk.subarray(from));
  }

  /** The stream ended; what is left of it is no line. */
  end(): void {
    if (this.#bytes > 0) this.counts.halfLines += 1;
    this.#reset();
  }

  #take(rest: Buffer): Buffer | undefined {
    this.#keep(rest);
    const line = this.#skipping ? undefined : this.#parts.length === 1 ? this.#parts[0] : Buffer.concat(this.#parts);
    this.#reset();
    return line;
  }

  #keep(part: Buffer): void {
    if (part.length === 0 || this.#skipping) return;
    this.#bytes += part.length;
    if (this.#bytes > this.maxBytes) {
      this.counts.tooLong += 1;
      this.#skipping = true;
      this.#parts = [];
      return;
    }
    this.#parts.push(part);
  }

  #reset(): void {
    this.#parts = [];
    this.#bytes = 0;
    this.#skipping = false;
  }
}
