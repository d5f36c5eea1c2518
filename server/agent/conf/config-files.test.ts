import { mkdir, mkdtemp, readFile, rename, rm, symlink, truncate, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { MAX_CONF_FILES, type ConfigFiles } from "../../domain/agent-readings";
import type { AgentReport } from "../../domain/agent-report";
import { lookAtConfig } from "../config";
import { hostFs } from "../host-fs";
import { makeRecordedNode } from "../testing/recorded-node";
import { configFilesReader, isOlder, type ConfigFilesReader } from "./config-files";
import { loadedConfigs, type LoadedConfigs } from "./loaded";
import { multusReader } from "./multus";
import { confDirReader } from "./read-dir";

const NOW_MS = Date.now();
let root: string;
let dir: string;
let reader: ConfigFilesReader;
beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), "sandglass-conf-"));
  dir = path.join(root, "etc/cni/net.d");
  await mkdir(dir, { recursive: true });
  await mkdir(path.join(root, "opt/cni/bin"), { recursive: true });
  reader = configFilesReader();
});
afterEach(() => rm(root, { recursive: true, force: true }));

const networkReady = (status: boolean, message = ""): AgentReport["runtime"] => ({ looked: true, reading: { name: "containerd", version: "1.6.20", conditions: [{ type: "NetworkReady", status, reason: status ? "" : "NetworkPluginNotReady", message }] } });
const NOT_INITIALIZED = "Network plugin returns error: cni plugin not initialized";
const blind: AgentReport["runtime"] = { looked: false, reason: "no runtime's socket" };
async function look({ runtime = blind, loaded, nowMs = NOW_MS, podUids = [] }: { runtime?: AgentReport["runtime"]; loaded?: LoadedConfigs | undefined; nowMs?: number; podUids?: readonly string[] } = {}): Promise<ConfigFiles> {
  const fs = hostFs(root);
  const config = await lookAtConfig(fs, { binDirs: [] });
  if (config.dir === undefined) throw new Error("no dir");
  const part = reader.look(config.dir, { runtime, ...(loaded === undefined ? {} : { loaded }) }, await multusReader(fs).look(config.dir, podUids), nowMs);
  if (!part.looked) throw new Error(part.reason);
  return part.reading;
}
const conf = (name: string, text: string): Promise<void> => writeFile(path.join(dir, name), text);
const bridge = JSON.stringify({ cniVersion: "1.0.0", name: "net", plugins: [{ type: "bridge" }, { type: "portmap" }] });
async function daemonConfig(value: unknown, uid = "0b5c9f0e-0000-4000-8000-000000000001"): Promise<string> {
  const folder = path.join(root, `var/lib/kubelet/pods/${uid}/volumes/kubernetes.io~configmap/multus-daemon-config`);
  await mkdir(path.join(folder, "..2026"), { recursive: true });
  await writeFile(path.join(folder, "..2026/daemon-config.json"), typeof value === "string" ? value : JSON.stringify(value));
  await symlink("..2026", path.join(folder, "..data"));
  await symlink("..data/daemon-config.json", path.join(folder, "daemon-config.json"));
  return uid;
}

describe("files of the conf dir", () => {
  test("are told in load order with network, version, plugins and time, the broken ones with the place of the fault", async () => {
    await conf("10-net.conflist", bridge);
    await conf("20-broken.conflist", '{\n  "name": "n"\n  "plugins": []\n}');
    await conf("05-one.conf", JSON.stringify({ name: "one", type: "ptp" }));
    await utimes(path.join(dir, "10-net.conflist"), 1_700_000_000, 1_700_000_000);
    const { files, dir: told } = await look();
    expect(told).toBe("/etc/cni/net.d");
    expect(files).toMatchObject([
      { name: "05-one.conf", usable: true, networkName: "one", pluginTypes: ["ptp"] },
      { name: "10-net.conflist", usable: true, networkName: "net", cniVersion: "1.0.0", pluginTypes: ["bridge", "portmap"], modifiedMs: 1_700_000_000_000 },
      { name: "20-broken.conflist", usable: false, problem: 'not JSON: a comma or "}" was expected at line 3, column 3', pluginTypes: [] },
    ]);
  });

  test("more than the bound are left out, the last in order first, and that is said", async () => {
    for (let at = 0; at < MAX_CONF_FILES + 2; at += 1) await conf(`${String(at).padStart(3, "0")}.conf`, JSON.stringify({ name: "n", type: "ptp" }));
    const reading = await look();
    expect(reading.truncated).toBe(true);
    expect(reading.files.map(({ name }) => name).at(-1)).toBe(`0${String(MAX_CONF_FILES - 1)}.conf`);
  });

  test("that were written are read again, and others are not", async () => {
    const fs = hostFs(root);
    const cached = confDirReader(fs);
    await conf("10-net.conflist", bridge);
    await conf("20-b.conf", JSON.stringify({ name: "b", type: "ptp" }));
    const first = await cached.read("/etc/cni/net.d");
    await conf("20-b.conf", JSON.stringify({ name: "c", type: "ptp" }));
    const second = await cached.read("/etc/cni/net.d");
    expect(second?.files[0]).toBe(first?.files[0]);
    expect(second?.files[1]?.config).toMatchObject({ networkName: "c" });
  });
});

