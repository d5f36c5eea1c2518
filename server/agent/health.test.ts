import { expect, test } from "vitest";
import { freePort } from "../dev/free-port";
import { serveHealth } from "./health";

test("the page says ok while rounds end, and no longer once none has for a while", async () => {
  const port = await freePort();
  let nowMs = 0;
  const health = await serveHealth(port, 15_000, () => nowMs);
  const look = async (path = "/healthz"): Promise<string> => {
    const answer = await fetch(`http://127.0.0.1:${String(port)}${path}`);
    return `${String(answer.status)} ${await answer.text()}`;
  };
  try {
    expect(await look()).toBe("200 ok\n");
    expect(await look("/")).toMatch(/^404 /);
    nowMs = 105_001;
    expect(await look()).toBe("503 no round ended for 105 s\n");
    health.beat();
    expect(await look()).toBe("200 ok\n");
    await expect(serveHealth(port, 15_000, () => nowMs)).rejects.toThrow("EADDRINUSE");
  } finally {
    health.close();
  }
});
