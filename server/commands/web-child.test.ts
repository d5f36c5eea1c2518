import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../clock";
import { createLog } from "../log";
import { startWebChild } from "./web-child";

/** A child of a few lines stands where the built pages do; everything around it is real. */
let root: string;
beforeEach(() => {
  root = mkdtempSync(path.join(os.tmpdir(), "sandglass-web-child-"));
  mkdirSync(path.join(root, ".next/standalone"), { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const program = (text: string): void => writeFileSync(path.join(root, ".next/standalone/server.js"), text);

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo; // listening on TCP
  probe.close();
  await once(probe, "close");
  return port;
}

const start = async (port: number, signal = new AbortController().signal) =>
  startWebChild({ root, host: "127.0.0.1", port, encodedConfig: "{}", env: { ...process.env, KUBECONFIG: "/somewhere/kubeconfig", KUBERNETES_SERVICE_HOST: "10.0.0.1" }, clock: systemClock, log: createLog("silent", "test"), signal });

const SERVES = `require("node:http").createServer((_, answer) => answer.end(JSON.stringify(process.env))).listen(Number(process.env.PORT), process.env.HOSTNAME);`;

describe("the web process", () => {
  test("finds the cluster by the same variables as the collector", async () => {
    program(SERVES);
    const port = await freePort();
    const web = await start(port);
    try {
      const seen = (await (await fetch(`http://127.0.0.1:${port}/`)).json()) as Record<string, string>;
      expect(seen).toMatchObject({ KUBECONFIG: "/somewhere/kubeconfig", KUBERNETES_SERVICE_HOST: "10.0.0.1", PORT: String(port), NODE_ENV: "production" });
    } finally {
      await web.stop();
    }
  });

  test("that ends while it starts is an error, and is not started again behind the back of it", async () => {
    const log = path.join(root, "starts");
    program(`require("node:fs").appendFileSync(${JSON.stringify(log)}, "start\\n"); process.exit(3);`);
    await expect(start(await freePort())).rejects.toThrow("exit code 3");
    await new Promise((resolve) => setTimeout(resolve, 1_500)); // three times the delay of a restart
    expect(readFileSync(log, "utf8")).toBe("start\n");
  });

  test("that does not come up is ended when the product is told to stop", async () => {
    program("setInterval(() => {}, 1000);");
    const stopping = new AbortController();
    const starting = start(await freePort(), stopping.signal);
    setTimeout(() => stopping.abort(), 300);
    await expect(starting).rejects.toThrow("Told to stop");
  }, 15_000);
});