describe("whether the runtime has loaded the file", () => {
  test("it has while its network is ready; it has not while it says that it has no config", async () => {
    await conf("10-net.conflist", bridge);
    expect((await look({ runtime: networkReady(true) })).loaded).toBe(true);
    expect((await look({ runtime: networkReady(false, NOT_INITIALIZED) })).loaded).toBe(false);
    expect((await look({ runtime: networkReady(false, "No CNI configuration file in /etc/cni/net.d/. Has your network provider started?") })).loaded).toBe(false);
  });

  /** As containerd tells it: the text that it loaded, beside the loopback that it makes itself. */
  const tells = (plugins: readonly unknown[], source: string, toldMs = Date.now() + 60_000): LoadedConfigs | undefined =>
    loadedConfigs(JSON.stringify({ Networks: [{ Config: { Name: "cni-loopback", Source: "{}", Plugins: [] } }, { Config: { Name: "net", Source: source, Plugins: plugins.map((one) => ({ Source: JSON.stringify(one) })) } }] }), toldMs);

  test("it has where the text that it tells is the file's, in whatever order and spacing; where it is another, that network is named", async () => {
    await conf("10-net.conflist", bridge);
    const runtime = networkReady(true);
    expect(await look({ runtime, loaded: tells([], '{"plugins":[ {"type":"bridge"}, {"type":"portmap"} ],\n"name":"net","cniVersion":"1.0.0"}') })).toMatchObject({ loaded: true });
    const other = await look({ runtime, loaded: tells([], bridge.replace("portmap", "tuning")) });
    expect(other).toMatchObject({ loadedOther: "net" });
    expect(other).not.toHaveProperty("loaded");
    await rm(path.join(dir, "10-net.conflist"));
    const one = { name: "net", type: "ptp", ipam: { type: "host-local" } };
    await conf("20-one.conf", JSON.stringify(one));
    expect(await look({ runtime, loaded: tells([one], '{"cniVersion":"","name":"net","plugins":[{}]}') })).toMatchObject({ loaded: true });
  });

  test("nothing is claimed from what it told before the file was written, nor where it tells of no network", async () => {
    await conf("10-net.conflist", bridge);
    const runtime = networkReady(true);
    const early = tells([], "{}", Date.now() + 1_000);
    for (const loaded of [early, tells([], "{}", 0), loadedConfigs('{"Networks":[]}', Date.now() + 60_000)]) {
      const reading = await look({ runtime, loaded });
      expect(reading).not.toHaveProperty("loaded");
      expect(reading).not.toHaveProperty("loadedOther");
    }
    const read = await confDirReader(hostFs(root)).read("/etc/cni/net.d");
    expect(early !== undefined && isOlder(early, read?.files[0])).toBe(true);
    expect((await look({ runtime: networkReady(false, NOT_INITIALIZED), loaded: early })).loaded).toBe(false);
  });

  test.each(["", "{", "[]", '{"Networks":[{}]}', '{"Networks":{}}'])("%s is not what is known of it, and then its conditions decide", async (text) => {
    expect(loadedConfigs(text, 0)).toBeUndefined();
    await conf("10-net.conflist", bridge);
    expect(await look({ runtime: networkReady(true) })).toMatchObject({ loaded: true });
  });

  test("a text that is nested beyond all configs is not compared", () => {
    expect(loadedConfigs(JSON.stringify({ Networks: [{ Config: { Name: "deep", Source: "[".repeat(50_000) + "]".repeat(50_000), Plugins: [] } }] }), 0)).toEqual({ toldMs: 0, networks: [{ name: "deep", digests: [] }] });
  });

  test("is not said where there is no usable file, the runtime could not be asked, or its network is not ready for another reason", async () => {
    expect(await look({ runtime: networkReady(false, NOT_INITIALIZED) })).toEqual({ dir: "/etc/cni/net.d", files: [] });
    await conf("10-net.conflist", bridge);
    expect(await look()).not.toHaveProperty("loaded");
    expect(await look({ runtime: networkReady(false, "Network plugin returns error: plugin type=\"cilium-cni\" failed (status)") })).not.toHaveProperty("loaded");
  });

  test("counts from when the file came, also where it was moved in with an old time of writing, and anew when it is replaced", async () => {
    await writeFile(path.join(root, "made-elsewhere"), bridge);
    await utimes(path.join(root, "made-elsewhere"), 1_700_000_000, 1_700_000_000);
    const beforeMs = Date.now() - 50;
    await rename(path.join(root, "made-elsewhere"), path.join(dir, "10-net.conflist"));
    const first = await look({ nowMs: Date.now() });
    expect(first.usableSinceMs).toBeGreaterThanOrEqual(beforeMs);
    expect((await look({ nowMs: Date.now() + 60_000 })).usableSinceMs).toBe(first.usableSinceMs);
    await new Promise((resolve) => setTimeout(resolve, 30));
    await conf("10-net.conflist", bridge);
    expect((await look({ nowMs: Date.now() })).usableSinceMs).toBeGreaterThan(first.usableSinceMs ?? 0);
    await rm(path.join(dir, "10-net.conflist"));
    expect(await look()).not.toHaveProperty("usableSinceMs");
  });
});

