const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const COMMA = 0x2c;
const COLON = 0x3a;
const ITEMS_DEPTH = 2;
const MAX_KEY_BYTES = 64;
const isSpace = (byte: number) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/** The answer is no JSON object, or ended inside one. */
export class NotAList extends Error {
  override readonly name = "NotAList";
}

export interface ListCounts {
  /** Items longer than the bound, passed over. */
  tooLong: number;
}

/**
 * Cuts the items out of a Kubernetes list while its bytes arrive, so that neither a page nor a list without pages is
 * ever held or parsed as a whole: the event loop is free between two chunks, and one item is the most that is kept.
 */
export class ListSplitter {
  #depth = 0;
  #inString = false;
  #escaped = false;
  #done = false;
  /** The key at depth 1 whose value is being read, and whether the colon was seen. */
  #key = "";
  #keyOpen = false;
  #afterColon = false;
  #section: "items" | "metadata" | "other" = "other";
  /** Bytes of the item or of the metadata that is being read. */
  #parts: Buffer[] = [];
  #bytes = 0;
  #capturing = false;
  #skipping = false;
  #metadata: Buffer | undefined;

  constructor(
    private readonly maxItemBytes: number,
    private readonly counts: ListCounts,
  ) {}

  /** The items that end in this chunk, as JSON bytes. */
  *feed(chunk: Buffer): Generator<Buffer> {
    let from = this.#capturing ? 0 : -1;
    for (let at = 0; at < chunk.length; at++) {
      if (this.#inString) {
        at = this.#skipString(chunk, at);
        continue;
      }
      const byte = chunk[at] ?? 0;
      switch (byte) {
        case QUOTE:
          if (this.#depth === 0) throw new NotAList("the answer is not a JSON object");
          this.#inString = true;
          if (this.#depth === 1 && !this.#afterColon) {
            this.#key = "";
            this.#keyOpen = true;
          }
          break;
        case COLON:
          if (this.#depth === 1) {
            this.#afterColon = true;
            this.#section = this.#key === "items" || this.#key === "metadata" ? this.#key : "other";
          }
          break;
        case COMMA:
          if (this.#depth === 1) this.#afterColon = false;
          break;
        case OPEN_BRACE:
        case OPEN_BRACKET:
          if (this.#done || (this.#depth === 0 && byte !== OPEN_BRACE)) throw new NotAList("the answer is not a JSON object");
          this.#depth += 1;
          if (this.#begins()) {
            this.#capturing = true;
            from = at;
          }
          break;
        case CLOSE_BRACE:
        case CLOSE_BRACKET: {
          if (this.#depth === 0) throw new NotAList("the answer is not a JSON object");
          const ends = this.#ends();
          this.#depth -= 1;
          if (ends) {
            const bytes = this.#take(chunk.subarray(from, at + 1));
            from = -1;
            if (bytes !== undefined && this.#section === "items") yield bytes;
            else if (bytes !== undefined) this.#metadata = bytes;
          }
          if (this.#depth === 0) this.#done = true;
          break;
        }
        default:
          if (this.#depth === 0 && !isSpace(byte)) throw new NotAList("the answer is not a JSON object");
      }
    }
    if (from !== -1) this.#keep(chunk.subarray(from));
  }

  /** Reads on inside a string; the place of its closing quote, or of the chunk's end. Most bytes of a list are read here. */
  #skipString(chunk: Buffer, from: number): number {
    let escaped = this.#escaped;
    let at = from;
    for (; at < chunk.length; at++) {
      const byte = chunk[at];
      if (escaped) escaped = false;
      else if (byte === BACKSLASH) escaped = true;
      else if (byte === QUOTE) break;
    }
    this.#escaped = escaped;
    if (this.#keyOpen && this.#key.length < MAX_KEY_BYTES) this.#key += chunk.toString("latin1", from, Math.min(at, from + MAX_KEY_BYTES));
    if (at < chunk.length) {
      this.#inString = false;
      this.#keyOpen = false;
    }
    return at;
  }

  /** The list's `metadata`; throws where the answer ended too early. */
  end(): unknown {
    if (!this.#done) throw new NotAList("the answer ended inside the list");
    return this.#metadata === undefined ? {} : (JSON.parse(this.#metadata.toString("utf8")) as unknown);
  }

  /** An element of `items`, or the object `metadata`, just opened. */
  #begins(): boolean {
    return !this.#capturing && ((this.#section === "items" && this.#depth === ITEMS_DEPTH + 1) || (this.#section === "metadata" && this.#depth === 2));
  }

  #ends(): boolean {
    return this.#capturing && ((this.#section === "items" && this.#depth === ITEMS_DEPTH + 1) || (this.#section === "metadata" && this.#depth === 2));
  }

  #take(rest: Buffer): Buffer | undefined {
    this.#keep(rest);
    const bytes = this.#skipping ? undefined : this.#parts.length === 1 ? this.#parts[0] : Buffer.concat(this.#parts);
    this.#parts = [];
    this.#bytes = 0;
    this.#capturing = false;
    this.#skipping = false;
    return bytes;
  }

  #keep(part: Buffer): void {
    if (this.#skipping) return;
    this.#bytes += part.length;
    if (this.#bytes > this.maxItemBytes) {
      this.counts.tooLong += 1;
      this.#skipping = true;
      this.#parts = [];
      return;
    }
    this.#parts.push(part);
  }
}
