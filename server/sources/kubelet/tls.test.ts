import { afterEach, describe, expect, it } from "vitest";
import { parseNodeName } from "../../domain/ids";
import { kubeletRemedy } from "../../domain/kubelet-remedy";
import { issueCertificate, publicKeySha256, type KeyPair } from "../../pki";
import type { NodeTarget } from "./address";
import { createDirectFetch, type DirectOptions } from "./direct";
import { explain, type KubeletError } from "./failures";
import { authority, expired, serving, startKubelet, validNow, type Script, type ScriptedKubelet } from "./testing/scripted-kubelet";
import type { KubeletPins, KubeletTlsMode } from "./tls";

const PAGE = "process_start_time_seconds 1\n";
const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function kubelet(certificate: KeyPair, script: Script = (_request, response) => response.writeHead(200, { "content-type": "text/plain" }).end(PAGE)): Promise<ScriptedKubelet> {
  const started = await startKubelet(certificate, script);
  closers.push(started.close);
  return started;
}

function nodeName(text: string): NodeTarget["name"] {
  const name = parseNodeName(text);
  if (name === undefined) throw new Error(`not a node name: ${text}`);
  return name;
}

const node = (port: number, name = "node-1", extra: NodeTarget["addresses"] = []): NodeTarget => ({
  name: nodeName(name),
  kubeletPort: port,
  addresses: [{ type: "InternalIP", address: "127.0.0.1" }, ...extra],
});

interface Setting {
  readonly mode: KubeletTlsMode;
  readonly ca?: () => string;
  readonly pins?: Partial<KubeletPins>;
  readonly overrides?: ReadonlyMap<string, string>;
  readonly client?: KeyPair;
}

function fetcher({ mode, ca, pins, overrides, client }: Setting) {
  const options: DirectOptions = {
    tls: { mode, authorities: ca ?? (() => undefined), pins: { known: () => undefined, firstSeen: () => {}, shown: () => {}, changed: () => {}, ...pins } },
    credentials: () => Promise.resolve({ headers: { authorization: "Bearer secret" }, ...(client === undefined ? {} : { client }) }),
    overrides: overrides ?? new Map(),
  };
  const fetch = createDirectFetch(options);
  closers.push(fetch.close);
  return fetch;
}

async function status(fetch: ReturnType<typeof fetcher>, target: NodeTarget): Promise<number> {
  const answer = await fetch.get(target, "metrics", AbortSignal.timeout(8_000));
  for await (const _ of answer.body);
  return answer.status;
}

async function refusalOf(fetch: ReturnType<typeof fetcher>, target: NodeTarget, server: ScriptedKubelet): Promise<KubeletError> {
  const error = await status(fetch, target).then(
    () => expect.unreachable("the kubelet was not refused"),
    (reason: unknown) => explain(reason),
  );
  expect(server.requests, "nothing is sent to a kubelet that is refused").toEqual([]);
  return error;
}

