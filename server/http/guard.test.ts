import { describe, expect, test } from "vitest";
import { ServiceError } from "../errors";
import { MAX_BODY_BYTES, readJsonBody, requireSameOriginJson } from "./guard";

const refusal = (run: () => unknown): string => {
  try {
    run();
    return "accepted";
  } catch (error) {
    return error instanceof ServiceError ? error.code : String(error);
  }
};
const good = { host: "localhost:7400", origin: "http://localhost:7400", "content-type": "application/json", "sec-fetch-site": "same-origin" };
const without = (name: keyof typeof good) => Object.fromEntries(Object.entries(good).filter(([key]) => key !== name));

describe("a request that changes something", () => {
  test.each([
    ["Sandglass's own page", good, "accepted"],
    ["its own page in a browser without Fetch Metadata", without("sec-fetch-site"), "accepted"],
    ["another site", { ...good, origin: "https://evil.example" }, "cross-site"],
    ["a sandboxed frame", { ...good, origin: "null" }, "cross-site"],
    ["no origin", without("origin"), "cross-site"],
    ["another port of this machine", { ...good, origin: "http://localhost:9999" }, "cross-site"],
    ["the same host by https", { ...good, origin: "https://localhost:7400" }, "cross-site"],
    ["Fetch Metadata that says cross-site", { ...good, "sec-fetch-site": "cross-site" }, "cross-site"],
    ["Fetch Metadata that says same-site", { ...good, "sec-fetch-site": "same-site" }, "cross-site"],
    ["JSON sent as text", { ...good, "content-type": "text/plain" }, "not-json"],
    ["a form", { ...good, "content-type": "application/x-www-form-urlencoded" }, "not-json"],
    ["a type that only begins like JSON", { ...good, "content-type": "application/json-patch+json" }, "not-json"],
    ["JSON with a charset", { ...good, "content-type": "application/json; charset=utf-8" }, "accepted"],
  ])("from %s", (_, headers, outcome) => {
    expect(refusal(() => requireSameOriginJson(new Headers(headers)))).toBe(outcome);
  });
});

describe("a request that only reads", () => {
  const { host, "content-type": type } = good;
  test.each([
    ["its own page", good, "accepted"],
    ["a client that is no browser", { host, "content-type": type }, "accepted"],
    ["another site", { ...good, origin: "https://evil.example" }, "cross-site"],
    ["another site whose browser hides the origin", { ...good, origin: "null" }, "cross-site"],
    ["a browser that says cross-site and no origin", { host, "content-type": type, "sec-fetch-site": "cross-site" }, "cross-site"],
    ["a browser that says none, as for an address that was typed", { host, "content-type": type, "sec-fetch-site": "none" }, "cross-site"],
    ["a form", { host, "content-type": "text/plain" }, "not-json"],
  ])("from %s", (_, headers, outcome) => {
    expect(refusal(() => requireSameOriginJson(new Headers(headers), true))).toBe(outcome);
  });
});

describe("a body", () => {
  const post = (body: BodyInit, headers: Record<string, string> = {}) => new Request("http://localhost/", { method: "POST", body, headers, duplex: "half" } as RequestInit);
  test("over the limit is refused by its declared length, and by its real one", async () => {
    await expect(readJsonBody(post("{}", { "content-length": String(MAX_BODY_BYTES + 1) }))).rejects.toMatchObject({ code: "too-large" });
    let sent = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 1_024;
        controller.enqueue(new Uint8Array(1_024).fill(32));
      },
    });
    await expect(readJsonBody(post(endless))).rejects.toMatchObject({ code: "too-large" });
    expect(sent).toBeLessThan(MAX_BODY_BYTES * 2);
  });
  test("that is not JSON is refused", async () => {
    await expect(readJsonBody(post("{"))).rejects.toMatchObject({ code: "invalid" });
  });
  test.each([
    ["bytes that are no UTF-8", Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0xfe, 0x22, 0x7d]), "not UTF-8"],
    ["a character that is cut short", Buffer.from('{"a":"\u20ac"}').subarray(0, 8), "not UTF-8"],
    ["a surrogate half in UTF-8", Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), "not UTF-8"],
    ["an escaped surrogate half", '{"a":[{"b":"\\ud800"}]}', "surrogate pair"],
    ["a surrogate half in a name", '{"\\udc00":1}', "surrogate pair"],
  ])("with %s is refused, and says so", async (_, body, says) => {
    await expect(readJsonBody(post(body))).rejects.toMatchObject({ code: "invalid", message: expect.stringContaining(says) as string });
  });
  test("with characters of every plane is read as it is", async () => {
    await expect(readJsonBody(post('{"a":"größer 日本 🚀 \\ud83d\\ude80"}'))).resolves.toEqual({ a: "größer 日本 🚀 🚀" });
  });
  test("that nests deeper than can be read is refused", async () => {
    await expect(readJsonBody(post("[".repeat(30_000) + "]".repeat(30_000)))).rejects.toMatchObject({ code: "invalid" });
  });
  test("within the limit is read", async () => {
    await expect(readJsonBody(post('{"a":1}'))).resolves.toEqual({ a: 1 });
  });
});
