import { X509Certificate } from "node:crypto";
import { MAX_CREDENTIALS, MAX_WANTED_BY, type CredentialReading, type LaterParts } from "../../domain/agent-readings";
import { capText } from "../../domain/agent-report";
import { endUnixSeconds, nameText, pathText, told } from "../bounds";
import { reasonOf, type HostFs, type Stamp } from "../host-fs";
import type { ConfFileRead } from "./read-dir";

export interface CredentialsReader {
  /** Of every kubeconfig that a config in the dir names until when it is good. Nothing of what it holds leaves the node. */
  look(files: readonly ConfFileRead[]): Promise<NonNullable<LaterParts["credentials"]>>;
}

const MAX_KUBECONFIG_BYTES = 256 * 1024;
const MAX_KEYS_DEEP = 6;
const MAX_KEYS_LOOKED_AT = 2_000;
const MS_PER_SECOND = 1_000;

type Facts = Omit<CredentialReading, "path" | "wantedBy">;

/** Reads a kubeconfig again only when it was written or replaced, and what it points to each time, since daemons renew that in place. */
export function credentialsReader(fs: HostFs): CredentialsReader {
  let known = new Map<string, { readonly stamp: Stamp; readonly user: User }>();

  return {
    look: async (files) => {
      const wanted = kubeconfigsOf(files);
      const now: typeof known = new Map();
      const items: CredentialReading[] = [];
      for (const [path, wantedBy] of wanted) items.push({ path: pathText(path), wantedBy: wantedBy.slice(0, MAX_WANTED_BY).map(nameText), ...(await factsOf(path, now)) });
      known = now;
      return { looked: true, items };
    },
  };

  async function factsOf(path: string, now: typeof known): Promise<Facts> {
    try {
      const stamp = await fs.stamp(path);
      if (stamp === undefined) return { problem: "absent" };
      const before = known.get(path);
      const user = before?.stamp.key === stamp.key ? before.user : await userIn((await fs.read(path, MAX_KUBECONFIG_BYTES))?.toString("utf8") ?? "");
      now.set(path, { stamp, user });
      return await endOf(user);
    } catch (error) {
      return { problem: capText(`could not be read: ${reasonOf(error)}`) };
    }
  }

  async function endOf(user: User): Promise<Facts> {
    if ("problem" in user) return user;
    const token = user.token ?? (user.tokenFile === undefined ? undefined : await text(user.tokenFile));
    if (token !== undefined) return { kind: "token", ...told({ expiresUnixSeconds: endOfToken(token) }) };
    const certificate = user.certificate ?? (user.certificateFile === undefined ? undefined : await text(user.certificateFile));
    if (certificate === undefined) return { problem: "neither a token nor a certificate" };
    const expiresUnixSeconds = endOfCertificate(certificate);
    return expiresUnixSeconds === undefined ? { kind: "certificate", problem: "not a certificate" } : { kind: "certificate", expiresUnixSeconds };
  }

  async function text(path: string): Promise<string | undefined> {
    return isPath(path) ? (await fs.read(path, MAX_KUBECONFIG_BYTES))?.toString("utf8") : undefined;
  }
}

/** Paths under "kubeconfig" keys at any depth, with the files that have them. */
function kubeconfigsOf(files: readonly ConfFileRead[]): ReadonlyMap<string, readonly string[]> {
  const wanted = new Map<string, string[]>();
  for (const { name, json } of files) {
    for (const path of pathsIn(json)) {
      const by = wanted.get(path);
      if (by !== undefined) by.push(name);
      else if (wanted.size < MAX_CREDENTIALS) wanted.set(path, [name]);
    }
  }
  return wanted;
}

function pathsIn(json: unknown): ReadonlySet<string> {
  const found = new Set<string>();
  let left = MAX_KEYS_LOOKED_AT;
  const visit = (value: unknown, depth: number): void => {
    if (typeof value !== "object" || value === null || depth > MAX_KEYS_DEEP) return;
    for (const [key, inner] of Object.entries(value)) {
      left -= 1;
      if (left < 0) return;
      if (key === "kubeconfig" && typeof inner === "string" && isPath(inner)) found.add(inner);
      else visit(inner, depth + 1);
    }
  };
  visit(json, 0);
  return found;
}

const isPath = (text: string): boolean => text.startsWith("/") && !text.includes("\0");

/** Where the credentials of the user in use are; or why they cannot be told. */
type User = { readonly token?: string; readonly tokenFile?: string; readonly certificate?: string; readonly certificateFile?: string } | { readonly problem: string };

async function userIn(text: string): Promise<User> {
  // Loaded only now: most nodes' configs name no kubeconfig.
  const { load } = await import("js-yaml");
  let config: unknown;
  try {
    config = load(text);
  } catch {
    return { problem: "not a kubeconfig: neither YAML nor JSON" };
  }
  const contexts = listIn(config, "contexts");
  const context = at(contexts.find((one) => at(one, "name") === at(config, "current-context")) ?? contexts[0], "context");
  const users = listIn(config, "users");
  const user = at(users.find((one) => at(one, "name") === at(context, "user")) ?? users[0], "user");
  if (typeof user !== "object" || user === null) return { problem: "not a kubeconfig: it has no user" };
  const data = textAt(user, "client-certificate-data");
  return told({
    token: textAt(user, "token"),
    tokenFile: textAt(user, "tokenFile"),
    certificate: data === undefined ? undefined : Buffer.from(data, "base64").toString("utf8"),
    certificateFile: textAt(user, "client-certificate"),
  });
}

const at = (value: unknown, key: string): unknown => (typeof value === "object" && value !== null && Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined); // hasOwn has just checked it
const listIn = (value: unknown, key: string): readonly unknown[] => {
  const list = at(value, key);
  return Array.isArray(list) ? list : [];
};
const textAt = (value: unknown, key: string): string | undefined => {
  const found = at(value, key);
  return typeof found === "string" && found !== "" ? found : undefined;
};

/** The "exp" of a web token; undefined where it is none, or does not end. */
function endOfToken(token: string): number | undefined {
  const payload = token.trim().split(".", 3)[1];
  if (payload === undefined) return undefined;
  try {
    const end = at(JSON.parse(Buffer.from(payload, "base64url").toString("utf8")), "exp");
    return typeof end === "number" ? endUnixSeconds(end) : undefined;
  } catch {
    return undefined; // an opaque token: only the API server knows when it ends
  }
}

function endOfCertificate(pem: string): number | undefined {
  try {
    return endUnixSeconds(Date.parse(new X509Certificate(pem).validTo) / MS_PER_SECOND);
  } catch {
    return undefined;
  }
}