describe("a kubelet's certificate with --kubelet-tls=verify", () => {
  it.each([
    ["its node's name", ["node-1"]],
    ["its node's InternalIP", ["127.0.0.1"]],
    ["its node's Hostname", ["host-1.example"]],
    ["its node's InternalDNS name", ["ip-10-0-0-1.internal"]],
  ])("is accepted when it carries %s", async (_what, names) => {
    const ca = await authority();
    const server = await kubelet(await serving(ca, names));
    const target = node(server.port, "node-1", [
      { type: "Hostname", address: "host-1.example" },
      { type: "InternalDNS", address: "ip-10-0-0-1.internal" },
    ]);
    expect(await status(fetcher({ mode: "verify", ca: () => ca.certPem }), target)).toBe(200);
  });

  it("is refused when it names another node", async () => {
    const ca = await authority();
    const server = await kubelet(await serving(ca, ["node-2", "10.0.0.2"]));
    const error = await refusalOf(fetcher({ mode: "verify", ca: () => ca.certPem }), node(server.port), server);
    expect(error.message).toMatch(/certificate names another host: .*node-2.*expected one of node-1, 127\.0\.0\.1/);
    expect(error.hint).toContain("--kubelet-tls=pin");
  });

  it("is refused when only its common name fits", async () => {
    const ca = await authority();
    const server = await kubelet(await issueCertificate(ca, { commonName: "node-1", names: [], usage: "server" }, validNow()));
    expect((await refusalOf(fetcher({ mode: "verify", ca: () => ca.certPem }), node(server.port), server)).message).toContain("no alternative name");
  });

  it("is refused when it has an address by which the node is not known, such as ExternalIP", async () => {
    const ca = await authority();
    const server = await kubelet(await serving(ca, ["203.0.113.9"]));
    const target = node(server.port, "node-1", [{ type: "ExternalIP", address: "203.0.113.9" }]);
    await refusalOf(fetcher({ mode: "verify", ca: () => ca.certPem }), target, server);
  });

  it("is refused when it expired", async () => {
    const ca = await authority();
    const server = await kubelet(await serving(ca, ["node-1"], expired()));
    expect((await refusalOf(fetcher({ mode: "verify", ca: () => ca.certPem }), node(server.port), server)).message).toBe("certificate expired");
  });

  it("is refused when another authority signed it", async () => {
    const ca = await authority();
    const server = await kubelet(await serving(await authority("another"), ["node-1"]));
    const error = await refusalOf(fetcher({ mode: "verify", ca: () => ca.certPem }), node(server.port), server);
    expect(error.message).toContain("certificate not trusted");
    expect(error.hint).toMatch(/--kubelet-ca.*--kubelet-tls=pin|--kubelet-tls=pin.*--kubelet-ca/);
    expect(kubeletRemedy(`${error.message} (${error.hint ?? ""})`), "on the visibility page").toMatch(/--kubelet-ca FILE.*--kubelet-tls=pin/);
  });

  it("is refused when the kubelet made it itself, with a hint at the modes that would work", async () => {
    const itself = await authority("node-1-ca@1700000000"); // a kubelet without a given certificate shows such a chain
    const { certPem, keyPem } = await serving(itself, ["node-1"]);
    const server = await kubelet({ certPem: `${certPem}\n${itself.certPem}`, keyPem });
    const ca = await authority();
    const error = await refusalOf(fetcher({ mode: "verify", ca: () => ca.certPem }), node(server.port), server);
    expect(error.hint).toBe("the kubelet's certificate is self-signed: --kubelet-tls=pin, or give --kubelet-ca");
    expect(kubeletRemedy(`${error.message} (${error.hint ?? ""})`), "on the visibility page").toMatch(/--kubelet-ca FILE.*--kubelet-tls=pin/);
  });

  it("is checked for the node's own names behind --kubelet-address, not for the URL's", async () => {
    const ca = await authority();
    const far: NodeTarget = { name: nodeName("node-1"), addresses: [{ type: "InternalIP", address: "10.99.0.10" }] };
    const own = await kubelet(await serving(ca, ["10.99.0.10"]));
    const overridden = (server: ScriptedKubelet) => fetcher({ mode: "verify", ca: () => ca.certPem, overrides: new Map([["node-1", server.origin]]) });
    expect(await status(overridden(own), far)).toBe(200);
    const other = await kubelet(await serving(ca, ["127.0.0.1"]));
    await refusalOf(overridden(other), far, other);
  });

  it("is taken up when its authority changes, without a restart", async () => {
    const [before, after] = [await authority("before"), await authority("after")];
    const server = await kubelet(await serving(before, ["node-1"]));
    let ca = before.certPem;
    const fetch = fetcher({ mode: "verify", ca: () => ca });
    expect(await status(fetch, node(server.port))).toBe(200);
    server.present(await serving(after, ["node-1"]));
    server.dropConnections();
    await expect(status(fetch, node(server.port))).rejects.toThrow();
    ca = after.certPem;
    expect(await status(fetch, node(server.port))).toBe(200);
  });

  it("is checked at every connection, even where the server offers to resume the one before", async () => {
    const ca = await authority();
    const server = await kubelet(await serving(ca, ["node-1"]));
    const fetch = fetcher({ mode: "verify", ca: () => ca.certPem });
    expect(await status(fetch, node(server.port))).toBe(200);
    server.present(await serving(ca, ["node-2"]));
    server.dropConnections();
    await expect(status(fetch, node(server.port))).rejects.toThrow();
    expect(server.requests).toHaveLength(1);
  });

  it("is checked anew when the node's own names change", async () => {
    const ca = await authority();
    const server = await kubelet(await serving(ca, ["10.0.0.1"]));
    const fetch = fetcher({ mode: "verify", ca: () => ca.certPem, overrides: new Map([["node-1", server.origin]]) });
    const at = (address: string): NodeTarget => ({ name: nodeName("node-1"), addresses: [{ type: "InternalIP", address }] });
    expect(await status(fetch, at("10.0.0.1"))).toBe(200);
    await expect(status(fetch, at("10.0.0.2"))).rejects.toThrow();
    expect(server.requests).toHaveLength(1);
  });

  it("is checked anew when another node comes to the same address", async () => {
    const ca = await authority();
    const server = await kubelet(await serving(ca, ["node-1"]));
    const fetch = fetcher({ mode: "verify", ca: () => ca.certPem });
    expect(await status(fetch, node(server.port, "node-1"))).toBe(200);
    await expect(status(fetch, node(server.port, "node-2"))).rejects.toThrow();
    expect(server.requests).toHaveLength(1);
  });
});

