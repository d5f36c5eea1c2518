import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { SAFE_HEADERS } from "@/server/http/problem";
import { startProduct, until, type Product } from "./setup/product";
import { expect, test } from "./setup/test";

let product: Product;
test.beforeAll(async () => {
  product = await startProduct({ args: ["--simulate", "--scenario", "healthy", "--nodes", "3", "--kubelet-tls", "insecure"] });
  await until("three nodes", 60_000, async () => ((await product.api<{ nodes: unknown[] }>("/api/v1/fleet")).nodes.length === 3 ? true : undefined));
});
test.afterAll(() => product?.stop());

/** One request as no browser would send it. */
async function send(method: string, path: string, headers: Readonly<Record<string, string>> = {}, body = "") {
  const sent = httpRequest({ host: "127.0.0.1", port: product.port, method, path, headers: { host: `localhost:${product.port}`, ...headers } }).end(body);
  const [answer] = (await once(sent, "response")) as [IncomingMessage]; // what "response" brings
  const parts: Buffer[] = [];
  for await (const part of answer) parts.push(part as Buffer); // no encoding was set
  return { status: answer.statusCode, headers: answer.headers, text: Buffer.concat(parts).toString() };
}

test("what the API does not have, or not by this method, is a problem document with its headers", async () => {
  for (const [method, path, status, allow] of [
    ["GET", "/api/v1/nosuch", 404, undefined],
    ["GET", "/API/v1/fleet", 404, undefined],
    ["GET", "/api/v1/nodes/x/incidents", 404, undefined],
    ["GET", "/nodes/../api/nosuch", 404, undefined],
    ["PUT", "/api/v1/fleet", 405, "GET, HEAD"],
    ["GET", "/api/v1/explain", 405, "POST"],
    ["TRACE", "/api/v1/fleet", 405, "GET, HEAD"],
    ["PROPFIND", "/", 405, "GET, HEAD"],
    ["POST", "/healthz", 405, "GET, HEAD"],
  ] as const) {
    const answer = await send(method, path);
    expect.soft([method, path, answer.status, answer.headers.allow]).toEqual([method, path, status, allow]);
    expect.soft(answer.headers).toMatchObject({ ...SAFE_HEADERS, "content-type": "application/problem+json" });
    expect.soft(JSON.parse(answer.text)).toMatchObject({ status, requestId: expect.any(String) });
  }
  for (const path of ["/", "/api/v1/fleet", "/healthz", "/readyz"]) expect.soft([path, (await send("HEAD", path)).status]).toEqual([path, 200]);
});

test("a name that none can have is refused by every route that takes one, in its path or its query, as a problem document", async () => {
  const { paths } = await product.api<{ paths: Record<string, Record<string, { parameters?: { name: string; in: string }[] }>> }>("/api/v1/openapi.json");
  const calls = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { parameters = [] }]) => {
      const inQuery = parameters.some((one) => one.in === "query" && one.name === "node") ? [[method.toUpperCase(), `${path}?node={name}`] as const] : [];
      return path.includes("{") ? [[method.toUpperCase(), path] as const, ...inQuery] : inQuery;
    }),
  );
  expect(calls.length).toBeGreaterThan(20);
  const asPerson = { origin: `http://localhost:${product.port}`, "content-type": "application/json" };
  for (const name of ["..%2f..%2fapi", "a%00b", "a%0d%0aHost:%20evil", "n".repeat(300), "%ff"]) {
    for (const [method, path] of calls) {
      const answer = await send(method, path.replace(/\{\w+\}/, name), method === "POST" ? asPerson : {}, method === "POST" ? "{}" : "");
      const seen = [method, path, name.slice(0, 20), [400, 404].includes(answer.status ?? 0), answer.headers["content-type"]];
      expect.soft(seen).toEqual([method, path, name.slice(0, 20), true, "application/problem+json"]);
    }
  }
});

/** The one record that may come besides, and not of a request. */
const OF_A_BUSY_MACHINE = "the simulated cluster cannot keep up with its speed";

test("no request from outside makes more than a few records, each one line", async () => {
  const before = product.output().length;
  for (let count = 0; count < 5; count += 1) {
    for (const path of ["/", "/healthzfoo", "/readyz/", "/api/v1/nosuch", "/api/v1/fleet", "/nodes/%zz", "/_next/static/x.js"]) {
      expect.soft([path, (await send("GET", path, { host: "evil.example" })).status]).toEqual([path, 421]);
    }
    await send("TRACE", "/api/v1/fleet");
    expect.soft((await send("POST", "/", { "next-action": "7f".repeat(21) })).status).toBe(405);
    expect.soft((await send("POST", "/api/v1/explain", { "next-action": "7f".repeat(21) })).status).toBe(400);
    expect.soft((await send("POST", "/", { "content-type": "multipart/form-data; boundary=x" })).status).toBe(405);
    expect.soft((await send("GET", "/", { rsc: "1", "next-router-state-tree": "broken" })).status).toBe(400);
    expect.soft((await send("GET", "/_global-error")).status).toBe(404);
    await new Promise((resolve) => setTimeout(resolve, 300)); // longer than what is printed is gathered
  }
  expect((await send("GET", "/healthz", { host: "evil.example" })).status).toBe(200);
  const records = (): readonly string[] => {
    const since = product.output().slice(before);
    // What comes last may be the beginning of a line.
    return since.slice(0, since.lastIndexOf("\n") + 1).split("\n").filter((line) => line !== "").map((line) => (JSON.parse(line) as { readonly msg: string }).msg).filter((msg) => msg !== OF_A_BUSY_MACHINE);
  };
  await expect.poll(records).toEqual(["a request by another host's name was refused"]);
});

test("every page says for as long as it is so that kubelets' certificates are not checked", async ({ page }) => {
  for (const path of ["/", "/incidents", "/causes", "/audit", "/nodes/nosuch"]) {
    await page.goto(`${product.url}${path}`);
    await expect.soft(page.getByRole("alert").filter({ hasText: "Kubelets' certificates are not checked" }), path).toBeVisible();
  }
  await page.goto(`${product.url}/visibility`);
  await expect(page.getByRole("region", { name: "Sources of nodes" }).getByText("Kubelets' certificates are not checked")).toBeVisible();
});

// Last, since a record of it may stand for the next minute's.
test("a request that names several hosts is refused, also where the first is ours", async () => {
  const socket = connect(product.port, "127.0.0.1");
  socket.end(`GET /api/v1/fleet HTTP/1.1\r\nhost: localhost:${product.port}\r\nhost: evil.example\r\nconnection: close\r\n\r\n`);
  const parts: Buffer[] = [];
  for await (const part of socket) parts.push(part as Buffer); // no encoding was set
  expect(Buffer.concat(parts).toString()).toMatch(/^HTTP\/1\.1 421 /);
});
