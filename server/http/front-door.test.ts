import { describe, expect, test } from "vitest";
import { refusalOf } from "./front-door";
import { OFFERED } from "./offered";
import { ROUTES } from "./routes";

/** As Node hands a request on, `hosts` being its lines of Host. */
const asked = (method: string, url: string, hosts: readonly string[], headers: Readonly<Record<string, string>>) => refusalOf({ method, url, headers: { ...headers, ...(hosts[0] === undefined ? {} : { host: hosts[0] }) }, headersDistinct: hosts.length === 0 ? {} : { host: [...hosts] } });
const refusal = (method: string, url: string, { host = "localhost:7400", ...headers }: Readonly<Record<string, string>> = {}) => asked(method, url, [host], headers);
const code = (...request: Parameters<typeof refusal>): string => refusal(...request)?.error.code ?? "let through";
const filled = (path: string): string => path.replaceAll(/\{\w+\}/g, "x-1");

describe("the list of what the API offers", () => {
  test("is that of the routes, no path and no method more or less", () => {
    const routes = Object.values(ROUTES).map(({ method, path }) => `${method} ${path}`);
    expect(Object.entries(OFFERED).flatMap(([path, methods]) => methods.map((method) => `${method} ${path}`)).sort()).toEqual(routes.sort());
  });
});

describe("a request", () => {
  test.each(Object.values(ROUTES).map(({ method, path }) => [method, path] as const))("%s %s is let through", (method, path) => {
    expect(code(method, `${filled(path)}?a=%zz`)).toBe("let through");
  });

  test.each(["/", "/nodes/a%2fb", "/nodes/n%C3%B6", "/_next/static/chunks/a.js", "/healthz", "/apis", "/nodes/../causes", "/?q=%E0"])("for the page %s is let through", (url) => {
    expect([code("GET", url), code("HEAD", url)]).toEqual(["let through", "let through"]);
  });

  test.each(["/api", "/api/", "/api/v1", "/api/v1/nosuch", "/API/v1/fleet", "/api/v1/FLEET", "/api/v1/fleet/", "/api/v1//fleet", "/api/v1/nodes//events", "/api/v1/nodes/x/incidents", "/nodes/../api/v1/nosuch", "/nodes/%2e%2e/api/nosuch", "/api/v2/fleet"])("for %s finds nothing, by any method", (url) => {
    for (const method of ["GET", "POST", "PUT", "TRACE"]) expect([method, code(method, url)]).toEqual([method, "not-found"]);
  });

  test.each([
    ["PUT", "/api/v1/fleet", ["GET", "HEAD"]],
    ["POST", "/api/v1/fleet", ["GET", "HEAD"]],
    ["TRACE", "/api/v1/fleet", ["GET", "HEAD"]],
    ["OPTIONS", "/api/v1/fleet", ["GET", "HEAD"]],
    ["PROPFIND", "/api/v1/causes/daemon-oom/exceptions", ["GET", "HEAD", "POST"]],
    ["GET", "/api/v1/incidents/1/notes", ["POST"]],
    ["POST", "/healthz", ["GET", "HEAD"]],
    ["POST", "/", ["GET", "HEAD"]],
    ["TRACE", "/nodes/a", ["GET", "HEAD"]],
    ["get", "/", ["GET", "HEAD"]],
  ] as const)("by %s for %s is told what the path answers", (method, url, allow) => {
    const refused = refusal(method, url);
    expect([refused?.error.code, refused?.allow]).toEqual(["method-not-allowed", allow]);
  });

  test.each(["/", "/healthzfoo", "/readyz/", "/healthz/../nodes/a", "/api/v1/nosuch", "/api/v1/fleet", "/%zz", "//healthz", "http://localhost/healthz"])("for %s by another host's name is refused for its name", (url) => {
    for (const host of ["evil.example", "localhost.evil.example:7400", "127.0.0.1:7400@evil.example", ""]) expect([host, code("GET", url, { host })]).toEqual([host, "bad-host"]);
    for (const hosts of [[], ["localhost:7400", "evil.example"], ["localhost:7400", "localhost:7400"]]) expect([hosts, asked("GET", url, hosts, {})?.error.code]).toEqual([hosts, "bad-host"]);
  });

  test("for a probe is let through by any name", () => {
    for (const url of ["/healthz", "/readyz", "/healthz?a"]) expect(code("GET", url, { host: "10.0.0.1:7400" })).toBe("let through");
  });

  test.each(["*", "http://localhost:7400/", "", "nodes"])("for %j, which is no path, is not valid", (url) => {
    expect(code("GET", url)).toBe("invalid");
  });

  test("that calls a server action is not valid, whatever it asks for", () => {
    for (const [method, url] of [["POST", "/api/v1/explain"], ["GET", "/"], ["GET", "/healthz"]] as const) expect(code(method, url, { "next-action": "x" })).toBe("invalid");
  });
});