describe("a kubelet's key with --kubelet-tls=pin", () => {
  it("is told when first seen, and kept although the certificate is self-signed, expired and names nobody", async () => {
    const certificate = await serving(await authority(), [], expired());
    const server = await kubelet(certificate);
    const seen: string[] = [];
    const fetch = fetcher({ mode: "pin", pins: { firstSeen: (name, sha256) => seen.push(`${name} ${sha256}`) } });
    expect(await status(fetch, node(server.port))).toBe(200);
    const der = Buffer.from(certificate.certPem.replaceAll(/-----[^-]+-----|\s/g, ""), "base64");
    expect(seen).toEqual([`node-1 ${publicKeySha256(der)}`]);
  });

  it("is refused when it changes, until the new one is accepted", async () => {
    const ca = await authority();
    const server = await kubelet(await serving(ca, ["node-1"]));
    const offered: string[] = [];
    const shown: string[] = [];
    const accepted = new Map<string, string>();
    const fetch = fetcher({ mode: "pin", pins: { known: (name) => accepted.get(name), shown: (name) => shown.push(name), changed: (_node, sha256) => offered.push(sha256) } });
    expect(await status(fetch, node(server.port))).toBe(200);
    server.present(await serving(ca, ["node-1"]));
    server.dropConnections();
    const error = await status(fetch, node(server.port)).then(() => undefined, explain);
    expect(error?.message).toContain("key changed");
    expect(server.requests).toHaveLength(1);
    expect(offered).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)]);
    expect(shown).toEqual([]);
    accepted.set("node-1", offered[0] ?? "");
    expect(await status(fetch, node(server.port))).toBe(200);
    expect(shown).toEqual(["node-1"]);
  });

  it("stays the one that was known before a restart", async () => {
    const server = await kubelet(await serving(await authority(), ["node-1"]));
    const fetch = fetcher({ mode: "pin", pins: { known: () => "0".repeat(64) } });
    expect((await refusalOf(fetch, node(server.port), server)).message).toContain("key changed: 0000000000000000…");
  });

  it("may be the same after the certificate was renewed", async () => {
    const ca = await authority();
    const certificate = await serving(ca, ["node-1"]);
    const server = await kubelet(certificate);
    const fetch = fetcher({ mode: "pin" });
    expect(await status(fetch, node(server.port))).toBe(200);
    server.present(certificate);
    server.dropConnections();
    expect(await status(fetch, node(server.port))).toBe(200);
  });
});

describe("--kubelet-tls=insecure", () => {
  it("takes any certificate and says so in its status", async () => {
    const server = await kubelet(await serving(await authority(), ["someone-else"], expired()));
    const fetch = fetcher({ mode: "insecure" });
    expect(await status(fetch, node(server.port))).toBe(200);
    expect(fetch.tls).toContain("not checked");
  });
});

describe("connections to a kubelet", () => {
  it("are one for each reading, and closed after it", async () => {
    const ca = await authority();
    const server = await kubelet(await serving(ca, ["node-1"]));
    const fetch = fetcher({ mode: "verify", ca: () => ca.certPem });
    for (let turn = 0; turn < 5; turn += 1) expect(await status(fetch, node(server.port))).toBe(200);
    await expect.poll(() => server.openConnections()).toBe(0);
    expect(server.connections()).toBe(5);
  });

  it("end with a reading that is given up, whatever the kubelet does", async () => {
    const ca = await authority();
    const server = await kubelet(await serving(ca, ["node-1"]), (_request, response) => void response.writeHead(200, { "content-type": "text/plain" }).write("a 1\n"));
    const fetch = fetcher({ mode: "verify", ca: () => ca.certPem });
    const given = new AbortController();
    const answer = await fetch.get(node(server.port), "metrics", given.signal);
    expect(answer.status).toBe(200);
    given.abort(new Error("given up"));
    await expect.poll(() => server.openConnections()).toBe(0);
  });

  it("carry the token, and a client certificate where the kubeconfig has one", async () => {
    const ca = await authority();
    const server = await kubelet(await serving(ca, ["node-1"]));
    expect(await status(fetcher({ mode: "verify", ca: () => ca.certPem, client: await serving(ca, ["admin"]) }), node(server.port))).toBe(200);
    expect(server.requests[0]?.headers.authorization).toBe("Bearer secret");
    expect(server.requests[0]?.headers["accept-encoding"]).toBe("gzip");
  });
});
