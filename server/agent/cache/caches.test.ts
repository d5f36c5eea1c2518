import { mkdir, mkdtemp, rename, rm, symlink, truncate, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { MAX_BROKEN_NAMED, type LaterParts } from "../../domain/agent-readings";
import type { AgentReport, SandboxReading } from "../../domain/agent-report";
import type { ConfFileRead } from "../conf/read-dir";
import { hostFs } from "../host-fs";
import { recordedSandboxes } from "../testing/recorded-node";
import { cachesReader, type CachesReader } from "./caches";
import { MAX_ENTRIES } from "./entries";
import { rangeSets } from "./host-local";
import { parseAddress, parseSubnet } from "./ip";

let root: string;
let nowMs: number;
beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), "sandglass-cache-"));
  nowMs = Date.now() + 3_600_000; // an hour after everything that a test writes
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function put(file: string, text: string): Promise<void> {
  await mkdir(path.dirname(path.join(root, file)), { recursive: true });
  await writeFile(path.join(root, file), text);
}
const blind = { looked: false, reason: "no runtime's socket" } as const;
const listed = (...ids: string[]): AgentReport["sandboxes"] => ({ looked: true, tookSeconds: 0, truncated: false, items: ids.map((id): SandboxReading => ({ id, namespace: "default", name: id, uid: id, attempt: 0, ready: true })) });
const conf = (json: unknown): ConfFileRead => ({ name: "10-a.conflist", unread: false, json, config: { usable: false, problem: "not asked in this test" } });
const hostLocal = (ipam: object, name = "net") => conf({ name, plugins: [{ type: "bridge", ipam: { type: "host-local", ...ipam } }] });
type Part = Extract<NonNullable<LaterParts["caches"]>, { looked: true }>;
const reader = (): CachesReader => cachesReader(hostFs(root), () => nowMs);
async function look(files: readonly ConfFileRead[] = [], sandboxes: AgentReport["sandboxes"] = blind, from = reader()): Promise<Part> {
  const part = await from.look(files, sandboxes);
  if (!part.looked) throw new Error(part.reason);
  return part;
}

describe("caches", () => {
  test("are counted, and the empty and the broken entries named", async () => {
    await put("var/lib/cni/results/net-1f-eth0", "{}");
    await put("var/lib/cni/results/net-2f-eth0", "");
    await put("var/lib/cni/results/net-3f-eth0", '{"kind":');
    await put("var/lib/cni/multus/1f", "[]");
    await put("var/lib/cni/multus/results/net-1f-net1", "{}");
    expect((await look()).items).toEqual([
      { kind: "results", dir: "/var/lib/cni/results", entries: 3, broken: expect.arrayContaining(["net-2f-eth0", "net-3f-eth0"]) as string[], brokenCount: 2 },
      { kind: "results", dir: "/var/lib/cni/multus/results", entries: 1, broken: [], brokenCount: 0 },
      { kind: "multus", dir: "/var/lib/cni/multus", entries: 1, broken: [], brokenCount: 0 },
    ]);
  });

  test("that are not there are not spoken of, and one that cannot be listed says so beside the others", async () => {
    expect(await look()).toEqual({ looked: true, items: [], pools: [] });
    await put("var/lib/cni/multus/1f", "[]");
    await symlink("results", path.join(root, "var/lib/cni/results"));
    expect((await look()).items).toEqual([
      { kind: "results", dir: "/var/lib/cni/results", entries: 0, broken: [], brokenCount: 0, problem: expect.stringMatching(/symbolic links/) as string },
      { kind: "multus", dir: "/var/lib/cni/multus", entries: 1, broken: [], brokenCount: 0 },
    ]);
  });

  test("an entry that is a folder, a pipe's like, 10 MB large or a link to nowhere", async () => {
    await put("var/lib/cni/results/large", "");
    await truncate(path.join(root, "var/lib/cni/results/large"), 10 * 1024 * 1024);
    await mkdir(path.join(root, "var/lib/cni/results/folder"));
    await symlink("gone", path.join(root, "var/lib/cni/results/dangling"));
    await symlink("/dev/null", path.join(root, "var/lib/cni/results/device"));
    await writeFile(Buffer.concat([Buffer.from(path.join(root, "var/lib/cni/results/")), Buffer.from([0xff, 0xfe])]), "{}");
    expect((await look()).items).toMatchObject([{ entries: 4, broken: expect.arrayContaining(["large"]) as string[] }]);
  });

  test("an entry that is written right now is not yet broken", async () => {
    nowMs = Date.now();
    const from = reader();
    await put("var/lib/cni/results/net-1f-eth0", "");
    expect((await look([], blind, from)).items).toMatchObject([{ entries: 1, brokenCount: 0 }]);
    nowMs += 10_000;
    expect((await look([], blind, from)).items).toMatchObject([{ entries: 1, brokenCount: 1 }]);
  });

  test("are gone through again when they changed, and in any case after some rounds", async () => {
    const from = reader();
    const broken = async () => (await look([], blind, from)).items[0]?.broken;
    await put("var/lib/cni/results/a", "{}");
    expect(await broken()).toEqual([]);
    await put("var/lib/cni/results/b", "{");
    expect(await broken()).toEqual(["b"]);
    await rm(path.join(root, "var/lib/cni/results/b"));
    expect(await broken()).toEqual([]);
    await put("var/lib/cni/results/a", "{"); // in place: the folder does not change
    const seen: unknown[] = [];
    for (let round = 0; round < 9; round += 1) seen.push(await broken());
    expect(seen.at(-1)).toEqual(["a"]);
  });

  test("more broken entries than the bound are counted, not named; more entries than the bound are counted, not looked at", async () => {
    await mkdir(path.join(root, "var/lib/cni/results"), { recursive: true });
    for (let at = 0; at < MAX_ENTRIES + 3; at += 1) await writeFile(path.join(root, `var/lib/cni/results/${String(at)}`), "");
    const [one] = (await look()).items;
    expect(one).toMatchObject({ entries: MAX_ENTRIES + 3, brokenCount: MAX_ENTRIES, problem: expect.stringContaining("4096") as string });
    expect(one?.broken).toHaveLength(MAX_BROKEN_NAMED);
  });
});

