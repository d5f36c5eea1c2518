import { chmod, mkdir, mkdtemp, rename, rm, symlink, truncate, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { agentOptions } from "@/server/agent/options";
import { createReporter, type Reporter } from "@/server/agent/report";
import { makeProcess, makeRecordedNode } from "@/server/agent/testing/recorded-node";
import { systemClock } from "@/server/clock";
import type { AgentReport } from "@/server/domain/agent-report";
import { createLog } from "@/server/log";
import { parseReport } from "./schema";

/** The whole agent on a node whose files are as broken as can be: each report of it is one that the server takes. */
let root: string;
let reporter: Reporter;
beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), "sandglass-hostile-"));
  await makeRecordedNode(root, "retry-storm");
  await makeProcess(root, { pid: 49, exe: "/usr/bin/containerd" });
});
afterEach(async () => {
  reporter.close();
  await rm(root, { recursive: true, force: true });
});

function start(...flags: string[]): Reporter {
  const options = agentOptions(["--once", "--node", "node-1", "--host-root", root, ...flags]);
  if (!options.ok) throw new Error(options.problems.join());
  reporter = createReporter(options.value, systemClock, createLog("silent", "test"));
  return reporter;
}
const at = (file: string): string => path.join(root, file);
async function put(file: string, content: string | Buffer): Promise<void> {
  await mkdir(path.dirname(at(file)), { recursive: true });
  await writeFile(at(file), content);
}
/** As the server reads it, and small enough to be one of many. */
function taken(report: AgentReport): AgentReport {
  const parsed = parseReport(JSON.parse(JSON.stringify(report)));
  if (!parsed.ok) throw new Error(parsed.detail);
  expect(parsed.report).toEqual(JSON.parse(JSON.stringify(report)));
  expect(JSON.stringify(report).length).toBeLessThan(1_000_000);
  return parsed.report;
}

const FOLDERS = ["etc/cni/net.d", "opt/cni/bin", "var/lib/cni/results", "var/lib/cni/multus", "var/lib/cni/networks/net", "var/log/pods", "var/log/containers", "var/lib/kubelet/pods", "sys/fs/cgroup/cpu/kubepods", "sys/fs/cgroup/memory/kubepods"];

test("names that are not UTF-8, too long or full of control characters, loops, huge files and times beyond all clocks", async () => {
  for (const folder of FOLDERS) {
    await mkdir(at(folder), { recursive: true });
    for (const name of [Buffer.from([0xff, 0xfe, 0x2e, 0x63, 0x6f, 0x6e, 0x66]), Buffer.from(`${"x".repeat(250)}.conf`), Buffer.from("\u001b[31m\n.conf"), Buffer.from("10.244.0.9")]) await writeFile(Buffer.concat([Buffer.from(at(`${folder}/`)), name]), "{");
    await symlink("loop.conf", at(`${folder}/loop.conf`));
    await symlink("../../..", at(`${folder}/up.json`));
    await put(`${folder}/huge.conf`, "");
    await truncate(at(`${folder}/huge.conf`), 10 * 1024 * 1024);
    await put(`${folder}/old.conf`, "{}");
    await utimes(at(`${folder}/old.conf`), -1_000_000, -1_000_000);
    await put(`${folder}/late.conf`, "{}");
    await utimes(at(`${folder}/late.conf`), 14_000_000_000, 14_000_000_000);
  }
  await put("etc/cni/net.d/deep.conflist", `{"name":"deep","plugins":[{"type":"bridge","delegate":${'{"type":"x","delegate":'.repeat(2_000)}{}${"}".repeat(2_000)}}]}`);
  await put("etc/cni/net.d/many.conflist", JSON.stringify({ name: "n".repeat(5_000), cniVersion: "9".repeat(5_000), plugins: Array.from({ length: 3_000 }, (_, index) => ({ type: `p${String(index)}`, socket: `/run/${"s".repeat(3_000)}`, ipam: { type: "host-local", ranges: Array.from({ length: 100 }, () => [{ subnet: "10.0.0.0/8" }]) } })) }));
  await put("etc/cni/net.d/00-multus.conf", JSON.stringify({ name: "m", type: "multus-shim", clusterNetwork: `/host/${"c".repeat(1_000)}`, readinessindicatorfile: `/${"r".repeat(900)}` }));
  await put("proc/net/unix", Buffer.concat([Buffer.from("Num\n"), Buffer.alloc(100_000, 0xff), Buffer.from("\n: : : :/multus/multus.sock\n")]));
  await put("proc/700/cmdline", "x".repeat(200_000));
  await symlink("/usr/bin/kubelet", at("proc/700/exe"));
  await symlink("exe", at("proc/49/ns"));
  const report = taken(await start().report());
  for (const part of ["configFiles", "binaries", "caches", "processes", "socketUse"] as const) expect(report[part], part).toMatchObject({ looked: true });
  expect(report.kubelet).toMatchObject({ looked: false });
  taken(await reporter.report());
});

