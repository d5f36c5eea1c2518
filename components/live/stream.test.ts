// eslint-disable-next-line no-restricted-imports -- the test stands up a real server
import http from "node:http";
// eslint-disable-next-line no-restricted-imports -- its address
import type { AddressInfo } from "node:net";
import { EventSource } from "undici";
import { afterEach, describe, expect, it } from "vitest";
import type { ChangeMessage } from "@/server/http/schemas";
import { answered, change } from "@/components/testing/summaries";
import { LiveStream, type StreamHandlers } from "./stream";

type Connection = (request: http.IncomingMessage, response: http.ServerResponse) => void;

interface Heard {
  readonly changes: ChangeMessage[];
  readonly hellos: (number | undefined)[];
  readonly states: string[];
  readonly unreadable: unknown[];
}

/** A real server whose n-th connection is answered by the n-th script, and a stream that listens to it. */
class Bench {
  readonly urls: string[] = [];
  readonly lastIds: (string | undefined)[] = [];
  readonly heard: Heard = { changes: [], hellos: [], states: [], unreadable: [] };
  private readonly waiting: { readonly until: () => boolean; readonly done: () => void }[] = [];
  private readonly sources: EventSource[] = [];
  private constructor(private readonly server: http.Server) {}

  static async start(scripts: readonly Connection[]): Promise<Bench> {
    const server = http.createServer();
    const bench = new Bench(server);
    server.on("request", (request, response) => {
      bench.urls.push(request.url ?? "");
      const id = request.headers["last-event-id"];
      bench.lastIds.push(Array.isArray(id) ? id[0] : id);
      const script = scripts[Math.min(bench.urls.length, scripts.length) - 1];
      script?.(request, response);
      bench.told();
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    return bench;
  }

  listen(seq?: number): LiveStream {
    const handlers: StreamHandlers = {
      onChange: (message) => this.note(() => this.heard.changes.push(message)),
      onHello: (hello) => this.note(() => this.heard.hellos.push(hello)),
      onState: (state) => this.note(() => this.heard.states.push(state)),
      onUnreadable: (reason) => this.note(() => this.heard.unreadable.push(reason)),
    };
    const { port } = this.server.address() as AddressInfo;
    // Node has the same EventSource as a class of undici; it lacks only what the DOM's type adds.
    const stream = new LiveStream(`http://127.0.0.1:${port}/api/v1/stream`, handlers, seq, (url) => this.open(url), () => 0);
    stream.open();
    return stream;
  }

  until(condition: () => boolean): Promise<void> {
    if (condition()) return Promise.resolve();
    return new Promise((done) => this.waiting.push({ until: condition, done }));
  }

  async stop(): Promise<void> {
    for (const source of this.sources) source.close();
    this.server.closeAllConnections();
    await new Promise((done) => this.server.close(done));
  }

  private open(url: string): globalThis.EventSource {
    const source = new EventSource(url);
    this.sources.push(source);
    return source as unknown as globalThis.EventSource;
  }

  private note(keep: () => void): void {
    keep();
    this.told();
  }

  private told(): void {
    for (const one of [...this.waiting]) {
      if (!one.until()) continue;
      this.waiting.splice(this.waiting.indexOf(one), 1);
      one.done();
    }
  }
}

const say = (event: string, data: unknown, id?: number): string => `event: ${event}\n${id === undefined ? "" : `id: ${id}\n`}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
const stream =
  (...messages: readonly string[]): Connection =>
  (_request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write("retry: 20\n\n");
    for (const message of messages) response.write(message);
  };

describe("the one event stream of a tab", () => {
  let bench: Bench | undefined;
  afterEach(() => bench?.stop());

  it("begins after what the page already shows, so that nothing between is lost", async () => {
    bench = await Bench.start([stream(say("hello", { seq: 41 }))]);
    bench.listen(41);
    await bench.until(() => bench?.heard.hellos.length === 1);
    expect(bench.urls).toEqual(["/api/v1/stream?since=41"]);
    expect(bench.heard.hellos).toEqual([41]);
  });

  it("hands on each change whole", async () => {
    bench = await Bench.start([stream(say("hello", { seq: 1 }), say("change", change(2, [answered("node-1", "no")]), 2))]);
    bench.listen();
    await bench.until(() => bench?.heard.changes.length === 1);
    expect(bench.heard.changes[0]?.nodes[0]?.answer.state).toBe("no");
    expect(bench.heard.states.at(-1)).toBe("open");
  });

  it("says that it is lost, and goes on after the last message when the server is back", async () => {
    const cut: Connection = (_request, response) => {
      stream(say("change", change(7, []), 7))(_request, response);
      setImmediate(() => response.destroy());
    };
    bench = await Bench.start([cut, stream(say("change", change(8, []), 8))]);
    bench.listen(6);
    await bench.until(() => bench?.heard.changes.some((one) => one.seq === 8) === true);
    expect(bench.heard.states).toContain("lost");
    expect(bench.lastIds.at(-1)).toBe("7");
  });

  it("opens a new one where the server refused, from the number that it reached", async () => {
    const refuse: Connection = (_request, response) => response.writeHead(503, { "content-type": "application/problem+json" }).end("{}");
    bench = await Bench.start([refuse, stream(say("hello", { seq: 9 }))]);
    bench.listen(9);
    await bench.until(() => bench?.heard.hellos.length === 1);
    expect(bench.urls).toEqual(["/api/v1/stream?since=9", "/api/v1/stream?since=9"]);
    expect(bench.heard.states[0]).toBe("lost");
  });

  it("reports a message that it cannot read and reads the next one", async () => {
    bench = await Bench.start([stream(say("change", "{half"), say("change", { seq: 3 }), say("change", change(4, []), 4))]);
    bench.listen();
    await bench.until(() => bench?.heard.changes.length === 1);
    expect(bench.heard.unreadable).toHaveLength(2);
    expect(bench.heard.changes[0]?.seq).toBe(4);
  });
});
