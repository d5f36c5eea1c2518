import pino from "pino";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../clock";
import type { Connection } from "../sources/kube-api/connect";
import { ScriptedApiServer } from "../sources/kube-api/testing/scripted-api-server";
import { connectTo } from "../sources/kube-api/testing/watching";
import { aheadMs, CLOCKS_DIFFER_MS, watchClock } from "./clock-watch";

const AT = "Tue, 01 Dec 2026 03:00:00 GMT";
const AT_MS = Date.parse(AT);

test.each<[string, string | undefined, number, number, number | undefined]>([
  ["within the time that the answer took, however long that was", AT, AT_MS - 60_000, AT_MS + 60_000, 0],
  ["within the second of the header", AT, AT_MS + 900, AT_MS + 950, 0],
  ["ahead", AT, AT_MS + 61_000, AT_MS + 61_500, 60_000],
  ["behind", AT, AT_MS - 61_000, AT_MS - 60_000, -60_000],
  ["without a header", undefined, AT_MS, AT_MS, undefined],
  ["with a header that is no date", "soon", AT_MS, AT_MS, undefined],
])("a clock is compared %s", (_name, date, askedMs, answeredMs, ms) => {
  expect(aheadMs(date, askedMs, answeredMs)).toBe(ms);
});

let server: ScriptedApiServer;
let connection: Connection;
beforeEach(async () => {
  server = await ScriptedApiServer.start();
  connection = await connectTo(server);
});
afterEach(async () => {
  await connection.close();
  await server.close();
});

test("a clock that differs from the API server's is warned of once, and told once they agree again", async () => {
  const records: { readonly level: number; readonly msg: string }[] = [];
  const log = pino({ level: "info" }, { write: (line: string) => void records.push(JSON.parse(line) as (typeof records)[number]) });
  let aheadByMs = 0;
  const watched = watchClock(connection, { ...systemClock, now: () => Date.now() + aheadByMs }, log);
  const ask = async (times: number): Promise<void> => {
    for (let asked = 0; asked < times; asked += 1) {
      const answer = await watched.send({ method: "GET", path: "/api/v1/nodes", signal: AbortSignal.timeout(30_000), headersTimeoutMs: 30_000, bodyTimeoutMs: 30_000 });
      await answer.body.dump();
    }
  };
  await ask(2);
  expect(records).toEqual([]);
  aheadByMs = 10 * CLOCKS_DIFFER_MS;
  await ask(2);
  aheadByMs = -10 * CLOCKS_DIFFER_MS;
  await ask(1);
  expect(records).toEqual([expect.objectContaining({ level: 40, msg: expect.stringContaining("ahead of the API server's") as string })]);
  aheadByMs = 0;
  await ask(2);
  expect(records.slice(1)).toEqual([expect.objectContaining({ level: 30, msg: "this machine's clock and the API server's agree again" })]);
});

test("a clock that runs at its own pace is not compared", () => {
  expect(watchClock(connection, { ...systemClock, rate: 60 }, pino({ level: "silent" }))).toBe(connection);
});
