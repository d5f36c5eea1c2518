import { connect, createServer } from "node:tls";
import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { describe, expect, test } from "vitest";
import { issueCertificate, makeAuthority, publicKeySha256 } from "./pki";

const validity = { notBeforeMs: Date.now() - 60_000, notAfterMs: Date.now() + 3_600_000 };

describe("certificates made at run time", () => {
  test("a client that trusts the authority accepts the server by name and by address, and refuses another name", async () => {
    const authority = await makeAuthority("test authority", validity);
    const issued = await issueCertificate(authority, { commonName: "node-1", names: ["node-1", "127.0.0.1"], usage: "server" }, validity);
    const server = createServer({ cert: issued.certPem, key: issued.keyPem }, (socket) => socket.end()).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const handshake = (servername: string): Promise<string> =>
      new Promise((resolve) => {
        const socket = connect({ host: "127.0.0.1", port, ca: authority.certPem, ...(servername === "" ? {} : { servername }) });
        socket.once("secureConnect", () => resolve("ok")).once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message)).once("close", () => socket.destroy());
      });
    expect(await handshake("node-1")).toBe("ok");
    expect(await handshake("")).toBe("ok");
    expect(await handshake("node-2")).toBe("ERR_TLS_CERT_ALTNAME_INVALID");
    server.close();
  });

  test("the pinned hash is that of the public key, so a renewed certificate of the same key keeps it", async () => {
    const authority = await makeAuthority("test authority", validity);
    const one = await issueCertificate(authority, { commonName: "a", names: ["a"], usage: "server" }, validity);
    const two = await issueCertificate(authority, { commonName: "a", names: ["a"], usage: "server" }, validity);
    const hash = (certPem: string): string => publicKeySha256(new X509Certificate(certPem).raw);
    expect(hash(one.certPem)).toMatch(/^[0-9a-f]{64}$/);
    expect(hash(one.certPem)).toBe(hash(one.certPem));
    expect(hash(one.certPem)).not.toBe(hash(two.certPem));
  });
});
