import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { MAX_DIFF_CHARS, type ConfigChange } from "../../domain/agent-readings";
import { hostFs } from "../host-fs";
import { configChanges, type ConfigChanges } from "./changes";
import { lineDiff } from "./line-diff";
import { confDirReader, type ConfDirReader } from "./read-dir";
import { redact } from "../../domain/redact";

let root: string;
let reader: ConfDirReader;
let tracker: ConfigChanges;
beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), "sandglass-changes-"));
  await mkdir(path.join(root, "d"));
  reader = confDirReader(hostFs(root));
  tracker = configChanges();
});
afterEach(() => rm(root, { recursive: true, force: true }));

const write = (name: string, value: unknown): Promise<void> => writeFile(path.join(root, "d", name), typeof value === "string" ? value : JSON.stringify(value));
const look = async (nowMs = Date.now()): Promise<readonly ConfigChange[]> => tracker.since("/d", (await reader.read("/d"))?.files ?? [], nowMs);

describe("changes of the conf dir", () => {
  test("are none at the first look, none where nothing was written, and each is told once", async () => {
    await write("10-a.conf", { type: "bridge", bridge: "cni0" });
    expect(await look()).toEqual([]);
    expect(await look()).toEqual([]);
    await write("10-a.conf", { type: "bridge", bridge: "cni1" });
    const [change, ...more] = await look();
    expect(more).toEqual([]);
    expect(change).toMatchObject({ file: "10-a.conf", change: "changed", diff: '-  "bridge": "cni0"\n+  "bridge": "cni1"' });
    expect(await look()).toEqual([]);
  });

  test("tell files that came and went", async () => {
    await write("10-a.conf", { type: "bridge" });
    await look();
    await rename(path.join(root, "d/10-a.conf"), path.join(root, "d/05-b.conf"));
    expect(await look()).toMatchObject([
      { file: "05-b.conf", change: "added", diff: '+{\n+  "type": "bridge"\n+}' },
      { file: "10-a.conf", change: "removed", diff: '-{\n-  "type": "bridge"\n-}' },
    ]);
  });

  test("are of the time between the two looks, by the file's own clock where it can be", async () => {
    const beganMs = Date.now();
    await look(beganMs - 60_000);
    await write("10-a.conf", { type: "bridge" });
    const [change] = await look(beganMs + 60_000);
    expect(Math.abs((change?.atMs ?? 0) - beganMs)).toBeLessThan(10_000);
    await rm(path.join(root, "d/10-a.conf"));
    expect(await look(beganMs + 75_000)).toMatchObject([{ atMs: beganMs + 75_000 }]);
  });

  test("in form alone, or in secrets alone, say that nothing which may be shown has changed", async () => {
    await write("10-a.conf", { type: "bridge", password: "one" });
    await look();
    await write("10-a.conf", '{\n\n"type": "bridge", "password": "another"}');
    expect(await look()).toMatchObject([{ change: "changed", diff: "(written; nothing that may be shown has changed)" }]);
  });

  test("never show a text that is no JSON: it may be a kubeconfig", async () => {
    await write("10-a.conf", { type: "bridge" });
    await look();
    await write("10-a.conf", "users:\n- user:\n    token: s3cr3t\n");
    const [change] = await look();
    expect(change?.diff).toContain('(not JSON: a value was expected at line 1, column 1; not shown)');
    expect(JSON.stringify(change)).not.toContain("s3cr3t");
  });

  test("of a large file are cut at the bound", async () => {
    await look();
    await write("10-a.conf", Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`key ${String(at)}`, at])));
    const [change] = await look();
    expect(change?.diff.length).toBe(MAX_DIFF_CHARS);
  });

  test("of another dir are not compared with this one's", async () => {
    await write("10-a.conf", { type: "bridge" });
    await look();
    expect(tracker.since("/e", [], Date.now())).toEqual([]);
    expect(await look()).toEqual([]);
  });
});

describe("what is removed from a config", () => {
  test.each<[string, unknown]>([
    ["a token", { kubernetes: { k8s_auth_token: "s3cr3t" } }],
    ["a password that is a number", { password: 53_377_3 }],
    ["a key in a list", { secrets: ["s3cr3t"] }],
    ["a certificate under any name", { x: "-----BEGIN CERTIFICATE-----\ns3cr3t" }],
    ["a web token under any name", { x: `eyJhbGciOiJSUzI1NiJ9.s3cr3t` }],
    ["a password in an address", { etcd_endpoints: "https://root:s3cr3t@10.0.0.1:2379" }],
    ["a whole kubeconfig", { kubeconfig: "apiVersion: v1\nusers: s3cr3t" }],
    ["an object where a file is named", { kubeconfig: { users: "s3cr3t" } }],
    ["a long opaque run", { x: "s3cr3tAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" }],
    ["a mixed run", { x: "s3cr3t-Abc4-5efGh-ijK" }],
    ["what lies too deep", JSON.parse(`${'{"a":'.repeat(20)}"s3cr3t"${"}".repeat(20)}`) as unknown],
  ])("%s", (_name, value) => {
    expect(JSON.stringify(redact(value))).not.toMatch(/s3cr3t|533773/);
    expect(JSON.stringify(redact(value))).toContain("(removed)");
  });

  test("is nothing of an ordinary config", () => {
    const config = {
      cniVersion: "1.0.0", name: "k8s-pod-network", plugins: [{ type: "calico", log_file_path: "/var/log/calico/cni/cni.log", mtu: 0, nodename: "node-1", ipam: { type: "host-local", ranges: [[{ subnet: "10.244.0.0/24" }]] }, kubernetes: { kubeconfig: "/etc/cni/net.d/calico-kubeconfig" }, policy: { type: "k8s" } }],
      clusterNetwork: "/host/etc/cni/net.d/10-bridge.conflist", socketDir: "/host/run/multus/", id: "79ecc7ca-6d55-43dc-a0b0-8b07557ef071", capabilities: { portMappings: true },
    };
    expect(redact(config)).toEqual(config);
  });
});

test("a diff's lines make the new text of the old one", () => {
  const lines = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 30 });
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const diff = lineDiff(before, after);
      const count = (all: readonly string[], line: string) => all.filter((one) => one === line).length;
      for (const line of ["a", "b", "c", "d"]) expect(count(before, line) - count(diff, `-${line}`) + count(diff, `+${line}`)).toBe(count(after, line));
      if (before.join() === after.join()) expect(diff).toEqual([]);
    }),
  );
  expect(lineDiff(["a", "b", "c", "d", "e"], ["a", "x", "c", "d", "e"])).toEqual(["-b", "+x"]);
  const many = Array.from({ length: 1_000 }, (_, at) => `old ${String(at)}`);
  expect(lineDiff(many, many.map((line) => `${line}!`))).toHaveLength(2_000);
});
