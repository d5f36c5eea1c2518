import { request } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createLog } from "../log";
import { createOwnMetrics } from "./own-metrics";

let port: number;
let close: () => Promise<void>;
beforeAll(async () => ({ port, close } = await createOwnMetrics(createLog("silent", "test")).serve(0, "127.0.0.1")));
afterAll(() => close());

function ask(path: string, host: string): Promise<{ readonly status: number | undefined; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: "127.0.0.1", port, path, headers: { host } }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      response.on("end", () => resolve({ status: response.statusCode, text }));
    });
    asked.on("error", reject).end();
  });
}

test.each(["localhost", "127.0.0.1:9400", "[::1]:9400"])("own metrics are told to %s", async (host) => {
  const { status, text } = await ask("/metrics", host);
  expect(status).toBe(200);
  expect(text).toContain("sandglass_store_writable");
});

test.each(["sandglass.example", "127.0.0.1.example:9400", "10.0.0.1"])("a page that calls this machine %s gets none of them", async (host) => {
  const { status, text } = await ask("/metrics", host);
  expect(status).toBe(421);
  expect(text).not.toContain("sandglass_store_writable");
});

test("nothing else is served there", async () => {
  expect((await ask("/", "localhost")).status).toBe(404);
});
