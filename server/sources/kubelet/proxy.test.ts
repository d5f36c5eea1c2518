import { describe, expect, it } from "vitest";
import { parseNodeName } from "../../domain/ids";
import { explain } from "./failures";
import { createProxyFetch } from "./proxy";

const name = parseNodeName("node-1");
if (name === undefined) throw new Error("node-1 is a node name");
const node = { name, addresses: [] };
const signal = AbortSignal.timeout(5_000);
const refusing = (status: number, message: string) => createProxyFetch(() => Promise.reject(Object.assign(new Error(message), { status })));
const failure = (fetch: ReturnType<typeof createProxyFetch>, page: "metrics" | "configz") => fetch.get(node, page, signal).then(() => expect.unreachable(), explain);

describe("a kubelet read through the API server", () => {
  it("is asked for by node and page", async () => {
    const asked: string[] = [];
    const fetch = createProxyFetch((target, path, { accept }) => {
      asked.push(`${target} ${path} ${accept}`);
      return Promise.resolve((async function* () {})());
    });
    for (const page of ["metrics", "cadvisor", "configz"] as const) expect((await fetch.get(node, page, signal)).status).toBe(200);
    expect(asked).toEqual(["node-1 /metrics text/plain;version=0.0.4", "node-1 /metrics/cadvisor text/plain;version=0.0.4", "node-1 /configz application/json"]);
  });
  it("names nodes/proxy as the missing right, for every page", async () => {
    expect((await failure(refusing(403, "no"), "metrics")).message).toBe("403: get nodes/proxy is missing");
    expect((await failure(refusing(403, "no"), "configz")).message).toBe("403: get nodes/proxy is missing");
  });
  it("tells what the API server says of a kubelet that it cannot reach", async () => {
    expect((await failure(refusing(503, "dial tcp 10.0.0.1:10250: connect: connection refused"), "metrics")).message).toBe("through the API server: dial tcp 10.0.0.1:10250: connect: connection refused");
  });
});