describe("multus", () => {
  const generated = (over = {}) => conf("00-multus.conf", JSON.stringify({ cniVersion: "0.3.1", name: "multus-cni-network", clusterNetwork: "/host/etc/cni/net.d/10-net.conflist", type: "multus-shim", ...over }));

  test("is not spoken of on a node without any trace of it", async () => {
    await conf("10-net.conflist", bridge);
    expect((await look()).multus).toBeUndefined();
  });

  test("names the conflist that it hands on to, and whether it is there", async () => {
    await conf("10-net.conflist", bridge);
    await generated();
    expect((await look()).multus).toEqual({ generated: true, thick: true, clusterNetwork: "10-net.conflist", clusterNetworkExists: true });
    await rm(path.join(dir, "10-net.conflist"));
    expect((await look()).multus).toMatchObject({ clusterNetwork: "10-net.conflist", clusterNetworkExists: false });
    await generated({ clusterNetwork: "/host/run/multus/cni/net.d/10-ovn-kubernetes.conf" });
    expect((await look()).multus).toMatchObject({ clusterNetwork: "10-ovn-kubernetes.conf", clusterNetworkExists: false });
    await mkdir(path.join(root, "run/multus/cni/net.d"), { recursive: true });
    await writeFile(path.join(root, "run/multus/cni/net.d/10-ovn-kubernetes.conf"), "{}");
    expect((await look()).multus).toMatchObject({ clusterNetworkExists: true });
  });

  test("that hands on to a network by name does not claim that it is missing: an attachment may have it", async () => {
    await generated({ clusterNetwork: "some-attachment" });
    expect((await look()).multus).toEqual({ generated: true, thick: true, clusterNetwork: "some-attachment" });
  });

  test("that is thin is told apart by what its config calls", async () => {
    await generated({ type: "multus" });
    expect((await look()).multus).toMatchObject({ thick: false });
    await conf("00-multus.conf", "{");
    expect((await look()).multus).not.toHaveProperty("thick");
  });

  test("whose config is gone while its program is there is told as not generated", async () => {
    await writeFile(path.join(root, "opt/cni/bin/multus-shim"), "");
    expect((await look()).multus).toEqual({ generated: false });
  });

  test("its daemon's config is read where the kubelet keeps the ConfigMap for the pod, at the top level alone", async () => {
    const uid = await daemonConfig({ chrootDir: "/hostroot", multusMasterCNI: "05-cilium.conflist", readinessindicatorfile: "/host/etc/cni/net.d/05-cilium.conflist" });
    const { multus } = await look({ podUids: [uid] });
    expect(multus).toMatchObject({ masterCni: "05-cilium.conflist", generated: false, readinessIndicatorFile: "/host/etc/cni/net.d/05-cilium.conflist", readinessIndicatorExists: false });
    expect(multus?.daemonConfigPath).toBe(`/var/lib/kubelet/pods/${uid}/volumes/kubernetes.io~configmap/multus-daemon-config/daemon-config.json`);
    expect(multus?.daemonConfigModifiedMs).toBeGreaterThan(NOW_MS - 60_000);
    await conf("05-cilium.conflist", bridge);
    expect((await look({ podUids: [uid] })).multus).toMatchObject({ readinessIndicatorExists: true });
  });

  test.each([
    ["below another key", { logging: { level: "verbose", multusMasterCNI: "05-cilium.conflist" } }, { nestedMasterCni: "05-cilium.conflist" }],
    ["at the top in another case, as Go reads it", { multusmastercni: "05-cilium.conflist" }, { masterCni: "05-cilium.conflist" }],
    ["both", { multusMasterCNI: "a", x: [{ multusMasterCNI: "b" }] }, { masterCni: "a", nestedMasterCni: "b" }],
    ["empty", { multusMasterCNI: "" }, {}],
    ["no text", { multusMasterCNI: 5 }, {}],
    ["not JSON", '{"logLevel" "verbose"}', { daemonConfigProblem: "not JSON: a colon was expected at line 1, column 13" }],
    ["a list", "[]", { daemonConfigProblem: "not a JSON object" }],
  ])("the master's name %s", async (_name, value, told) => {
    const uid = await daemonConfig(value);
    const { daemonConfigPath: _, daemonConfigModifiedMs: __, generated: ___, ...rest } = (await look({ podUids: [uid] })).multus ?? { generated: false };
    expect(rest).toEqual(told);
  });

  test("a file in the conf dir itself wins over the pod's volume, and a uid leads nowhere else", async () => {
    const uid = await daemonConfig({ multusMasterCNI: "of-the-volume" });
    await mkdir(path.join(dir, "multus.d"));
    await writeFile(path.join(dir, "multus.d/daemon-config.json"), JSON.stringify({ multusMasterCNI: "of-the-node" }));
    expect((await look({ podUids: [uid] })).multus).toMatchObject({ masterCni: "of-the-node", daemonConfigPath: "/etc/cni/net.d/multus.d/daemon-config.json" });
    await rm(path.join(dir, "multus.d"), { recursive: true });
    expect((await look({ podUids: [`../pods/${uid}`] })).multus).toEqual({ generated: false });
  });

  test("a daemon's config that is too large, or a folder, is said and hides nothing else", async () => {
    await mkdir(path.join(dir, "multus.d"));
    const file = path.join(dir, "multus.d/daemon-config.json");
    await writeFile(file, "");
    await truncate(file, 10 * 1024 * 1024);
    await generated();
    expect((await look()).multus).toMatchObject({ generated: true, clusterNetwork: "10-net.conflist", daemonConfigProblem: expect.stringMatching(/could not be read: 10485760 bytes/) as string });
    await rm(file);
    await mkdir(file);
    expect((await look()).multus).toMatchObject({ daemonConfigProblem: expect.stringMatching(/could not be read/) as string });
  });
});

