import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { MAX_CREDENTIALS } from "../../domain/agent-readings";
import { makeAuthority } from "../../pki";
import { parseNetworkConfig } from "../conflist";
import { hostFs } from "../host-fs";
import { credentialsReader } from "./credentials";
import type { ConfFileRead } from "./read-dir";

let root: string;
beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), "sandglass-credentials-"));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const ENDS = 1_790_000_000;
const SECRET = "s3cr3t";
const web = (claims: object): string => `${[{ alg: "RS256" }, { sub: SECRET, ...claims }].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".")}.${SECRET}`;
const conf = (name: string, json: object): ConfFileRead => ({ name, unread: false, json, config: parseNetworkConfig(name, JSON.stringify(json)) });
const thin = conf("00-multus.conf", { name: "multus-cni-network", type: "multus", kubeconfig: "/etc/cni/net.d/multus.d/multus.kubeconfig" });
const calico = conf("10-calico.conflist", { name: "k8s-pod-network", plugins: [{ type: "calico", kubernetes: { kubeconfig: "/etc/cni/net.d/calico-kubeconfig" } }] });

async function put(file: string, text: string): Promise<void> {
  await mkdir(path.dirname(path.join(root, file)), { recursive: true });
  await writeFile(path.join(root, file), text);
}
const kubeconfig = (user: string): string => `apiVersion: v1\nkind: Config\ncurrent-context: b\ncontexts:\n- name: a\n  context: {user: other}\n- name: b\n  context: {user: own}\nusers:\n- name: other\n  user: {token: x}\n- name: own\n  user:\n${user}\n`;
const reader = () => credentialsReader(hostFs(root));
async function look(files: readonly ConfFileRead[] = [thin], from = reader()) {
  const part = await from.look(files);
  if (!part.looked) throw new Error(part.reason);
  expect(JSON.stringify(part)).not.toContain(SECRET);
  return part.items;
}
const one = async (user: string) => {
  await put("etc/cni/net.d/multus.d/multus.kubeconfig", kubeconfig(user));
  const [item] = await look();
  if (item === undefined) throw new Error("the kubeconfig is named");
  const { path: _, wantedBy: __, ...facts } = item;
  return facts;
};

describe("credentials that a CNI config names", () => {
  test("tell when the token of the user in use ends, and who uses it, and nothing else", async () => {
    await put("etc/cni/net.d/multus.d/multus.kubeconfig", kubeconfig(`    token: ${web({ exp: ENDS })}`));
    expect(await look()).toEqual([{ path: "/etc/cni/net.d/multus.d/multus.kubeconfig", wantedBy: ["00-multus.conf"], kind: "token", expiresUnixSeconds: ENDS }]);
  });

  test("are found at any depth of a config, each once", async () => {
    expect((await look([thin, calico, { ...calico, name: "20-copy.conflist" }])).map(({ path: file, wantedBy }) => [file, wantedBy])).toEqual([
      ["/etc/cni/net.d/multus.d/multus.kubeconfig", ["00-multus.conf"]],
      ["/etc/cni/net.d/calico-kubeconfig", ["10-calico.conflist", "20-copy.conflist"]],
    ]);
  });

  test.each([
    ["a token that does not end", `    token: ${web({})}`, { kind: "token" }],
    ["an opaque token", "    token: abc", { kind: "token" }],
    ["a token that ends later than any date", `    token: ${web({ exp: Number.MAX_SAFE_INTEGER })}`, { kind: "token" }],
    ["a token whose end is none", `    token: ${web({ exp: "soon" })}`, { kind: "token" }],
    ["no credentials at all", "    username: x", { problem: "neither a token nor a certificate" }],
    ["a certificate that is none", `    client-certificate-data: ${Buffer.from(SECRET).toString("base64")}`, { kind: "certificate", problem: "not a certificate" }],
    ["a token file that is not there", "    tokenFile: /var/run/none", { problem: "neither a token nor a certificate" }],
  ])("%s", async (_name, user, facts) => {
    expect(await one(user)).toEqual(facts);
  });

  test("a token in a file of its own is read each time, since daemons renew it there", async () => {
    await put("etc/cni/net.d/multus.d/multus.kubeconfig", kubeconfig("    tokenFile: /var/lib/token"));
    const from = reader();
    for (const exp of [ENDS, ENDS + 60]) {
      await put("var/lib/token", `${web({ exp })}\n`);
      expect((await look([thin], from))[0]?.expiresUnixSeconds).toBe(exp);
    }
  });

  test("a certificate in the file or beside it", async () => {
    const { certPem } = await makeAuthority("x", { notBeforeMs: (ENDS - 3_600) * 1_000, notAfterMs: ENDS * 1_000 });
    expect(await one(`    client-certificate-data: ${Buffer.from(certPem).toString("base64")}`)).toEqual({ kind: "certificate", expiresUnixSeconds: ENDS });
    await put("etc/cni/net.d/multus.d/client.pem", certPem);
    expect(await one("    client-certificate: /etc/cni/net.d/multus.d/client.pem")).toEqual({ kind: "certificate", expiresUnixSeconds: ENDS });
  });

  test("a file that is not there, is no YAML, or is a folder says so by itself", async () => {
    await put("etc/cni/net.d/calico-kubeconfig/x", "");
    await put("b", "{[");
    const broken = conf("c.conf", { type: "x", kubeconfig: "/b" });
    expect((await look([thin, calico, broken])).map(({ problem }) => problem)).toEqual(["absent", expect.stringContaining("could not be read") as string, "not a kubeconfig: neither YAML nor JSON"]);
  });

  test("more than the bound are left out, and no config makes it throw", async () => {
    expect(await look([conf("a.conf", { type: "x", plugins: Array.from({ length: MAX_CREDENTIALS + 4 }, (_, at) => ({ kubeconfig: `/k/${String(at)}` })) })])).toHaveLength(MAX_CREDENTIALS);
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), fc.string(), async (json, text) => {
        await put("k", text);
        await look([{ name: "a.conf", unread: false, json: [json, { kubeconfig: "/k" }], config: { usable: false, problem: "x" } }]);
      }),
      { numRuns: 200 },
    );
  });
});
