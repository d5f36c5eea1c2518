import type { ChangeMessage, Status } from "@/server/contract/schemas";

/** Waits before a stream that ended for good is opened anew: doubling between these, with jitter. */
const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 15_000;

export interface StreamHandlers {
  onChange(message: ChangeMessage): void;
  /** Sandglass's own state changed, and nothing else. */
  onStatus(status: Status): void;
  /** The server's sequence number when the stream opened. */
  onHello(seq: number | undefined): void;
  onState(state: "open" | "lost"): void;
  /** A message that could not be read; the stream goes on. */
  onUnreadable(reason: unknown): void;
}

export type OpenEventSource = (url: string) => EventSource;

/**
 * The one event stream of a tab. A browser resumes by itself with Last-Event-ID while the server is away; only where
 * the server refuses (an error status) does EventSource give up, and then this opens a new one after a pause.
 */
export class LiveStream {
  private source: EventSource | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private retryMs = FIRST_RETRY_MS;
  private closed = false;

  constructor(
    private readonly url: string,
    private readonly handlers: StreamHandlers,
    private seq: number | undefined,
    private readonly openSource: OpenEventSource = (address) => new EventSource(address),
    private readonly random: () => number = Math.random,
  ) {}

  open(): void {
    if (this.closed) return;
    const source = this.openSource(this.seq === undefined ? this.url : `${this.url}?since=${this.seq}`);
    this.source = source;
    source.addEventListener("hello", (event) => {
      this.retryMs = FIRST_RETRY_MS;
      this.handlers.onState("open");
      this.read(event, (value) => this.handlers.onHello(hasSeq(value) ? value.seq : undefined));
    });
    source.addEventListener("change", (event) => {
      this.handlers.onState("open");
      this.read(event, (value) => {
        if (!isChangeMessage(value)) throw new TypeError("a change message without seq, at, nodes and gone");
        this.seq = value.seq;
        this.handlers.onChange(value);
      });
    });
    source.addEventListener("status", (event) => {
      this.read(event, (value) => {
        if (!isStatus(value)) throw new TypeError("a status without version and at");
        this.handlers.onStatus(value);
      });
    });
    source.addEventListener("error", () => {
      this.handlers.onState("lost");
      if (source.readyState === EventSourceState.closed) this.retryLater();
    });
  }

  close(): void {
    this.closed = true;
    if (this.timer !== undefined) clearTimeout(this.timer);
    this.source?.close();
  }

  private retryLater(): void {
    if (this.closed || this.timer !== undefined) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.open();
    }, this.retryMs * (0.5 + this.random() / 2));
    this.retryMs = Math.min(MAX_RETRY_MS, this.retryMs * 2);
  }

  private read(event: MessageEvent<unknown>, use: (value: unknown) => void): void {
    try {
      use(JSON.parse(String(event.data)));
    } catch (reason) {
      this.handlers.onUnreadable(reason);
    }
  }
}

/** EventSource.CLOSED by number: the class itself exists in browsers only. */
const EventSourceState = { closed: 2 } as const;

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;
const hasSeq = (value: unknown): value is { seq: number } => isRecord(value) && typeof value["seq"] === "number";
const isStatus = (value: unknown): value is Status => isRecord(value) && typeof value["version"] === "string" && typeof value["at"] === "string";
/** Only the frame: its nodes are of the build that this page came from. */
const isChangeMessage = (value: unknown): value is ChangeMessage =>
  isRecord(value) && typeof value["seq"] === "number" && typeof value["at"] === "string" && Array.isArray(value["nodes"]) && Array.isArray(value["gone"]);