describe("pools of addresses", () => {
  const lease = async (address: string, text: string, network = "net"): Promise<void> => put(`var/lib/cni/networks/${network}/${address}`, text);

  test("leases against the range of the conflist, without the files that are none", async () => {
    await lease("10.244.0.2", "1f\r\neth0");
    await lease("10.244.0.3", "2f");
    await lease("last_reserved_ip.0", "10.244.0.3");
    await lease("lock", "");
    const part = await look([hostLocal({ ranges: [[{ subnet: "10.244.0.0/24" }]] })]);
    expect(part.pools).toEqual([{ network: "net", range: "10.244.0.0/24", dir: "/var/lib/cni/networks/net", leases: 2, size: 253 }]);
    expect(part.items).toEqual([{ kind: "ipam", dir: "/var/lib/cni/networks/net", entries: 2, broken: [], brokenCount: 0 }]);
  });

  test("a lease whose sandbox the runtime does not list is leaked once it is old enough; none is while the list could not be had", async () => {
    await lease("10.244.0.2", "alive\neth0");
    await lease("10.244.0.3", "gone\neth0");
    await lease("10.244.0.4", "");
    const files = [hostLocal({ subnet: "10.244.0.0/24" })];
    expect((await look(files, listed("alive"))).pools).toMatchObject([{ leases: 3, leaked: 1 }]);
    expect((await look(files)).pools[0]).not.toHaveProperty("leaked");
    expect((await look(files, { looked: true, items: [], tookSeconds: 0, truncated: true })).pools[0]).not.toHaveProperty("leaked");
    nowMs = Date.now() + 60_000;
    expect((await look(files, listed("alive"))).pools, "one of a sandbox that is being made is none").toMatchObject([{ leases: 3, leaked: 0 }]);
  });

  test("a network with two families has two pools, and one that no config names has no size", async () => {
    await lease("10.0.0.2", "a");
    await lease("fd00::2", "a");
    await lease("10.9.0.2", "b", "of-an-attachment");
    const part = await look([hostLocal({ ranges: [[{ subnet: "10.0.0.0/24", rangeStart: "10.0.0.2", rangeEnd: "10.0.0.9" }], [{ subnet: "fd00::/64" }]] })]);
    expect(part.pools).toEqual([
      { network: "net", range: "10.0.0.0/24", dir: "/var/lib/cni/networks/net", leases: 1, size: 8 },
      { network: "net", range: "fd00::/64", dir: "/var/lib/cni/networks/net", leases: 1 },
      { network: "of-an-attachment", dir: "/var/lib/cni/networks/of-an-attachment", leases: 1 },
    ]);
  });

  test("a folder of its own is looked into, and a range that nobody has used yet has no lease", async () => {
    await put("data/net/10.0.0.2", "a");
    const part = await look([hostLocal({ dataDir: "/data", subnet: "10.0.0.0/29" }), hostLocal({ subnet: "10.1.0.0/24" }, "fresh")]);
    expect(part.pools).toEqual([
      { network: "net", range: "10.0.0.0/29", dir: "/data/net", leases: 1, size: 5 },
      { network: "fresh", range: "10.1.0.0/24", dir: "/var/lib/cni/networks/fresh", leases: 0, size: 253 },
    ]);
  });

  test("recorded: the storm's leases, of sandboxes that are listed and of one that is gone", async () => {
    const sandboxes = await recordedSandboxes("retry-storm", "before-lift");
    for (const [at, { id }] of sandboxes.slice(0, 50).entries()) await lease(`10.244.0.${String(at + 2)}`, `${id}\r\neth0`, "bridge");
    await lease("10.244.0.200", `${"f".repeat(64)}\r\neth0`, "bridge");
    const recordedConf = conf({ cniVersion: "1.0.0", name: "bridge", plugins: [{ type: "bridge", bridge: "cni0", isGateway: true, hairpinMode: true, ipam: { type: "host-local", ranges: [[{ subnet: "10.244.0.0/24" }]], routes: [{ dst: "0.0.0.0/0" }] } }] });
    expect((await look([recordedConf], { looked: true, items: sandboxes, tookSeconds: 0, truncated: false })).pools).toEqual([{ network: "bridge", range: "10.244.0.0/24", dir: "/var/lib/cni/networks/bridge", leases: 51, leaked: 1, size: 253 }]);
  });

  test("an address that is given again is another lease", async () => {
    const from = reader();
    const files = [hostLocal({ subnet: "10.244.0.0/24" })];
    await lease("10.244.0.2", "gone");
    await utimes(path.join(root, "var/lib/cni/networks/net"), 1, 1);
    expect((await look(files, listed("alive"), from)).pools).toMatchObject([{ leaked: 1 }]);
    await lease("new", "alive");
    await rename(path.join(root, "var/lib/cni/networks/net/new"), path.join(root, "var/lib/cni/networks/net/10.244.0.2"));
    expect((await look(files, listed("alive"), from)).pools).toMatchObject([{ leases: 1, leaked: 0 }]);
  });
});

