// eslint-disable-next-line no-restricted-imports -- a real server stands on it
import http from "node:http";
// eslint-disable-next-line no-restricted-imports -- its address
import type { AddressInfo } from "node:net";
import { EventSource } from "undici";

export type StreamScript = (request: http.IncomingMessage, response: http.ServerResponse) => void;

/** A real server whose n-th connection is answered by the n-th script; the last one answers all that follow. */
export class StreamServer {
  readonly urls: string[] = [];
  readonly lastIds: (string | undefined)[] = [];
  private readonly waiting: { readonly until: () => boolean; readonly done: () => void }[] = [];
  private readonly sources: EventSource[] = [];
  private constructor(private readonly server: http.Server) {}

  static async start(scripts: readonly StreamScript[]): Promise<StreamServer> {
    const server = http.createServer();
    const made = new StreamServer(server);
    server.on("request", (request, response) => {
      made.urls.push(request.url ?? "");
      const id = request.headers["last-event-id"];
      made.lastIds.push(Array.isArray(id) ? id[0] : id);
      scripts[Math.min(made.urls.length, scripts.length) - 1]?.(request, response);
      made.look();
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    return made;
  }

  /** Opens a path of this server. Node's EventSource is undici's; it lacks only what the DOM's type adds. */
  readonly open = (path: string): globalThis.EventSource => {
    const { port } = this.server.address() as AddressInfo; // a TCP server has a port
    const source = new EventSource(`http://127.0.0.1:${port}${path}`);
    this.sources.push(source);
    return source as unknown as globalThis.EventSource;
  };

  /** Resolves once the condition holds; `look` is called whenever something happened. */
  until(condition: () => boolean): Promise<void> {
    if (condition()) return Promise.resolve();
    return new Promise((done) => this.waiting.push({ until: condition, done }));
  }

  readonly look = (): void => {
    for (const one of [...this.waiting]) {
      if (!one.until()) continue;
      this.waiting.splice(this.waiting.indexOf(one), 1);
      one.done();
    }
  };

  async stop(): Promise<void> {
    for (const source of this.sources) source.close();
    this.server.closeAllConnections();
    await new Promise((done) => this.server.close(done));
  }
}

export const say = (event: string, data: unknown, id?: number): string => `event: ${event}\n${id === undefined ? "" : `id: ${id}\n`}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;

/** Says these messages and stays open. */
export const stream =
  (...messages: readonly string[]): StreamScript =>
  (_request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write("retry: 20\n\n");
    for (const message of messages) response.write(message);
  };
