import { X509Certificate, createPrivateKey } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import path from "node:path";
import { systemClock } from "@/server/clock";
import { issueCertificate, makeAuthority, type KeyPair } from "@/server/pki";
import { agentFolder, writePrivately } from "./tokens";

/**
 * The authority that agents trust, made in the data folder at the first start and kept: agents hold a copy of its
 * certificate. Certificates run on the machine's own time, also where the cluster is a simulated one.
 */
const DAY_MS = 86_400_000;
const AUTHORITY_DAYS = 3_650;
const SERVER_DAYS = 90;
/** A node's clock may be behind. */
const BACKDATED_DAYS = 1;
/** At this age the listener takes a new certificate. */
export const RENEW_AFTER_MS = 30 * DAY_MS;

export class AgentAuthorityError extends Error {
  override name = "AgentAuthorityError";
}

const validity = (days: number) => ({ notBeforeMs: systemClock.now() - BACKDATED_DAYS * DAY_MS, notAfterMs: systemClock.now() + days * DAY_MS });

/**
 * Reads the authority of the data folder or makes it. Key and certificate are in one file, so that no crash parts them;
 * `ca.crt` is the certificate alone, for agents. A broken or expired authority is never replaced silently.
 */
export async function ensureAgentAuthority(dataDir: string): Promise<{ readonly authority: KeyPair; readonly caFile: string }> {
  const folder = agentFolder(dataDir);
  const caFile = path.join(folder, "ca.crt");
  const keyFile = path.join(folder, "ca.key");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  let text = await readIfThere(keyFile);
  if (text === undefined) {
    if ((await readIfThere(caFile)) !== undefined) {
      throw new AgentAuthorityError(`${caFile} is there without its key: put ${keyFile} back, or remove ${caFile} and give every agent the new one`);
    }
    const made = await makeAuthority("Sandglass agent authority", validity(AUTHORITY_DAYS));
    text = `${made.keyPem.trim()}\n${made.certPem.trim()}\n`;
    await writePrivately(keyFile, text);
  }
  const authority = split(text, keyFile);
  if ((await readIfThere(caFile)) !== authority.certPem) await writeFile(caFile, authority.certPem);
  return { authority, caFile };
}

const PEM = (label: string): RegExp => new RegExp(`-----BEGIN ${label}-----[A-Za-z0-9+/=\\s]+-----END ${label}-----`);

function split(text: string, keyFile: string): KeyPair {
  const again = `put it back from a copy, or remove it and ca.crt and give every agent the new ca.crt`;
  const keyPem = PEM("PRIVATE KEY").exec(text)?.[0];
  const certPem = PEM("CERTIFICATE").exec(text)?.[0];
  if (keyPem === undefined || certPem === undefined) throw new AgentAuthorityError(`${keyFile} is damaged: ${again}`);
  let certificate: X509Certificate;
  let belongs: boolean;
  try {
    certificate = new X509Certificate(certPem);
    belongs = certificate.checkPrivateKey(createPrivateKey(keyPem));
  } catch (error) {
    throw new AgentAuthorityError(`${keyFile} is damaged: ${again}`, { cause: error });
  }
  if (!belongs) throw new AgentAuthorityError(`key and certificate in ${keyFile} do not belong together: ${again}`);
  if (certificate.validToDate.getTime() <= systemClock.now()) {
    throw new AgentAuthorityError(`${keyFile} expired on ${certificate.validToDate.toISOString()}: remove it and ca.crt, and give every agent the new ca.crt`);
  }
  return { certPem: `${certPem}\n`, keyPem: `${keyPem}\n` };
}

/** A certificate for the listener: loopback, this machine's name, and the names under which agents reach it. */
export function issueListenerCertificate(authority: KeyPair, names: readonly string[]): Promise<KeyPair> {
  const all = [...new Set(["127.0.0.1", "::1", "localhost", hostname().toLowerCase(), ...names])];
  return issueCertificate(authority, { commonName: "Sandglass agent listener", names: all, usage: "server" }, validity(SERVER_DAYS));
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw new AgentAuthorityError(`${file} could not be read`, { cause: error });
  }
}
