import "reflect-metadata"; // x509 wires itself together with it
import { createHash, randomBytes, webcrypto } from "node:crypto";
import { isIP } from "node:net";
import * as x509 from "@peculiar/x509";

/**
 * Certificates made at run time: the authority of the agent listener and the simulated cluster's own. Keys are ECDSA
 * P-256, in PEM. Nothing here is for the cluster's real certificates, which are only ever checked.
 */
export interface KeyPair {
  readonly certPem: string;
  readonly keyPem: string;
}

export interface Validity {
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
}

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;
const SERIAL_BYTES = 16;
x509.cryptoProvider.set(webcrypto as unknown as Crypto); // node's webcrypto is the same object under another type

const serial = (): string => {
  const bytes = randomBytes(SERIAL_BYTES);
  bytes[0] = (bytes[0] ?? 0) & 0x7f; // a serial number is positive
  return bytes.toString("hex");
};

const pem = async (key: webcrypto.CryptoKey): Promise<string> =>
  x509.PemConverter.encode(await webcrypto.subtle.exportKey("pkcs8", key), "PRIVATE KEY");

/** A self-signed authority. */
export async function makeAuthority(commonName: string, validity: Validity): Promise<KeyPair> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serial(),
    name: [{ CN: [commonName] }],
    notBefore: new Date(validity.notBeforeMs),
    notAfter: new Date(validity.notAfterMs),
    signingAlgorithm: ALGORITHM,
    keys: keys as CryptoKeyPair,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey as CryptoKey),
    ],
  });
  return { certPem: certificate.toString("pem"), keyPem: await pem(keys.privateKey) };
}

/** A certificate for a server or a client, signed by `authority`. Names that are addresses become IP entries. */
export async function issueCertificate(
  authority: KeyPair,
  subject: { readonly commonName: string; readonly organisation?: string; readonly names: readonly string[]; readonly usage: "server" | "client" },
  validity: Validity,
): Promise<KeyPair> {
  const issuer = new x509.X509Certificate(authority.certPem);
  const signingKey = await webcrypto.subtle.importKey("pkcs8", x509.PemConverter.decodeFirst(authority.keyPem), ALGORITHM, false, ["sign"]);
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
  const usage = subject.usage === "server" ? x509.ExtendedKeyUsage.serverAuth : x509.ExtendedKeyUsage.clientAuth;
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serial(),
    subject: [{ CN: [subject.commonName] }, ...(subject.organisation === undefined ? [] : [{ O: [subject.organisation] }])],
    issuer: issuer.subject,
    notBefore: new Date(validity.notBeforeMs),
    notAfter: new Date(validity.notAfterMs),
    signingAlgorithm: ALGORITHM,
    publicKey: keys.publicKey as CryptoKey,
    signingKey: signingKey as CryptoKey,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([usage]),
      ...(subject.names.length === 0
        ? []
        : [new x509.SubjectAlternativeNameExtension(subject.names.map((name) => ({ type: isIP(name) === 0 ? ("dns" as const) : ("ip" as const), value: name })))]),
    ],
  });
  return { certPem: certificate.toString("pem"), keyPem: await pem(keys.privateKey) };
}

/** SHA-256 of a certificate's public key (SubjectPublicKeyInfo), in hex: what pinning keeps. */
export function publicKeySha256(certificateDer: Uint8Array): string {
  const key = new x509.X509Certificate(new Uint8Array(certificateDer)).publicKey.rawData;
  return createHash("sha256").update(new Uint8Array(key)).digest("hex");
}
