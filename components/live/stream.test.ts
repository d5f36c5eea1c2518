import { afterEach, describe, expect, it } from "vitest";
import type { ChangeMessage, Status } from "@/server/contract/schemas";
import { answered, change } from "@/components/testing/summaries";
import { say, stream, StreamServer, type StreamScript } from "@/components/testing/stream-server";
import { LiveStream } from "./stream";

interface Heard {
  readonly changes: ChangeMessage[];
  readonly statuses: Status[];
  readonly hellos: (number | undefined)[];
  readonly states: string[];
  readonly unreadable: unknown[];
}

function listen(server: StreamServer, seq?: number): Heard {
  const heard: Heard = { changes: [], statuses: [], hellos: [], states: [], unreadable: [] };
  const note = <T>(list: T[]) => (item: T): void => {
    list.push(item);
    server.look();
  };
  new LiveStream("/api/v1/stream", { onChange: note(heard.changes), onStatus: note(heard.statuses), onHello: note(heard.hellos), onState: note(heard.states), onUnreadable: note(heard.unreadable) }, seq, server.open, () => 0).open();
  return heard;
}

describe("the one event stream of a tab", () => {
  let bench: StreamServer | undefined;
  afterEach(() => bench?.stop());

  it("begins after what the page already shows, so that nothing between is lost", async () => {
    bench = await StreamServer.start([stream(say("hello", { seq: 41 }))]);
    const heard = listen(bench, 41);
    await bench.until(() => heard.hellos.length === 1);
    expect(bench.urls).toEqual(["/api/v1/stream?since=41"]);
    expect(heard.hellos).toEqual([41]);
  });

  it("hands on each change whole", async () => {
    bench = await StreamServer.start([stream(say("hello", { seq: 1 }), say("change", change(2, [answered("node-1", "no")]), 2))]);
    const heard = listen(bench);
    await bench.until(() => heard.changes.length === 1);
    expect(heard.changes[0]?.nodes[0]?.answer.state).toBe("no");
    expect(heard.states.at(-1)).toBe("open");
  });

  it("says that it is lost, and goes on after the last message when the server is back", async () => {
    const cut: StreamScript = (_request, response) => {
      stream(say("change", change(7, []), 7))(_request, response);
      setImmediate(() => response.destroy());
    };
    bench = await StreamServer.start([cut, stream(say("change", change(8, []), 8))]);
    const heard = listen(bench, 6);
    await bench.until(() => heard.changes.some((one) => one.seq === 8) === true);
    expect(heard.states).toContain("lost");
    expect(bench.lastIds.at(-1)).toBe("7");
  });

  it("opens a new one where the server refused, from the number that it reached", async () => {
    const refuse: StreamScript = (_request, response) => response.writeHead(503, { "content-type": "application/problem+json" }).end("{}");
    bench = await StreamServer.start([refuse, stream(say("hello", { seq: 9 }))]);
    const heard = listen(bench, 9);
    await bench.until(() => heard.hellos.length === 1);
    expect(bench.urls).toEqual(["/api/v1/stream?since=9", "/api/v1/stream?since=9"]);
    expect(heard.states[0]).toBe("lost");
  });

  it("reports a message that it cannot read and reads the next one", async () => {
    bench = await StreamServer.start([stream(say("change", "{half"), say("change", { seq: 3 }), say("change", change(4, []), 4))]);
    const heard = listen(bench);
    await bench.until(() => heard.changes.length === 1);
    expect(heard.unreadable).toHaveLength(2);
    expect(heard.changes[0]?.seq).toBe(4);
  });
});