describe("ranges of host-local", () => {
  const size = (range: object): number | undefined => {
    const [set] = rangeSets({ name: "n", plugins: [{ type: "bridge", ipam: { type: "host-local", ranges: [[range]] } }] });
    return set === undefined ? undefined : Number(set.size);
  };
  test.each([
    [{ subnet: "10.0.0.0/24" }, 253],
    [{ subnet: "10.0.0.7/24" }, 253],
    [{ subnet: "10.0.0.0/30" }, 1],
    [{ subnet: "10.0.0.0/31" }, undefined],
    [{ subnet: "10.0.0.0/24", gateway: "10.0.0.254" }, 253],
    [{ subnet: "10.0.0.0/24", rangeStart: "10.0.0.10", rangeEnd: "10.0.0.19" }, 10],
    [{ subnet: "10.0.0.0/24", rangeStart: "10.0.0.10", rangeEnd: "10.0.0.19", gateway: "10.0.0.15" }, 9],
    [{ subnet: "10.0.0.0/24", rangeStart: "10.0.1.10" }, undefined],
    [{ subnet: "10.0.0.0/24", rangeStart: "10.0.0.9", rangeEnd: "10.0.0.3" }, undefined],
    [{ subnet: "fd00::/120" }, 254],
    [{ subnet: "usePodCidr" }, undefined],
    [{ subnet: "10.0.0.0/33" }, undefined],
    [{}, undefined],
  ])("%j: %s addresses", (range, addresses) => {
    expect(size(range)).toBe(addresses);
  });

  test("several ranges of a set are one pool, and plugins that are called by others have theirs", () => {
    const ipam = (subnet: string) => ({ type: "host-local", ranges: [[{ subnet }, { subnet: "10.9.0.0/24" }]] });
    const sets = rangeSets({ name: "outer", type: "multus", delegates: [{ name: "inner", plugins: [{ type: "bridge", ipam: ipam("10.1.0.0/24") }] }, { type: "macvlan", ipam: ipam("10.2.0.0/24") }], ipam: ipam("10.0.0.0/24") });
    expect(sets.map(({ network, range, size: addresses }) => [network, range, Number(addresses)])).toEqual([["outer", "10.0.0.0/24", 506], ["inner", "10.1.0.0/24", 506], ["outer", "10.2.0.0/24", 506]]);
  });

  test("a name that would lead elsewhere has no pool, and nothing makes it throw", () => {
    expect(rangeSets({ name: "../../etc", ipam: { type: "host-local", subnet: "10.0.0.0/24" } })).toEqual([]);
    fc.assert(fc.property(fc.jsonValue(), (value) => void rangeSets({ name: "n", ipam: value, plugins: [value, { ipam: { type: "host-local", ranges: value, subnet: value } }], delegate: value })));
  });

  test("addresses and subnets are read as other tools read them", () => {
    expect(parseAddress("10.0.0.1")).toEqual({ bits: 32, value: 0x0a000001n });
    expect(parseAddress("::1")).toEqual({ bits: 128, value: 1n });
    expect(parseAddress("fd00::")).toEqual({ bits: 128, value: 0xfd00n << 112n });
    expect(parseAddress("1:2:3:4:5:6:7:8")?.value).toBe(0x00010002000300040005000600070008n);
    expect(parseAddress("::ffff:10.0.0.1")?.value).toBe(0xffff0a000001n);
    for (const text of ["", "10.0.0", "fe80::1%eth0", "x"]) expect(parseAddress(text)).toBeUndefined();
    expect(parseSubnet("10.1.2.3/16")).toEqual({ bits: 32, first: 0x0a010000n, last: 0x0a01ffffn });
    for (const text of ["10.0.0.0", "10.0.0.0/", "10.0.0.0/x", "/8"]) expect(parseSubnet(text)).toBeUndefined();
  });
});