test("folders where files should be, files where folders should be, and nothing at all", async () => {
  for (const file of ["etc/cni/net.d/10-bridge.conflist", "proc/uptime", "proc/net/unix", "proc/49/stat", "proc/49/mountinfo", "sys/fs/cgroup/cgroup.controllers"]) {
    await rm(at(file), { force: true });
    await mkdir(at(file), { recursive: true });
  }
  for (const file of ["var/lib/cni/results", "var/lib/cni/networks", "var/log/pods", "opt/cni"]) {
    await rm(at(file), { recursive: true, force: true });
    await put(file, "");
  }
  const report = taken(await start().report());
  expect(report.processes).toMatchObject({ looked: false, reason: "EISDIR" });
  expect(report.mounts).toMatchObject({ looked: false });
  await rm(root, { recursive: true });
  const nothing = taken(await reporter.report());
  expect(nothing.configFiles).toMatchObject({ looked: false, reason: "no folder /etc/cni/net.d" });
  expect(nothing.processes).toMatchObject({ looked: false });
});

/** Whoever is not root cannot read what it may not; root can, unless it is somebody else for the time. */
async function asNobody<T>(work: () => Promise<T>): Promise<T> {
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.(NOBODY);
  try {
    return await work();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
}
const NOBODY = 65_534;

test("folders and files that may not be read: each is named with the reason, and the rest goes on", async () => {
  await put("etc/cni/net.d/00-a-closed.conf", "{}");
  await put("var/lib/cni/results/one", "{}");
  await chmod(root, 0o755);
  for (const closed of ["etc/cni/net.d/00-a-closed.conf", "opt/cni/bin", "var/lib/cni/results"]) await chmod(at(closed), 0);
  const report = await asNobody(async () => taken(await start().report()));
  expect(report.config).toEqual({ looked: false, reason: "/etc/cni/net.d/00-a-closed.conf: could not be read: EACCES" });
  const files = report.configFiles?.looked === true ? report.configFiles.reading.files : [];
  expect(files[0]).toEqual({ name: "00-a-closed.conf", usable: false, problem: "could not be read: EACCES", pluginTypes: [] });
  expect(files.slice(1).filter(({ usable }) => usable).length).toBeGreaterThan(0);
  expect(report.binaries).toMatchObject({ looked: true, unread: ["/opt/cni/bin: EACCES"] });
  expect(report.caches?.looked === true ? report.caches.items.find(({ dir }) => dir === "/var/lib/cni/results") : report.caches).toMatchObject({ problem: "EACCES" });
  expect(report.processes).toMatchObject({ looked: true });
  await chmod(at("opt/cni/bin"), 0o755); // so that it can be removed
});

test("a tree that is taken apart and put together while it is read", async () => {
  start();
  let going = true;
  const mischief = (async (): Promise<void> => {
    for (let turn = 0; going; turn += 1) {
      const name = String(turn % 7);
      await put(`etc/cni/net.d/${name}.conf`, JSON.stringify({ name, type: `t${String(turn)}` }));
      await put(`opt/cni/bin/t${name}`, Buffer.alloc(turn % 5_000, 1));
      await put(`var/lib/cni/results/r${name}`, "{}".slice(0, turn % 3));
      await put(`var/lib/cni/networks/net/10.0.0.${name}`, String(turn));
      await rename(at("opt/cni/bin"), at("opt/cni/aside"));
      await rename(at("opt/cni/aside"), at("opt/cni/bin"));
      await rm(at(`etc/cni/net.d/${String((turn + 3) % 7)}.conf`), { force: true });
      await rm(at(`proc/${String(5_000 + ((turn + 3) % 7))}`), { recursive: true, force: true });
      await rm(at(`proc/${String(5_000 + (turn % 7))}`), { recursive: true, force: true });
      await makeProcess(root, { pid: 5_000 + (turn % 7), exe: "/opt/cni/bin/multus-shim" });
    }
  })();
  for (let round = 0; round < 30; round += 1) {
    const report = taken(await reporter.report());
    expect(report.configFiles).toMatchObject({ looked: true });
  }
  going = false;
  await mischief;
});