describe("recorded nodes", () => {
  test.each(["healthy", "retry-storm", "oom-loop", "stale-socket", "install-deadlock-cp-f"])("%s: multus' config as its daemon wrote it, with the conflist that it hands on to", async (failure) => {
    const recorded = await makeRecordedNode(root, failure);
    const reading = await look({ runtime: networkReady(true) });
    expect(reading.files.map(({ name }) => name)).toEqual(["00-multus.conf", "10-bridge.conflist"]);
    expect(reading.files[0]).toMatchObject({ usable: true, networkName: "multus-cni-network", cniVersion: "0.3.1", pluginTypes: ["multus-shim"] });
    expect(reading.files[0]?.modifiedMs).toBeLessThanOrEqual(recorded.atMs + 1_000);
    expect(reading).toMatchObject({ loaded: true, multus: { generated: true, clusterNetwork: "10-bridge.conflist", clusterNetworkExists: true } });
  });

  test("a node on which pods pass multus by: its config is not there, its program is", async () => {
    await makeRecordedNode(root, "missing", "bypass");
    expect(await look()).toMatchObject({ files: [{ name: "10-bridge.conflist" }], multus: { generated: false } });
  });

  test("what is recorded of the config is what was written", async () => {
    await makeRecordedNode(root, "healthy");
    expect(await readFile(path.join(dir, "00-multus.conf"), "utf8")).toContain('"clusterNetwork":"/host/etc/cni/net.d/10-bridge.conflist"');
  });
});
